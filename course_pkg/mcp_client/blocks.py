"""Say content blocks in text: what is text is shown, what is not is named with its type and size.

In: the blocks of a result, as they came. Out: text. A model that reads text must not be handed a
million letters of base64, and must know that there was a picture.

Source of the five forms: the MCP specification, "Tools", section "Tool Result". A form that is not
known, or a block without what its form needs, is named too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def said(block: Any) -> str:
    """One block in text.

    Args:
        block: a content block as JSON; may be anything.
    """
    kind = block.get("type") if isinstance(block, Mapping) else None
    if kind == "text" and isinstance(block.get("text"), str):
        return str(block["text"])
    if kind in ("image", "audio"):
        return f"[{kind}, {_media_type(block)}, {_size(block.get('data'))}: not shown here]"
    if kind == "resource" and isinstance(block.get("resource"), Mapping):
        return _resource(block["resource"])
    if kind == "resource_link":
        return _link(block)
    return _unknown(block, kind)


def size_of(data: str) -> int:
    """How many bytes a base64 text stands for.

    Args:
        data: base64, with or without its padding.
    """
    return len(data.rstrip("=")) * 3 // 4


def _resource(resource: Mapping[str, Any]) -> str:
    uri = resource.get("uri", "without a URI")
    if isinstance(text := resource.get("text"), str):
        return f"[resource {uri}, {_media_type(resource)}]\n{text}"
    size = _size(resource.get("blob"))
    return f"[resource {uri}, {_media_type(resource)}, {size}: not shown here]"


def _link(block: Mapping[str, Any]) -> str:
    parts = [f"link to {block.get('uri', 'nowhere')}"]
    parts += [f"named {block['name']}"] if block.get("name") else []
    parts += [_media_type(block)] if block.get("mimeType") else []
    parts += [f"{block['size']:,} bytes"] if isinstance(block.get("size"), int) else []
    told = f": {block['description']}" if block.get("description") else ""
    return f"[{', '.join(parts)}{told}]"


def _unknown(block: Any, kind: Any) -> str:
    keys = (
        ", ".join(str(key) for key in block if key != "type") if isinstance(block, Mapping) else ""
    )
    what = f"of the type {kind!r}" if isinstance(kind, str) else "without a type"
    return f"[a block {what}{f' with {keys}' if keys else ''}: it cannot be shown here]"


def _media_type(block: Mapping[str, Any]) -> str:
    kind = block.get("mimeType")
    return kind if isinstance(kind, str) and kind else "of an unknown type"


def _size(data: Any) -> str:
    if not isinstance(data, str):
        return "without data"
    size = size_of(data)
    return f"{size:,} byte{'' if size == 1 else 's'}"


def is_said(structured: Any, texts: list[str]) -> bool:
    """Whether structured content says the same as the texts beside it.

    A server sends both when it has an output schema. A value that is no object goes under one key,
    `result` mostly (the official filesystem server says `content`), and a list as one text for each
    item.

    Args:
        structured: the structured content.
        texts: the texts of the text blocks.
    """
    is_wrapped = isinstance(structured, Mapping) and len(structured) == 1
    values = (*structured.values(), structured) if is_wrapped else (structured,)
    for form in _forms(texts):
        for value in values:
            # True == 1 in Python, not in JSON.
            if value == form and isinstance(value, bool) == isinstance(form, bool):
                return True
    return False


def _forms(texts: list[str]) -> Iterator[Any]:
    """What texts may say: each of them, all as one, all as a list; as text or as JSON."""
    yield from texts
    read = [_read(text) for text in texts]
    yield from read
    yield from (read, texts)
    if len(texts) > 1:
        joined = "\n".join(texts)
        yield from (joined, _read(joined))


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
