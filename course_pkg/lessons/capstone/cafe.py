"""The repair café of the capstone: what it repairs, what that costs, and what is there now.

In: nothing. Out: plain data, for the tools of the learner, the sample solution and the review.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: What is known of each repair, by the number on its ticket.
REPAIRS: Mapping[str, dict[str, str]] = MappingProxyType(
    {
        "R-101": {"thing": "toaster", "state": "ready", "helper": "Ada"},
        "R-102": {"thing": "radio", "state": "on the bench", "helper": "Li Wei"},
        "R-103": {"thing": "lamp", "state": "waiting for a part", "helper": "Sam"},
    }
)

#: What each started quarter of an hour costs, in euros, by the thing that is repaired.
PRICES: Mapping[str, float] = MappingProxyType(
    {"bicycle": 5.0, "lamp": 2.0, "radio": 4.0, "toaster": 3.0}
)

#: So long one repair may take, in minutes.
MAX_MINUTES = 120

#: Spare parts may cost so much, in euros.
MAX_PARTS_EUROS = 200

#: A name has so many characters at most.
MAX_NAME_CHARS = 60
