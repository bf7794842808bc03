"""What a tool definition says, made ready for matching: its concepts and its parameters' roles.

In: the `tools` of a request. Out: `Offer`s. A role ("place", "path", "message") says which kind of
value a parameter wants; it is read from the parameter's own name and description, so a definition
that says more is understood better. No tool and no parameter is known by name beforehand.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from course_pkg.practice.words import as_text, concepts, split_name

MAX_SCHEMA_DEPTH = 6

#: From words in a parameter's name to its role; the first that fits counts.
_BY_NAME = (
    ("email", "email mail 邮箱"),
    ("url", "url uri link website webpage 网址 链接"),
    ("phone", "phone telephone mobile 电话 手机"),
    ("currency", "currency currencies 货币 币种"),
    ("language", "language lang locale 语言"),
    ("expression", "expression formula equation math arithmetic expr 表达式 算式"),
    ("path", "path file filename filepath document_path 文件 路径"),
    (
        "person",
        "recipient recipients receiver person assignee attendee attendees to cc "
        "收件人 联系人 接收人",
    ),
    ("message", "content message body text sms note comment 内容 正文 消息 文本"),
    (
        "place",
        "city place location town country destination origin port station airport "
        "address region where harbour harbor venue departure arrival village "
        "island 城市 地点 港口 地址 目的地 出发地 到达地 起点 终点",
    ),
    (
        "query",
        "query question keyword keywords search term terms phrase topic q 关键词 查询 问题 主题",
    ),
    ("date", "date day deadline due when 日期 日子 哪天"),
    ("time", "time hour at 时间 时刻"),
    ("identifier", "id code number reference sku isbn 编号 单号 代码"),
    ("unit", "unit units scale 单位"),
    ("ticker", "ticker symbol stock 股票代码"),
    ("title", "title subject label heading 标题 主题"),
    (
        "name",
        "name username user title program app playlist song movie artist customer "
        "who 名字 名称 姓名 用户名",
    ),
)
#: The same for descriptions, where a name says nothing; only telling words.
_BY_DESCRIPTION = (
    ("email", r"\be-?mail address|邮箱"),
    ("url", r"\burl\b|\blink\b|网址"),
    ("expression", r"\bexpression|\bformula|\barithmetic|算式|表达式"),
    ("path", r"\bpath\b|\bfile ?name|\bname of (?:the|a) (?:text )?file|文件"),
    ("currency", r"\bcurrency|货币"),
    ("language", r"\blanguage\b|语言"),
    (
        "person",
        r"\brecipient|\breceiver|\bwho (?:should |will )?(?:gets?|receives?)|"
        r"\bname of (?:the|a) person|收件人|发给谁",
    ),
    ("place", r"\bcity|\btown\b|\bplace\b|\bharbou?r|\bport\b|\blocation|城市|地点|港口"),
    (
        "query",
        r"\bsearch(?:ed)? for|\bwords? to (?:look|search)|\bkeywords?|"
        r"\bwhat to (?:look|search)|关键词|搜索",
    ),
    ("message", r"\b(?:text|words|content) (?:of|to|that)|\bmessage\b|正文|消息|内容"),
    ("date", r"\bdate\b|yyyy-mm-dd|日期"),
    ("time", r"\bhh:mm|\btime of day|时间"),
    ("unit", "unit units scale 单位"),
    ("ticker", r"\bticker"),
    ("name", r"\bname of\b|\bnamed?\b|名称|名字"),
)
_CHINESE_DIRECTION = {"from": "出发|起点|起始|从|源", "to": "目的|目标|到达|终点"}
_PREPOSITIONS = frozenset({"to", "from", "at", "cc"})
_DIRECTION = {
    "from": "from source origin base start departure depart 从 源",
    "to": "to target destination dest into end arrival arrive 到 目标",
}


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter of a tool.

    Attributes:
        name: its name.
        schema: its schema, with references resolved.
        is_required: whether a call needs it.
        role: which kind of value it wants; empty if its definition does not tell.
        direction: "from" or "to" where it is one of a pair.
        concepts: what its name and description are about.
    """

    name: str
    schema: Mapping[str, Any]
    is_required: bool
    role: str
    direction: str
    concepts: frozenset[str]

    @property
    def description(self) -> str:
        """Its description, or an empty text."""
        return as_text(self.schema.get("description"))


@dataclass(frozen=True, kw_only=True)
class Offer:
    """One tool that the model may call.

    Attributes:
        name: its name.
        description: its description.
        parameters: its parameters, in order.
        name_concepts: what its name is about.
        weights: from each concept in the definition to how much it counts (3 in the name, 2 in the
            description, 1 in the parameters).
    """

    name: str
    description: str
    parameters: Sequence[Parameter]
    name_concepts: frozenset[str]
    weights: Mapping[str, float] = field(repr=False)

    def with_role(self, role: str) -> list[Parameter]:
        """Its parameters of one role."""
        return [parameter for parameter in self.parameters if parameter.role == role]


def read_offers(tools: Sequence[Mapping[str, Any]]) -> tuple[Offer, ...]:
    """Read the `tools` of a request."""
    # The text of a definition is the key: reading one again would give the same.
    return tuple(_read(json.dumps(tool["function"])) for tool in tools)


@functools.lru_cache(maxsize=512)
def _read(text: str) -> Offer:
    function = json.loads(text)
    schema = function.get("parameters") or {}
    name = function["name"]
    parameters = tuple(read_parameters(schema, schema))
    description = as_text(function.get("description"))
    words = " ".join(split_name(name))
    weights: dict[str, float] = {}
    for parameter in parameters:
        _weigh(weights, parameter.concepts, 1.0)
    _weigh(weights, concepts(_without_limits(description)), 2.0)
    _weigh(weights, concepts(words), 3.0)
    return Offer(
        name=name,
        description=description,
        parameters=parameters,
        name_concepts=concepts(words),
        weights=weights,
    )


def _weigh(weights: dict[str, float], found: frozenset[str], weight: float) -> None:
    for concept in found:
        weights[concept] = max(weight, weights.get(concept, 0.0))


def _without_limits(description: str) -> str:
    """Without sentences that say what the tool is *not* for."""
    sentences = re.split(r"(?<=[.;。；])\s*", description)
    return " ".join(_NO_PART.sub("", item) for item in sentences if not _NO_SENTENCE.search(item))


_NO_SENTENCE = re.compile(
    r"^(?:no|not|never|without)\b|\b(?:not|never|don't)\b.*\b(?:for|use|it|this|web|read)\b"
    r"|不要用|不能|不用于|不适合",
    re.IGNORECASE,
)
_NO_PART = re.compile(r"\b(?:no|without|not)\s+\w+", re.IGNORECASE)


def read_parameters(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[Parameter]:
    """The parameters of an object schema.

    Args:
        schema: the object's schema.
        root: the whole schema, to which references point.
    """
    properties = schema.get("properties")
    required = schema.get("required")
    required = required if isinstance(required, list) else []
    for name, part in (properties if isinstance(properties, dict) else {}).items():
        resolved = resolve(part, root)
        about = f"{' '.join(split_name(name))} {as_text(resolved.get('description'))}"
        values = " ".join(str(value) for value in enum_of(resolved))
        yield Parameter(
            name=name,
            schema=resolved,
            is_required=name in required,
            role=_role(name, resolved),
            direction=_direction(name),
            concepts=concepts(f"{about} {values}"),
        )


def resolve(schema: Any, root: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """A schema with local references (`#/$defs/...`) put in, down to `MAX_SCHEMA_DEPTH` levels."""
    if not isinstance(schema, dict):
        return {}
    reference = schema.get("$ref")
    if isinstance(reference, str):
        schema = _target(reference, root) | {key: schema[key] for key in schema if key != "$ref"}
    if depth >= MAX_SCHEMA_DEPTH:
        return {key: schema[key] for key in schema if key not in _NESTED}
    resolved = dict(schema)
    if isinstance(schema.get("properties"), dict):
        parts = schema["properties"].items()
        resolved["properties"] = {name: resolve(part, root, depth + 1) for name, part in parts}
    for keyword in ("anyOf", "oneOf"):
        if isinstance(schema.get(keyword), list):
            resolved[keyword] = [resolve(part, root, depth + 1) for part in schema[keyword]]
    if isinstance(schema.get("items"), dict):
        resolved["items"] = resolve(schema["items"], root, depth + 1)
    return resolved


_NESTED = frozenset({"properties", "items", "anyOf", "oneOf", "$ref"})


def _target(reference: str, root: Mapping[str, Any]) -> dict[str, Any]:
    place: Any = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        place = place.get(part) if isinstance(place, dict) else None
    return dict(place) if isinstance(place, dict) else {}


def enum_of(schema: Mapping[str, Any]) -> list[Any]:
    """The allowed values of a schema, `const` counted as one; empty if anything goes."""
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else []


def type_of(schema: Mapping[str, Any]) -> str:
    """The JSON type that a schema wants; of several, the first that is not null."""
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((item for item in kind if item != "null"), "null")
    if isinstance(kind, str):
        return kind
    if "properties" in schema:
        return "object"
    return "array" if "items" in schema else "string"


def _role(name: str, schema: Mapping[str, Any]) -> str:
    by_format = {
        "date": "date",
        "time": "time",
        "email": "email",
        "uri": "url",
        "date-time": "date",
    }
    if (kind := schema.get("format")) in list(by_format):
        return by_format[str(kind)]
    if type_of(schema) == "boolean":
        return ""
    description = as_text(schema.get("description"))
    parts = split_name(name)
    # The last word of a name is its noun: "file_name" is a name, "city_code" a code.
    for part in (name.lower(), *reversed(parts)):
        for role, words in _BY_NAME:
            # "to" alone is a person, in "to_unit" it is only a direction.
            if part in words.split() and (part not in _PREPOSITIONS or part == name.lower()):
                return _sharpen(role, parts, description)
    for role, pattern in _BY_DESCRIPTION:
        if re.search(pattern, description, re.IGNORECASE):
            return role
    return ""


def _sharpen(role: str, parts: Sequence[str], description: str) -> str:
    """A role whose word has several meanings ("to", "name"), made clear by the rest."""
    others = " ".join([*parts[:-1], description])
    for word, better in (("file", "path"), ("city", "place"), ("currency", "currency")):
        if role in {"name", "identifier", "person"} and re.search(rf"\b{word}\b", others, re.I):
            return better
    if role == "person" and parts[-1:] == ["to"]:
        return _to_what(description)
    if role == "name" and parts[-1] == "name" and re.search(r"\bcity|\btown|\bplace", others, re.I):
        return "place"
    return role


def _to_what(description: str) -> str:
    for role, pattern in _BY_DESCRIPTION:
        if role in {"currency", "language", "place", "date", "path"} and re.search(
            pattern, description, re.IGNORECASE
        ):
            return role
    return "person"


def _direction(name: str) -> str:
    parts = split_name(name)
    for direction, words in _DIRECTION.items():
        if any(part in words.split() for part in parts) or re.search(
            _CHINESE_DIRECTION[direction], name
        ):
            return direction
    return ""
