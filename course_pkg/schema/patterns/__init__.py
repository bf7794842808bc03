r"""Match texts against the patterns of a schema, the way JSON Schema means them, in bounded time.

In: the text of a `pattern`. Out: a `Pattern` that says whether it is found in a text, or a
`PatternError`.

JSON Schema's patterns are those of ECMA-262 with the flag `u` (JSON Schema 2020-12, validation,
section 4.3). They are not Python's: there `\d` takes the digits of every script, and `$` is happy
before a last newline. So a pattern is parsed here and written again in Python's words.

`parsing.py` makes a tree, `characters.py` knows the sets, `rendering.py` writes Python's words,
`cost.py` says how long Python's engine could take, `automaton.py` finds a match in linear time
where that would be too long, `matching.py` puts them together.

Not covered: `\p{...}` (Python has no table of it) and the flag `v`. Beyond ECMA-262, `\A`, `\Z`,
`(?P<name>...)` and `(?i)` are understood, since schemas made by Python programs hold them.
"""

from course_pkg.schema.patterns.matching import (
    Pattern,
    PatternError,
    PatternTooSlowError,
    compile_pattern,
)

__all__ = ["Pattern", "PatternError", "PatternTooSlowError", "compile_pattern"]
