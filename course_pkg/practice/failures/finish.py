"""Failures of the finish reason: calls that say they are none, and output that was cut off.

In: nothing. Out: `ROWS`.
"""

from __future__ import annotations

from typing import Any

from course_pkg.practice.failures.spoiling import both, finishing, on_choice, on_message, on_text
from course_pkg.practice.fault import Fault

_REFUSAL = "I cannot help with this."


def _text_cut(choice: dict[str, Any]) -> dict[str, Any]:
    message = choice["message"]
    content = message.get("content")
    if message.get("tool_calls") or not content:
        return choice
    cut = message | {"content": content[: len(content) // 2]}
    return choice | {"message": cut, "finish_reason": "length"}


def _held_back(choice: dict[str, Any]) -> dict[str, Any]:
    said = {"role": "assistant", "content": None, "refusal": None}
    return choice | {"message": said, "finish_reason": "content_filter"}


ROWS = (
    Fault(
        name="finish_stop",
        title="Calls, but the reason says stop",
        says="Calls come with the finish reason stop; who looks at the reason only, misses them.",
        group="finish",
        case="a-37",
        needs="call",
        spoil=finishing("stop"),
    ),
    Fault(
        name="finish_foreign",
        title="A reason from elsewhere",
        says="The finish reason is function_calls, a word that this interface does not have.",
        group="finish",
        case="a-38",
        needs="call",
        spoil=finishing("function_calls"),
    ),
    Fault(
        name="finish_null",
        title="No reason",
        says="The reply is whole, and its finish reason is null.",
        group="finish",
        case="a-38",
        needs="call",
        spoil=finishing(None),
    ),
    Fault(
        name="cut_off",
        title="Cut off in the arguments",
        says="The output ends in the middle of the arguments, at the limit of tokens.",
        group="finish",
        case="a-39",
        needs="call",
        spoil=both(on_text(lambda text: text[: len(text) * 2 // 3]), finishing("length")),
    ),
    Fault(
        name="cut_off_before_arguments",
        title="Cut off before the arguments",
        says="The output ends after the name of the tool, at the limit of tokens.",
        group="finish",
        case="a-39",
        needs="call",
        spoil=both(on_text(lambda _text: ""), finishing("length")),
    ),
    Fault(
        name="cut_off_between_calls",
        title="Cut off, and the arguments look whole",
        says="The arguments can be read, but the output was cut off: more was to come.",
        group="finish",
        case="a-39",
        needs="call",
        spoil=finishing("length"),
    ),
    Fault(
        name="answer_cut_off",
        title="The answer is cut off",
        says="The last answer ends in the middle of a word, at the limit of tokens.",
        group="finish",
        case="a-39",
        when="always",
        spoil=on_choice(_text_cut),
    ),
    Fault(
        name="held_back",
        title="Held back by a filter",
        says="The service's filter held the answer back: no text, and a reason of its own.",
        group="finish",
        case="a-38",
        when="always",
        spoil=on_choice(_held_back),
    ),
    Fault(
        name="declined",
        title="The model declines",
        says="The model does not want to; its words are in the field refusal, the text is null.",
        group="finish",
        case="a-38",
        when="always",
        spoil=on_message(
            lambda _message: {"role": "assistant", "content": None, "refusal": _REFUSAL}
        ),
    ),
)
