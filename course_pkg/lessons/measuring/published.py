"""What two real small models did with such toolboxes, as the makers of this course measured it.

Out: counts, for comparison with what the practice model does. Five tools of the same kinds (a web
search in place of the course's pages), 30 requests, half of them in Chinese, each with one right
tool; a call was demanded, temperature 0, the call begun in a JSON fence. Counted is the right tool.

The models are Qwen2.5-Coder-0.5B-Instruct and Qwen2.5-Coder-1.5B-Instruct, quantised to 4 bits.
"""

from __future__ import annotations

from dataclasses import dataclass

REQUESTS = 30


@dataclass(frozen=True, kw_only=True)
class Published:
    """How often each model chose the right tool, of 30.

    Attributes:
        wording: what was good and what was not.
        small: the model with 0.5 billion parameters.
        larger: the one with 1.5 billion; `None` where it was not measured.
    """

    wording: str
    small: int
    larger: int | None = None


PUBLISHED = (
    Published(wording="all good", small=24, larger=29),
    Published(wording="vague descriptions", small=23),
    Published(wording="vague names", small=19),
    Published(wording="vague names, descriptions", small=12, larger=28),
    Published(wording="opaque names", small=21),
    Published(wording="opaque names, vague descr.", small=11, larger=29),
    Published(wording="only the names are good", small=22),
    Published(wording="only descriptions are good", small=23, larger=29),
    Published(wording="all vague", small=11),
    Published(wording="all opaque or vague", small=7, larger=7),
)

#: From "all good" to "vague names and descriptions", the small model: requests lost and gained.
LOST, GAINED = 12, 0

#: The good toolbox, the small model: right tool with the call begun in a JSON fence, and in tags.
IN_A_FENCE, IN_TAGS = 24, 17
