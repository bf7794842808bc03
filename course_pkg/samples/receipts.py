"""Receipts of tools that only pretend: an id that depends on what was asked, and on nothing else.

In: a kind and facts. Out: an id such as `user_3f2a91c0`. Keeps nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

#: So many hexadecimal digits of the hash make an id.
ID_DIGITS = 8


def receipt_id(kind: str, facts: Mapping[str, Any]) -> str:
    """The id of what these facts describe: the same facts, the same id.

    Args:
        kind: the beginning of the id, for example `user`.
        facts: what JSON can carry.
    """
    told = json.dumps(facts, ensure_ascii=False, sort_keys=True)
    return f"{kind}_{hashlib.sha256(told.encode('utf-8')).hexdigest()[:ID_DIGITS]}"
