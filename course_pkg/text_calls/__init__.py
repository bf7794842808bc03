"""Read tool calls out of what a model wrote, and describe tools to it in words.

In: a reply that is nothing but text. Out: a `ParsedText`: the words that are left, and the calls.
This is what an inference server's tool-call parser does. Knows nothing of clients or executors.

Three formats are read: `hermes` (`<tool_call>{json}</tool_call>`, also Qwen's), `qwen3_coder`
(`<function=…><parameter=…>`) and `use_mcp_tool`. A fourth, `bare_json`, only when it is asked for:
a reply that is one JSON call and nothing else.

The safe line: thinking is taken away first. A call in a code fence, in backticks or in quotes, or
in the middle of a line of prose, is talk about a call. What begins as a call and cannot be read is
still a call: the model is told of it, and nothing runs.

`parsing.py` finds calls, `hermes.py`, `qwen3_coder.py`, `use_mcp_tool.py` and `bare_json.py` read
them, `prompts.py` describes tools, `messages.py` makes Chat Completions messages.
"""

from course_pkg.text_calls.messages import as_message, looks_like_call
from course_pkg.text_calls.parsed import FORMATS, Format, ParsedText, TextCall
from course_pkg.text_calls.parsing import parse_text
from course_pkg.text_calls.prompts import call_in_words, result_in_words, tools_prompt

__all__ = [
    "FORMATS",
    "Format",
    "ParsedText",
    "TextCall",
    "as_message",
    "call_in_words",
    "looks_like_call",
    "parse_text",
    "result_in_words",
    "tools_prompt",
]
