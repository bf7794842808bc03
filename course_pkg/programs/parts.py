"""How one argument becomes items of a program's argv list.

In: nothing. Out: four kinds of parts, which a `Program` lists in order. A part only says where an
argument goes; `filling.py` puts it there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

#: What a path must lead to: a file or folder that is there, or a name that may be written to.
PathKind: TypeAlias = Literal["file", "folder", "new"]


@dataclass(frozen=True)
class Word:
    """A text or a number, as one item. A list gives one item for each of its values.

    Attributes:
        argument: the argument's name in the schema.
    """

    argument: str


@dataclass(frozen=True)
class PathIn:
    """A path inside the working folder, as one item, with `/` between its parts.

    Attributes:
        argument: the argument's name in the schema.
        kind: what the path must lead to.
    """

    argument: str
    kind: PathKind = "file"


@dataclass(frozen=True)
class Option:
    """`--flag=value` as one item, if the argument is given. In one item, no value can be a flag.

    Attributes:
        flag: the option as the program knows it, `--year`.
        value: where the value comes from.
    """

    flag: str
    value: Word | PathIn

    @property
    def argument(self) -> str:
        """The argument's name in the schema."""
        return self.value.argument


@dataclass(frozen=True)
class Switch:
    """`--flag`, if the argument is true.

    Attributes:
        flag: the option as the program knows it.
        argument: the argument's name in the schema, a boolean there.
    """

    flag: str
    argument: str


Part: TypeAlias = Word | PathIn | Option | Switch
