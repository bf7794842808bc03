"""The public failures of `tests/cases`, each run the whole way.

`RUNNERS` says for each kind and input type what runs it. A runner gives the differences from what
the case expects, in words; it raises `NotApplicableError` where nothing can be said yet. `NOT_YET`
lists the cases that need a later issue, each with the reason: a case that begins to pass must be
taken out of it, so that the list can only shrink.

`CASES_DIR=<folder> pytest tests/test_cases.py` runs any folder of such files. The last test prints
one line for each kind.
"""

from __future__ import annotations

import asyncio
import builtins
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from course_pkg import (
    Limits,
    ModelClient,
    ModelError,
    Outcome,
    Recorder,
    Tool,
    Toolbox,
    ToolCall,
    ToolError,
    execute,
    execute_all,
    run,
    tool,
)
from course_pkg.conversation import heal, problems
from course_pkg.dialects import CHAT_COMPLETIONS, ToolChoiceError, choice_of
from course_pkg.executor import FastClock, result_text
from course_pkg.mcp_client import CallOutcome, Connection, Connections
from course_pkg.mcp_server import high_level
from course_pkg.schema import (
    ConversionError,
    SchemaError,
    apply_defaults,
    check,
    check_schema,
    convert,
    explain,
    inline,
    lint,
    strict_findings,
)
from course_pkg.schema.places import all_schemas
from course_pkg.schema.references import lookup
from course_pkg.text_calls import ParsedText, parse_text
from course_pkg.tools import Retry, TemporaryToolError, legal_names, real_names

CASES_DIR = Path(os.environ.get("CASES_DIR") or Path(__file__).parent / "cases")
ALL = [
    json.loads(path.read_text(encoding="utf-8")) for path in sorted(CASES_DIR.glob("[a-g]-*.json"))
]

NOT_YET: Mapping[str, str] = {}

#: What the cases call an error that we call otherwise.
KINDS = {"validation": "invalid_arguments"}

#: What became of each case that ran: kind → outcome → reasons.
TOLD: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)

#: A pattern that could run away must be done with in this time, in seconds of CPU.
PATTERN_LIMIT_S = 1.0


class NotApplicableError(Exception):
    """Nothing can be said about the case yet. The text says why."""


class Bench:
    """What runners share: a scripted service, and ways to write its answers."""

    def __init__(self, service: Any, write: Any) -> None:
        self.service = service
        self.write = write


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case,
            id=case["id"],
            marks=[pytest.mark.xfail(reason=f"needs {NOT_YET[case['id']]}")]
            if case["id"] in NOT_YET
            else [],
        )
        for case in ALL
    ],
)
async def test_each_case_ends_as_it_expects(case: dict[str, Any], service: Any, write: Any) -> None:
    told = TOLD[case["kind"].partition(" / ")[0]]
    runner = RUNNERS.get((case["id"][0], case["input"]["type"]), without_runner)
    not_yet = f"not applicable yet: needs {NOT_YET.get(case['id'])}"
    outcome = (not_yet, "") if case["id"] in NOT_YET else ("failed", case["id"])
    try:
        found = await runner(case, Bench(service, write))
        outcome = outcome if found else ("passed", "")
    except NotApplicableError as reason:
        outcome = (f"not applicable: {reason}", "")
        pytest.skip(str(reason))
    finally:
        told[outcome] += 1

    assert found == []


def test_the_count_of_each_kind_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line_of(kind, told) for kind, told in sorted(TOLD.items())]

    with capsys.disabled():
        sys.stdout.write("".join(f"\n{line}" for line in [*lines, ""]))

    assert sum(sum(told.values()) for told in TOLD.values()) <= len(ALL)


def line_of(kind: str, told: Counter[tuple[str, str]]) -> str:
    """`c: schema: passed 21 of 24; not applicable: why (3)`."""
    rest: Counter[str] = Counter()
    for (outcome, name), count in told.items():
        rest[f"{outcome} {name}".strip()] += count * (outcome != "passed")
    parts = [f"{why} ({count})" for why, count in sorted(rest.items()) if count]
    return "; ".join([f"{kind}: passed {told['passed', '']} of {sum(told.values())}", *parts])


async def without_runner(case: Mapping[str, Any], bench: Bench) -> list[str]:
    raise NotApplicableError(f"nothing runs {case['input']['type']} cases yet")


# --- a, d: what a model or its service answers ----------------------------------------------------


class Noted:
    """Tools made of the case's definitions. They note what they are called with."""

    def __init__(
        self,
        definitions: list[Any],
        results: Mapping[str, Any] | None = None,
        behaviour: Mapping[str, Any] | None = None,
    ) -> None:
        self.ran: list[dict[str, Any]] = []
        self._results = results or {}
        self._behaviour = behaviour or {}
        self.tools = [self._tool(definition["function"]) for definition in definitions]

    def _tool(self, function: Mapping[str, Any]) -> Tool:
        def note(**arguments: Any) -> Any:
            self.ran.append({"name": function["name"], "arguments": arguments})
            for value in arguments.values():
                self._behave(self._behaviour.get(function["name"], {}).get(str(value), {}))
            return self._results.get(function["name"], "ok")

        return Tool(
            name=function["name"],
            description=function["description"],
            input_schema=function["parameters"],
            run=note,
        )

    @staticmethod
    def _behave(told: Mapping[str, Any]) -> None:
        """`{"raise": "KeyError('harbour')"}` raises it."""
        if found := re.fullmatch(r"(\w+)\('?(.*?)'?\)", told.get("raise", "")):
            raise getattr(builtins, found[1])(found[2])


async def outcome_of(
    service: Any, tools: list[Tool], script: list[Any], **options: Any
) -> tuple[Outcome | ModelError, Any]:
    served = service(*script)
    async with ModelClient(served.settings, clock=FastClock()) as client:
        try:
            return await run("Tides?", tools, client, **options), served
        except ModelError as error:
            return error, served


def answer_of(write: Any, given: Mapping[str, Any]) -> Any:
    if given["type"] == "response":
        return write.json(given["response"])
    if given["type"] == "sse":
        return write.events(*given["chunks"], done=given.get("done", True))
    body = given["body"] if "body" in given else json.dumps(given.get("json", ""))
    headers = tuple(given.get("headers", {}).items()) or (("content-type", "application/json"),)
    return write.Answer(pieces=(body.encode(),), status=given["status"], headers=headers)


def done_of(write: Any, given: Mapping[str, Any]) -> Any:
    """What the model says when it has the results."""
    if given["type"] == "sse":
        return write.events({"choices": [{"delta": {"content": "Done."}, "finish_reason": "stop"}]})
    return write.text("Done.")


async def of_an_answer(case: Mapping[str, Any], bench: Bench) -> list[str]:
    given = case["input"]
    noted = Noted(given.get("tools", []))

    ended, served = await outcome_of(
        bench.service,
        noted.tools,
        [answer_of(bench.write, given), done_of(bench.write, given)],
        stream=given["type"] == "sse",
        **given.get("request", {}),
    )

    wrong = [
        differences(option, ended, noted.ran, served)
        for option in case["expected"].get("options", [case["expected"]])
    ]
    ran = [call["arguments"] for call in noted.ran]
    never = case["expected"].get("never")
    return ([] if [] in wrong else [str(wrong)]) + (["what never"] if never in ran else [])


async def of_answers(case: Mapping[str, Any], bench: Bench) -> list[str]:
    given, expected = case["input"], case["expected"]
    script = [answer_of(bench.write, {"type": "http", **item}) for item in given["responses"]]

    noted = Noted(given.get("tools", []))
    ended, served = await outcome_of(bench.service, noted.tools, script, **given["request"])

    count = [] if len(served.requests) == expected.get("requests", 1) else ["another count"]
    kept = served.requests[-1].json.keys() & set(expected.get("second_request_lacks", []))
    left = [f"{name} was sent again" for name in kept]
    return count + left + differences(expected, ended, noted.ran, served)


async def of_a_text(case: Mapping[str, Any], bench: Bench) -> list[str]:
    given, expected = case["input"], case["expected"]
    noted = Noted(given.get("tools", []))

    parsed = parse_text(given["text"], given.get("tools", []), formats=[given["format"]])
    results = [await execute(call, noted.tools) for call in parsed.calls]

    options = expected.get("options", [expected])
    wrong = [differences_of_text(option, parsed, results, noted.ran) for option in options]
    return [] if [] in wrong else [str(wrong)]


def differences_of_text(
    expected: Mapping[str, Any], parsed: ParsedText, results: list[Any], ran: list[Any]
) -> list[str]:
    """What is otherwise than a text case expects, in words."""
    notes = [note for result in results for note in result.notes]
    servers = {call.server for call in parsed.calls}
    kind = KINDS.get(expected.get("error_kind", ""), expected.get("error_kind"))
    words = expected.get("message_must_mention", [])
    checks = {
        f"ran {ran}": ran == expected.get("calls", []),
        f"notes {notes}": "repairs" not in expected or notes == expected["repairs"],
        f"text {parsed.text!r}": parsed.text == expected.get("content", parsed.text),
        f"servers {servers}": "server" not in expected or servers == {expected["server"]},
        f"results {results}": expected["outcome"] != "tool_error"
        or (len(results) == 1 and results[0].error_kind == kind),
        f"words {results}": all(word in result.text for result in results for word in words),
        f"calls {parsed.calls}": expected["outcome"] != "final_text" or parsed.calls == (),
    }
    return [words for words, right in checks.items() if not right]


async def of_a_mapping(case: Mapping[str, Any], bench: Bench) -> list[str]:
    given, expected = case["input"], case["expected"]
    names = [definition["function"]["name"] for definition in given["tools"]]

    wrong = [
        f"{written!r} became {found!r}"
        for written, wanted in zip(given["choices"], expected["openai"], strict=True)
        if not is_that_choice(found := chat_choice(written, names), wanted)
    ]
    async with ModelClient(bench.service().settings) as client:
        sent = client.request([], [], tool_choice="auto")
    return wrong + ([] if "tool_choice" not in sent else ["tool_choice without tools"])


def chat_choice(written: Any, names: list[str]) -> Any:
    try:
        return CHAT_COMPLETIONS.write_choice(choice_of(written, names))
    except ToolChoiceError as error:
        return error


def is_that_choice(found: Any, wanted: Any) -> bool:
    """`ValueError: unknown tool 'nope'` wants such an error; our words go on."""
    kind, _, words = str(wanted).partition(": ")
    if isinstance(wanted, str) and kind == "ValueError":
        return isinstance(found, ValueError) and words in str(found)
    return bool(found == wanted)


def differences(
    expected: Mapping[str, Any], ended: Outcome | ModelError, ran: list[Any], served: Any
) -> list[str]:
    """What is otherwise than the case expects, in words."""
    if expected["outcome"] == "raise":
        return differences_of_error(expected, ended)
    if isinstance(ended, ModelError):
        return [f"raised {ended}"]
    found = [] if problems(ended.messages) == [] else ["a conversation with problems"]
    if expected["outcome"] == "execute":
        return found + differences_of_run(expected, ended, ran, served)
    if expected["outcome"] == "tool_error":
        return found + differences_of_result(expected, ended, ran)
    warned = "warning" not in expected or expected["warning"] in ended.warnings
    if ended.reason != "answered" or ran or not warned:
        found.append(f"{ended.reason}, ran {ran}, warnings {ended.warnings}")
    if "text" in expected and ended.answer != expected["text"]:
        found.append(f"said {ended.answer!r}")
    return found


def differences_of_error(expected: Mapping[str, Any], ended: Any) -> list[str]:
    if not isinstance(ended, ModelError):
        return [f"ended as {ended}"]
    words = expected.get("message_must_mention", [])
    found = [f"no {word!r}" for word in words if word.lower() not in str(ended).lower()]
    return found + ([] if ended.kind == expected["error_kind"] else [f"kind {ended.kind}"])


def differences_of_run(
    expected: Mapping[str, Any], ended: Outcome, ran: list[Any], served: Any
) -> list[str]:
    if len(ended.turns) < 2:
        return ["no call"]
    notes = [note for result in ended.turns[0].results for note in result.notes]
    message = ended.messages[1]
    echoed = [call["function"]["arguments"] for call in message.get("tool_calls", [])]
    checks = {
        # The calls of one message run side by side, in threads: in any order.
        f"ran {ran}": sorted(ran, key=str) == sorted(expected["calls"], key=str),
        f"notes {notes}": "repairs" not in expected or notes == expected["repairs"],
        f"echoed {echoed}": "echo_arguments" not in expected
        or echoed == [expected["echo_arguments"]],
        f"said {message}": message["content"] == expected.get("keep_content", message["content"]),
        f"fields {message}": expected.get("echo_fields", {}).items() <= message.items(),
        "a next request with another choice": expected.get("next_request", {}).items()
        <= served.requests[1].json.items(),
    }
    return [words for words, right in checks.items() if not right]


def differences_of_result(expected: Mapping[str, Any], ended: Outcome, ran: list[Any]) -> list[str]:
    (result,) = ended.turns[0].results
    kind = KINDS.get(expected["error_kind"], expected["error_kind"])
    name = ended.messages[1]["tool_calls"][0]["function"]["name"]
    checks = {
        f"ran {ran}": ran == [],
        f"kind {result.error_kind}": result.error_kind == kind,
        f"name {name}": re.search(expected.get("echo_name_must_match", ""), name),
        f"text {result.text}": all(
            word in result.text for word in expected["message_must_mention"]
        ),
        f"words {result.text}": not any(
            word in result.text for word in expected.get("not_mention", [])
        ),
    }
    return [words for words, right in checks.items() if not right]


# --- b: conversations -----------------------------------------------------------------------------


async def of_a_conversation(case: Mapping[str, Any], bench: Bench) -> list[str]:
    expected = case["expected"]
    messages = case["input"]["messages"]
    before = json.dumps(messages)

    found = [{"at": problem.at, "code": problem.code} for problem in problems(messages)]
    healed = heal(messages)

    checks = {
        f"found {found}": found == expected.get("problems", []),
        f"healed {healed}": problems(healed) == [],
        "changed what came in": json.dumps(messages) == before,
        f"healed otherwise: {healed}": "repaired" not in expected
        or as_repaired(healed, expected["repaired"]) == expected["repaired"],
        "another order": "repaired_order" not in expected
        or healed == [messages[at] for at in expected["repaired_order"]],
        "other roles": "repaired_roles" not in expected
        or [message["role"] for message in healed] == expected["repaired_roles"],
    }
    return [words for words, right in checks.items() if not right]


def as_repaired(healed: list[Any], expected: list[Any]) -> list[Any]:
    """The words about a missing result are ours to choose."""
    return [
        {**message, "content": wanted["content"]}
        if str(wanted.get("content")).startswith("<error") and "interrupted" in message["content"]
        else message
        for message, wanted in zip(healed, expected, strict=False)
    ] + healed[len(expected) :]


# --- c: schemas -----------------------------------------------------------------------------------


async def of_validation(case: Mapping[str, Any], bench: Bench) -> list[str]:
    given, expected = case["input"], case["expected"]
    schema, tests = given["schema"], given["tests"]
    texts = [text_of(item["instance"], schema) for item in tests]

    found = [
        f"{item['instance']}: {text or 'valid'}"
        for text, item in zip(texts, tests, strict=True)
        if not is_as_expected(text, item["valid"], schema)
    ]
    found += differences_of_words(expected, texts, tests, schema)
    found += differences_of_registration(expected, schema)
    if "lint" in expected and not is_linted(schema, expected["lint"]):
        found.append(f"lint does not say {expected['lint']}")
    if "inline" in str(given.get("convert", "")):
        inlined = [text_of(item["instance"], inline(schema)) for item in tests]
        found += [] if inlined == texts else ["inlined, it gives other verdicts"]
    if "apply_defaults" in expected.get("option", ""):
        found += differences_of_defaults(schema, tests[0]["instance"])
    return found


def text_of(instance: Any, schema: Any) -> str:
    try:
        return explain(check(instance, schema))
    except SchemaError as error:
        return f"SchemaError: {error}"


def is_as_expected(text: str, valid: Any, schema: Any) -> bool:
    if valid == "python-accepts":  # Python's engine would; ours is ECMA-262's, which would not
        return not text.startswith("SchemaError")
    if valid == "lint":
        return bool(findings_of(schema))
    if valid == "error":
        return text.startswith("SchemaError")
    return (text == "") == valid


def differences_of_words(
    expected: Mapping[str, Any], texts: list[str], tests: list[Any], schema: Any
) -> list[str]:
    first = texts[0]
    if expected["outcome"] == "execute_or_error":  # our own tools are closed objects
        first = text_of(tests[0]["instance"], {**schema, "additionalProperties": False})
    needed = [(first, expected.get("message_must_mention", []))]
    needed.append((first, expected.get("first_message_must_mention", [])))
    needed.append((texts[-1], expected.get("second_message_must_mention", [])))
    needed.append((first, [expected.get("note_on_branch", "")]))
    found = [
        f"no {word!r} in {text}" for text, words in needed for word in words if word not in text
    ]
    unwanted = expected.get("message_must_not_mention", [])
    return found + [f"{word!r} in {first}" for word in unwanted if word in first]


def differences_of_registration(expected: Mapping[str, Any], schema: Any) -> list[str]:
    if expected["outcome"] != "raise_at_registration":
        return []
    try:
        check_schema(schema)
    except SchemaError as error:
        return [] if error.kind == expected["error_kind"] else [f"kind {error.kind}"]
    return ["registered"]


def differences_of_defaults(schema: Any, instance: Any) -> list[str]:
    before = json.dumps(instance)
    filled = apply_defaults(instance, schema)
    right = json.dumps(instance) == before and instance.items() < filled.items()
    return [] if right else [f"filled {filled}, left {instance}"]


def findings_of(schema: Any) -> list[Any]:
    wrapped = schema
    if schema.get("type") != "object":
        wrapped = {"type": "object", "properties": {"value": schema}, "required": ["value"]}
    return list(
        lint({"name": "get_it", "description": "Get it. Returns it.", "parameters": wrapped})
    )


def is_linted(schema: Any, words: str) -> bool:
    texts = [f"{finding.text} {finding.fix}".lower() for finding in findings_of(schema)]
    wanted = re.findall(r"[a-z]+|\^[.]+\$", words.lower())
    return any(all(word in text for word in wanted) for text in texts)


async def of_conversion(case: Mapping[str, Any], bench: Bench) -> list[str]:
    given, expected = case["input"], case["expected"]
    schema = given["tool"]["function"]["parameters"]
    before = json.dumps(schema)
    if expected["outcome"] == "lint":
        found = [{"path": item.path, "code": item.code} for item in strict_findings(schema)]
        errors = {item.code for item in lint(given["tool"]) if item.severity == "error"}
        wanted = {item["code"] for item in expected["problems"]}
        return [] if found == expected["problems"] and errors >= wanted else [f"found {found}"]
    try:
        converted = convert(schema, given["target"])
    except ConversionError as error:
        return differences_of_refusal(expected, error)
    if expected["outcome"] != "convert":
        return [f"converted to {converted.schema}"]
    unchanged = [] if json.dumps(schema) == before else ["changed what came in"]
    return unchanged + differences_of_schema(expected, converted) + of_decoding(expected, converted)


def differences_of_refusal(expected: Mapping[str, Any], error: ConversionError) -> list[str]:
    told = {"outcome": "raise", "error_kind": error.kind, "path": error.path}
    return [f"{key} {told[key]}" for key in told if expected.get(key, told[key]) != told[key]]


def differences_of_schema(expected: Mapping[str, Any], converted: Any) -> list[str]:
    made = converted.schema
    words = {key for _, part in all_schemas(made) if part not in (True, False) for key in part}
    checks = {
        "open": all(
            at(made, p)["additionalProperties"] is False for p in expected.get("must_close", [])
        ),
        "not required": all(
            sorted(at(made, p)["required"]) == sorted(names)
            for p, names in expected.get("must_require", {}).items()
        ),
        "at the root": not set(expected.get("root_keywords_absent", [])) & set(made),
        "properties": list(made["properties"])
        == expected.get("properties", list(made["properties"])),
        "required": made.get("required", []) == expected.get("required", made.get("required", [])),
        "description": expected.get("description_mentions", "") in json.dumps(made),
        "keywords": not set(expected.get("absent_keywords", [])) & words,
        "widened": all(
            part.items() <= at(made, p).items() for p, part in expected.get("widened", {}).items()
        ),
        "enum": all(
            at(made, p)["enum"] == values for p, values in expected.get("const_to_enum", {}).items()
        ),
        "inlined": all(at(made, p) == part for p, part in expected.get("inlined", {}).items()),
        "parts": all(
            made["properties"][key.removeprefix("parameters_")] == part
            for key, part in expected.items()
            if key.startswith("parameters_")
        ),
    }
    return [f"{words}: {made}" for words, right in checks.items() if not right]


def at(schema: Any, pointer: str) -> Any:
    return schema if pointer == "/" else lookup(f"#{pointer}", schema)


def of_decoding(expected: Mapping[str, Any], converted: Any) -> list[str]:
    pairs = {
        name: [side.strip() for side in rule.split("->")]
        for name, rule in expected.get("decode", {}).items()
    }
    sent = {name: pair[0] for name, pair in pairs.items()}
    meant = {name: json.loads(pair[1]) for name, pair in pairs.items()}
    decoded = converted.decode(sent)
    return [] if decoded == meant else [f"decoded {decoded}"]


async def of_names(case: Mapping[str, Any], bench: Bench) -> list[str]:
    names, expected = case["input"]["names"], case["expected"]
    legal = legal_names(names)

    checks = {
        "illegal": all(re.fullmatch(expected["pattern"], name) for name in legal.values()),
        "twice": len(set(legal.values())) == len(set(names)),
        "no way back": [real_names(legal)[legal[name]] for name in names] == names,
        "changed": all(legal[name] == name for name in expected.get("unchanged", [])),
    }
    return [f"{words}: {legal}" for words, right in checks.items() if not right]


async def of_a_deep_instance(case: Mapping[str, Any], bench: Bench) -> list[str]:
    given = case["input"]
    inner = {key: part for key, part in given["schema"].items() if key not in {"$defs", "$schema"}}
    schema = {
        "type": "object",
        "properties": {"value": inner},
        "$defs": given["schema"].get("$defs", {}),
    }
    deep = Tool(name="deep", description="", input_schema=schema, run=print)
    nested = "[" * given["depth"] + "]" * given["depth"]

    result = await execute(
        ToolCall(id="c1", name="deep", arguments=f'{{"value": {nested}}}'), [deep]
    )

    kind = result.error_kind
    return [] if kind == case["expected"]["error_kind"] else [f"{kind}: {result.text}"]


async def of_a_slow_pattern(case: Mapping[str, Any], bench: Bench) -> list[str]:
    given = case["input"]
    schema = {"type": "string", "pattern": given["pattern"]}
    began = time.process_time()
    check(given["instance"], schema)
    check(given["instance"] * 100, schema)
    took = time.process_time() - began

    codes = [finding.code for finding in findings_of(schema)]
    slow = [f"took {took:.1f} s"] if took > PATTERN_LIMIT_S else []
    return slow + ([] if "pattern_could_run_away" in codes else [f"lint says {codes}"])


async def of_bad_schemas(case: Mapping[str, Any], bench: Bench) -> list[str]:
    given = case["input"]["schemas"]
    listed = list(given.values()) if isinstance(given, Mapping) else given
    schemas = [item.get("schema", item) for item in listed]
    return [f"accepted {schema}" for schema in schemas if not is_refused(schema)]


def is_refused(schema: Any) -> bool:
    found = lint({"name": "get_it", "description": "Get it. Returns it.", "parameters": schema})
    return any(finding.severity == "error" for finding in found)


# --- e: loops and execution -----------------------------------------------------------------------


async def of_a_loop(case: Mapping[str, Any], bench: Bench) -> list[str]:
    given, expected = case["input"], case["expected"]
    noted = Noted(given["tools"], given.get("tool_results"), given.get("tool_behaviour"))
    answers = [bench.write.json(answer) for answer in given["script"]]
    if "rule" in given:
        answers = [lambda request: answer_by_choice(request, given, bench)]

    ended, served = await outcome_of(
        bench.service,
        noted.tools,
        answers,
        **given.get("request", {}),
        **({"limits": Limits(**given["limits"])} if "limits" in given else {}),
    )

    if isinstance(ended, ModelError):
        return [f"raised {ended}"]
    choices = [request.json.get("tool_choice") for request in served.requests]
    results = {result.call_id: result for turn in ended.turns for result in turn.results}
    checks = {
        f"reason {ended.reason}": ended.reason == expected.get("reason", "answered"),
        f"choices {choices}": choices == expected.get("tool_choice_sequence", choices),
        "a broken history": problems(ended.messages) == [],
        f"results {results}": all(
            is_as_wanted(results[name], wanted)
            for name, wanted in expected.get("tool_messages", {}).items()
        ),
    }
    return [words for words, right in checks.items() if not right]


def answer_by_choice(request: Any, given: Mapping[str, Any], bench: Bench) -> Any:
    """`rule`: the model answers with text as soon as it is not forced to call."""
    forced = request.json.get("tool_choice") == "required"
    return bench.write.json(given["script"][0]) if forced else bench.write.text("High at 9.")


def is_as_wanted(result: Any, wanted: Mapping[str, Any]) -> bool:
    return (
        result.is_error == wanted["error"]
        and all(word in result.text for word in wanted.get("must_mention", []))
        and "Traceback" not in result.text
    )


async def of_exceptions(case: Mapping[str, Any], bench: Bench) -> list[str]:
    found = []
    for name, outcome in case["expected"].items():
        if outcome != "tool_error":
            continue  # those that end the cell: see test_executor.py and test_loop.py
        for way in ("plain", "async"):
            made = tool(name="fail")(raising(getattr(builtins, name), way))
            result = await execute(ToolCall(id="c1", name="fail", arguments=""), [made])
            found += [] if result.error_kind == "tool_failed" else [f"{name} {way}: {result}"]
    return found


def raising(kind: type[BaseException], way: str) -> Any:
    def plain() -> None:
        raise kind

    async def later() -> None:
        raise kind

    return plain if way == "plain" else later


#: The values that cases write down as Python. No text is evaluated here.
VALUES = {
    "'\\n'.join(f'row {i}: 潮' for i in range(20000)) + '\\nTOTAL 42'": (
        "\n".join(f"row {i}: 潮" for i in range(20000)) + "\nTOTAL 42"
    ),
    "json.dumps([{'e': '👩‍🔬'*50} for _ in range(200)], ensure_ascii=False)": json.dumps(
        [{"e": "👩‍🔬" * 50} for _ in range(200)], ensure_ascii=False
    ),
}


async def of_a_result(case: Mapping[str, Any], bench: Bench) -> list[str]:
    given, expected = case["input"], case["expected"]
    if "make" in given and given["make"] not in VALUES:
        raise NotApplicableError("the value is written as Python, which no test evaluates")
    value = VALUES[given["make"]] if "make" in given else given["value"]
    limit = {"max_chars": given["limit_chars"]} if "limit_chars" in given else {}

    text = result_text(value, **limit)

    contained = [*expected.get("must_contain", []), expected.get("text_contains", "")]
    checks = {
        f"{len(text)} characters": len(text) <= expected.get("max_chars", len(text)),
        f"contains not: {text[:200]}": all(words in text for words in contained),
        f"contains: {text[:200]}": expected.get("text_not_contains", "\0") not in text,
        "cannot be sent": text.encode("utf-8", "replace").decode() == text,
    }
    return [words for words, right in checks.items() if not right]


async def of_timing(case: Mapping[str, Any], bench: Bench) -> list[str]:
    seconds = case["input"]["each_sleeps"]
    gaps: list[float] = []

    async def heart() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.02)
            gaps.append(time.monotonic() - began)

    def sleep() -> None:
        time.sleep(seconds)

    calls = [ToolCall(id=str(n), name="sleep", arguments="") for n in range(3)]
    beating = asyncio.create_task(heart())
    began = time.monotonic()
    await execute_all(calls, [sleep])
    took = time.monotonic() - began
    beating.cancel()

    slow = [] if took < case["expected"]["total_less_than"] else [f"took {took:.2f} s"]
    return slow + ([] if max(gaps) < 0.25 else [f"the loop stood still for {max(gaps):.2f} s"])


#: A program in which a tool hangs, is left behind, and the interpreter is to end all the same.
HANGING = """
import asyncio, time
from course_pkg import ToolCall, execute, tool
def hang():
    time.sleep(60)
async def main():
    return await execute(ToolCall(id="c", name="hang", arguments=""), [hang], timeout_s=0.05)
asyncio.run(main())
print(time.time())
"""


async def of_an_exit(case: Mapping[str, Any], bench: Bench) -> list[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HANGING, stdout=asyncio.subprocess.PIPE
    )
    told, _ = await process.communicate()
    took = time.time() - float(told)
    return [] if took < case["expected"]["seconds"] else [f"took {took:.1f} s to end"]


async def of_a_retry(case: Mapping[str, Any], bench: Bench) -> list[str]:
    """A tool that acts, and fails as if only its answer had been lost."""
    given, expected = case["input"]["tool"], case["expected"]
    runs = []

    def act() -> str:
        runs.append(1)
        if len(runs) == 1:
            raise TemporaryToolError(given["first"])
        return str(given["second"])

    made = tool(name=given["name"], side_effect=not given["idempotent"], retry=Retry())(act)
    call = ToolCall(id="c1", name=given["name"], arguments="{}")
    result = await execute(call, [made], clock=FastClock())

    checks = {
        f"ran {len(runs)} times": len(runs) == expected.get("executions", len(runs)),
        f"result {result}": result.is_error == (expected["outcome"] == "tool_error"),
    }
    return [words for words, right in checks.items() if not right]


# --- f: MCP ---------------------------------------------------------------------------------------

#: A server that does what a script says.
SCRIPTED = Path(__file__).parent / "mcp_servers" / "scripted.py"
ERAS = ("legacy", "modern")

#: A call of a server that hangs must not hold the tests up.
MCP_LIMIT_S = 5.0


def scripted(**script: Any) -> Connection:
    era = script.pop("era", "auto")
    command = [sys.executable, str(SCRIPTED), json.dumps(script)]
    return Connection(command, era=era, call_timeout_s=MCP_LIMIT_S)


def only_known(given: Mapping[str, Any], *known: str) -> None:
    if unknown := set(given) - {"type", *known}:
        raise NotApplicableError(f"nobody knows what {', '.join(sorted(unknown))} may mean")


async def of_a_noisy_server(case: Mapping[str, Any], bench: Bench) -> list[str]:
    given = case["input"]
    only_known(given, "junk_before", "junk_between", "encoding", "stderr")
    script = {key: value for key, value in given.items() if key != "type"}
    async with scripted(**script) as connection:
        outcome = await connection.call("t1", {"n": 1})

    told = squeezed(" ".join(connection.warnings))
    junk = [*given.get("junk_before", []), *given.get("junk_between", [])]
    unnamed = [line for line in junk if is_junk(line) and squeezed(repr(line)[1:80]) not in told]
    works = outcome.text == '{"n": 1}' and not outcome.is_error
    return [f"unnamed {line!r}" for line in unnamed] + ([] if works else [f"{outcome}"])


def squeezed(text: str) -> str:
    return re.sub(r"\s|['\"]$", "", text)


def is_junk(line: str) -> bool:
    return bool(line.strip()) and '"jsonrpc"' not in line


async def of_an_mcp_result(case: Mapping[str, Any], bench: Bench) -> list[str]:
    given = case["input"]
    only_known(given, "result", "output_schema", "error")
    schema = {"outputSchema": given["output_schema"]} if "output_schema" in given else {}
    listed = {"name": "t1", "inputSchema": {"type": "object"}, **schema}
    deed = {key: given[key] for key in ("result", "error") if key in given}
    found = []
    for era in ERAS:
        async with scripted(tools=[listed], calls={"t1": deed}, era=era) as connection:
            outcome = await connection.call("t1")
            call = ToolCall(id="c1", name="t1", arguments="{}")
            result = await execute(call, connection.tools)
        found += differences_of_outcome(case["expected"], outcome)
        if (result.text, result.is_error) != (outcome.text, outcome.is_error):
            found.append(f"the model reads {result}")
    return found


def differences_of_outcome(expected: Mapping[str, Any], outcome: CallOutcome) -> list[str]:
    words = [*expected.get("contains", []), *expected.get("text_contains", [])]
    unwanted = [*expected.get("not_contains", []), *expected.get("text_not_contains", [])]
    checks = {
        "an error or none": outcome.is_error == (expected["outcome"] == "tool_error"),
        "words": all(word in outcome.text for word in words),
        "unwanted words": not any(word in outcome.text for word in unwanted),
        "no text": outcome.text.strip() != "",
        "the same twice": all(outcome.text.count(word) == 1 for word in expected.get("once", [])),
        "length": len(outcome.text) <= expected.get("max_chars", len(outcome.text)),
    }
    return [f"{words}: {outcome}" for words, right in checks.items() if not right]


async def of_pages(case: Mapping[str, Any], bench: Bench) -> list[str]:
    given, expected = case["input"], case["expected"]
    only_known(given, "pages", "repeat_last")
    script = {key: given[key] for key in ("pages", "repeat_last") if key in given}
    found = []
    for era in ERAS:
        with Recorder() as recorder:
            async with scripted(**script, era=era) as connection:
                names = [tool.name for tool in connection.tools]
        asked = sum(frame.label == "tools/list" for frame in recorder.frames)
        told = " ".join(connection.warnings)
        checks = {
            f"names {names}": names == expected["names"],
            f"warnings {told}": expected.get("warning", "") in told,
            f"{asked} requests": asked <= expected.get("requests_at_most", asked),
        }
        found += [words for words, right in checks.items() if not right]
    return found


async def of_a_changed_list(case: Mapping[str, Any], bench: Bench) -> list[str]:
    """The model is offered the new tools in the first request after the change."""
    given = case["input"]
    only_known(given, "before", "after")
    found = []
    for era in ERAS:
        calls = {"change": {"tools": given["after"]}}
        server = scripted(tools=given["before"], calls=calls, era=era)
        served = bench.service(bench.write.text("Done."))
        async with Connections({"s": server}) as servers, ModelClient(served.settings) as client:
            box = servers.toolbox()
            before = [servers.origin(name)[1] for name in box]
            await server.call("change")
            await run("Tides?", box, client)
            sent = [item["function"]["name"] for item in served.requests[0].json.get("tools", [])]
            names = [servers.origin(name)[1] for name in sent]
        if (before, names) != (given["before"], case["expected"]["names"]):
            found.append(f"{era}: {before}, then {names}")
    return found


async def of_statuses(case: Mapping[str, Any], bench: Bench) -> list[str]:
    """Each call of a server with sessions takes the next status. What comes after them is good."""
    given, expected = case["input"], case["expected"]
    only_known(given, "status_sequence")
    served = bench.service(bench.write.mcp_sessions([*given["status_sequence"], 200]))
    url = f"http://127.0.0.1:{served.port}/mcp"
    async with Connection(url, era="legacy", call_timeout_s=MCP_LIMIT_S) as connection:
        call = ToolCall(id="c1", name="t1", arguments="{}")
        results = [await execute(call, connection.tools) for _ in given["status_sequence"]]

    told = " ".join([results[-1].text, *connection.warnings])
    failed = results[-1].is_error
    right = {"works": not failed, "tool_error": failed}.get(expected["outcome"], True)
    unsaid = [word for word in expected.get("text_mentions", []) if word not in told]
    return ([] if right else [f"{results[-1]}"]) + [f"no {word!r} in {told}" for word in unsaid]


async def of_a_life(case: Mapping[str, Any], bench: Bench) -> list[str]:
    """Each step is done in a task of its own, as in a cell of its own."""
    servers: dict[str, Connection] = {}
    for step in case["input"]["scenario"]:
        await asyncio.create_task(one_step(step, servers))
    left = [name for name, connection in servers.items() if connection.is_open]
    for connection in servers.values():
        await connection.close()
    return [f"{name} is left open" for name in left if f"close {name}" in case["input"]["scenario"]]


async def one_step(step: str, servers: dict[str, Connection]) -> None:
    if limited := re.match(r"asyncio\.(?:wait_for|timeout)\(.*?connect.*?(\d+)\)", step):
        servers["group"] = scripted()
        await asyncio.wait_for(servers["group"].open(), int(limited[1]))
        return
    words = re.match(r"(open|call|close|reopen|leave)\b(?: the)? (\w+)$", step)
    if words is None:
        raise NotApplicableError(f"nobody knows how to {step!r}")
    deed, name = words.groups()
    connection = servers.setdefault(name, scripted())
    deeds = {"open": connection.open, "reopen": connection.reopen, "call": connection.refresh}
    await deeds.get(deed, connection.close)()


async def of_a_server_program(case: Mapping[str, Any], bench: Bench) -> list[str]:
    """What the SDK's server drops, no client can know. The case's rule is checked in its place."""
    given, expected = case["input"], case["expected"]
    with tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8", delete=False) as file:
        file.write(given["source"])
    try:
        async with Connection([sys.executable, file.name]) as connection:
            outcome = await connection.call(given["call"]["name"], given["call"]["arguments"])
    finally:
        os.unlink(file.name)  # noqa: PTH108 - a path would be a blocking call in async code
    found = differences_of_outcome(expected, outcome)
    words = expected.get("text_contains", [])
    is_dropped = outcome.is_error and not any(word in outcome.text for word in words)
    if found and is_dropped and all(word in given["source"] for word in words):
        assert await untold_by_our_server(words) == []
        raise NotApplicableError(
            "the SDK's server drops the text of an exception before it is sent; what is raised as "
            "ToolError, as the rule says, our own server passes on: that is checked"
        )
    return found


async def untold_by_our_server(words: list[str]) -> list[str]:
    def find() -> None:
        raise ToolError(" ".join(words))

    async with Connection(high_level(Toolbox([find]), name="t")) as connection:
        outcome = await connection.call("find")
    return [word for word in words if not outcome.is_error or word not in outcome.text]


# --- the table ------------------------------------------------------------------------------------

RUNNERS: Mapping[tuple[str, str], Any] = {
    ("a", "http"): of_an_answer,
    ("a", "response"): of_an_answer,
    ("a", "sse"): of_an_answer,
    ("a", "text"): of_a_text,
    ("b", "conversation"): of_a_conversation,
    ("c", "convert"): of_conversion,
    ("c", "deep_instance"): of_a_deep_instance,
    ("c", "names"): of_names,
    ("c", "redos"): of_a_slow_pattern,
    ("c", "schemas_bad"): of_bad_schemas,
    ("c", "validate"): of_validation,
    ("d", "http"): of_an_answer,
    ("d", "http_sequence"): of_answers,
    ("d", "mapping"): of_a_mapping,
    ("d", "response"): of_an_answer,
    ("d", "sse"): of_an_answer,
    ("e", "exit_timing"): of_an_exit,
    ("e", "loop"): of_a_loop,
    ("e", "retry"): of_a_retry,
    ("e", "timing"): of_timing,
    ("e", "tool_raises"): of_exceptions,
    ("e", "tool_result_size"): of_a_result,
    ("e", "tool_result_text"): of_a_result,
    ("f", "mcp_http"): of_statuses,
    ("f", "mcp_lifecycle"): of_a_life,
    ("f", "mcp_list_changed"): of_a_changed_list,
    ("f", "mcp_pages"): of_pages,
    ("f", "mcp_result"): of_an_mcp_result,
    ("f", "mcp_server_source"): of_a_server_program,
    ("f", "mcp_stdio"): of_a_noisy_server,
}


async def test_c_29_a_misspelt_name_is_told_by_a_tool_of_our_own(case: Any) -> None:
    @tool
    def remove(paths: list[str]) -> str:
        return "removed"

    call = ToolCall(id="c1", name="remove", arguments='{"path": "x"}')
    result = await execute(call, [remove])

    assert all(
        word in result.text
        for word in case("c-29-unknown-keys-accepted")["expected"]["message_must_mention"]
    )


@pytest.mark.skipif("CASES_DIR" in os.environ, reason="another folder has other names")
def test_the_list_of_cases_for_later_names_only_cases_that_exist() -> None:
    assert set(NOT_YET) <= {case["id"] for case in ALL}
