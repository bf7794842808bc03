"""Prompts: requests that a user picks in the host program, written out by the server.

In: functions that return the text of a request. Out: how a client lists them, and the message that
one of them writes. A prompt's parameters are described like a tool's: by its signature and its
docstring. Their values are texts, since a client has no other kind here.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from mcp import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    GetPromptResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from course_pkg.executor import result_text
from course_pkg.executor.threads import in_thread
from course_pkg.mcp_server.logs import log
from course_pkg.schema import check, explain
from course_pkg.tools import Tool, Toolbox, ToolError


def listed(prompt: Tool) -> Prompt:
    """What `prompts/list` says about one prompt.

    Args:
        prompt: the function, made into a `Tool` for its name, description and parameters.
    """
    parameters: Mapping[str, Any] = prompt.input_schema.get("properties", {})
    required = prompt.input_schema.get("required", [])
    return Prompt(
        name=prompt.name,
        description=prompt.description,
        arguments=[
            PromptArgument(
                name=name, description=part.get("description"), required=name in required
            )
            for name, part in parameters.items()
        ],
    )


async def written(
    name: str, arguments: Mapping[str, Any] | None, prompts: Toolbox
) -> GetPromptResult:
    """The answer to `prompts/get`: one message of the user.

    Args:
        name: the prompt's name.
        arguments: its arguments; `None` is none.
        prompts: what is on offer.

    Raises:
        MCPError: -32602 if there is no such prompt or the arguments do not fit, -32603 if its
            function failed; why stays in the server's log.
    """
    prompt = prompts.get(name)
    if prompt is None:
        on_offer = ", ".join(prompts) or "none"
        raise MCPError(
            INVALID_PARAMS, f"There is no prompt named {name!r}. Prompts on offer: {on_offer}."
        )
    given = dict(arguments or {})
    problems = check(given, prompt.input_schema)
    if problems:
        raise MCPError(INVALID_PARAMS, f"The arguments do not fit {name}:\n{explain(problems)}")
    text = result_text(await _text(prompt, given))
    return GetPromptResult(
        description=prompt.description,
        messages=[PromptMessage(role="user", content=TextContent(text=text))],
    )


async def _text(prompt: Tool, arguments: Mapping[str, Any]) -> Any:
    try:
        text = await in_thread(lambda: prompt.run(**arguments), name=f"prompt {prompt.name}")
        return await text if inspect.isawaitable(text) else text
    except ToolError as error:
        raise MCPError(INVALID_PARAMS, str(error)) from error
    except Exception as error:
        log.exception("The prompt %s failed.", prompt.name)
        raise MCPError(
            INTERNAL_ERROR, f"The prompt {prompt.name} failed inside the server."
        ) from error
