"""The errors of a schema that cannot be used, and of an instance that cannot be looked through."""

from __future__ import annotations


class SchemaError(ValueError):
    """A schema cannot be used. The text says where, why and what to do.

    Attributes:
        kind: which kind, in one code word: `invalid_schema`, `bad_pattern`, `unresolvable_ref`,
            `endless_ref`, `too_deep`, `mixed_dialects`.
        path: the place in the schema, as a JSON Pointer; `/` is the root.
    """

    def __init__(self, text: str, *, kind: str = "invalid_schema", path: str = "/") -> None:
        """Say what is wrong with a schema."""
        super().__init__(text)
        self.kind = kind
        self.path = path


class TooDeepError(RecursionError):
    """An instance is nested too deeply to be checked. The text says how deep it may be.

    It comes long before Python's own limit, and is still a `RecursionError`: who guards against
    that one guards against this one too.
    """

    kind = "too_deep"
