"""Documents that a client may read by URI: what MCP calls resources.

In: names, and a function that gives the text of one. Out: the URI of a name and back, and the text.
Only names on the list are ever handed to the function, so no URI can lead anywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from course_pkg.executor import result_text

#: Stands for the name in the URI of a document.
PLACE = "{name}"


@dataclass(frozen=True, kw_only=True)
class Documents:
    """Texts with names.

    Attributes:
        uri: the URI of a document, with `{name}` in the name's place.
        names: the names, in the order in which a client sees them.
        read: gives the text of a name. A plain function; it runs in a thread.
        title: what they are, in a word or two.
        description: what a client is told about them.
        mime_type: what kind of text they are.
    """

    uri: str
    names: Sequence[str]
    read: Callable[[str], str] = field(repr=False)
    title: str = "documents"
    description: str = ""
    mime_type: str = "text/markdown"

    def __post_init__(self) -> None:
        """See that the URI has a place for the name.

        Raises:
            ValueError: if it has not.
        """
        if not self.uri.endswith(PLACE) or "://" not in self.uri:
            raise ValueError(
                f"The URI {self.uri!r} must end in {PLACE}, such as course://documents/{PLACE}."
            )

    def uri_of(self, name: str) -> str:
        """The URI of the document of that name."""
        return self.uri.replace(PLACE, quote(name, safe=""))

    def name_of(self, uri: str) -> str | None:
        """The name that a URI leads to; `None` if there is no such document.

        Args:
            uri: any text.
        """
        prefix = self.uri.removesuffix(PLACE)
        name = unquote(uri.removeprefix(prefix)) if uri.startswith(prefix) else ""
        return name if name in self.names else None

    def text(self, name: str) -> str:
        """The text of a document, cut like a tool's result if it is too long.

        Args:
            name: one of `names`.

        Raises:
            KeyError: if there is no document of that name.
        """
        if name not in self.names:
            raise KeyError(name)
        return result_text(self.read(name))
