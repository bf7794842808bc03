"""Find the tool that a call means, where its name came with something stuck to it.

In: a name as the model wrote it, and the tools on offer. Out: the tool and what was mended in the
name, or nothing. One policy: a name that is on offer is taken as it is. Else what is known to stick
to names is taken off, and the rest must be a name on offer, letter by letter. A name that is only
similar is never taken: the model is told of it instead.
"""

from __future__ import annotations

import re

from course_pkg.tools import Tool, Toolbox

#: Where a model's own control tokens begin: `get_tide<|channel|>commentary`.
CONTROL_TOKEN = "<|"

#: Namespaces that models saw in training.
PREFIX = re.compile(r"(?:functions?|tools?|default_api)[.:/]")


def meant_tool(name: str, tools: Toolbox) -> tuple[Tool | None, tuple[str, ...]]:
    """The tool of that name, and what was mended in the name, in code words.

    Args:
        name: the name as the model wrote it.
        tools: what is on offer.
    """
    if name in tools:
        return tools[name], ()
    notes: list[str] = []
    cut = name.partition(CONTROL_TOKEN)[0]
    if cut != name:
        notes.append("name_control_token")
    bare = cut.strip()
    if bare != cut and not notes:
        notes.append("name_whitespace")
    if bare not in tools and (prefix := PREFIX.match(bare)):
        bare = bare[prefix.end() :]
        notes.append("name_prefix")
    return (tools[bare], tuple(notes)) if bare in tools else (None, ())
