"""Ask a model over the Chat Completions interface.

In: messages and tool definitions. Out: a `Reply`. It rides on the `openai` client for connections,
retries and time limits, and sends the payload as it is: what the inspector shows is what was built
here. Knows nothing of recording; whatever watches is laid over the HTTP client.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

from course_pkg.model.errors import (
    Service,
    bad_response,
    from_connection,
    from_status,
    stream_error,
)
from course_pkg.model.reply import Reply, reply_from
from course_pkg.model.settings import Settings, settings
from course_pkg.model.stream import Accumulator
from course_pkg.tools import RunTool, Tool, Toolbox, as_tool

if TYPE_CHECKING:
    import httpx2
    import openai

Offer: TypeAlias = Toolbox | Iterable[Tool | RunTool | Mapping[str, Any]]
ToolChoice: TypeAlias = str | Mapping[str, Any]

#: A model may think for long, but not for ever.
MODEL_TIMEOUT_S = 120.0

#: Tries after the first, for a full or failing service or a lost connection.
MAX_RETRIES = 2

PATH = "/chat/completions"


class ModelClient:
    """Asks one model. Close it with `await client.close()`, or use it in `async with`.

    One client serves many conversations at the same time. It belongs to one event loop.
    """

    def __init__(
        self,
        chosen: Settings | None = None,
        *,
        model: str = "",
        http_client: httpx2.AsyncClient | None = None,
        timeout_s: float = MODEL_TIMEOUT_S,
        max_retries: int = MAX_RETRIES,
    ) -> None:
        """Make a client; nothing is sent yet.

        Args:
            chosen: which model to ask; read from the environment if left out.
            model: another model name at the same service.
            http_client: an HTTP client of your own (a recorder's, say).
            timeout_s: how long one answer may take, in seconds.
            max_retries: tries after the first.

        Raises:
            SettingsError: if the environment's settings are missing or wrong.
        """
        self.settings = settings() if chosen is None else chosen
        self.model = model or self.settings.model
        host = urlsplit(self.settings.base_url).hostname
        where = f"The model {self.model!r} at {host}"
        self._service = Service(where=where, key=self.settings.api_key)
        self._sdk = _sdk(self.settings, http_client, timeout_s, max_retries)

    def __repr__(self) -> str:
        """Which model is asked; never the key."""
        return f"ModelClient({self.settings.kind}, model={self.model!r})"

    async def __aenter__(self) -> ModelClient:
        """The client itself."""
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Close the connections."""
        await self.close()

    async def close(self) -> None:
        """Close the connections. The client cannot be used afterwards."""
        await self._sdk.close()

    async def ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Offer = (),
        *,
        tool_choice: ToolChoice | None = None,
        stream: bool = False,
        **options: Any,
    ) -> Reply:
        """Send the whole conversation, and wait for the reply.

        Args:
            messages: the conversation. It is sent as it is and not changed.
            tools: what the model may call: a toolbox, tools, functions, or definitions.
            tool_choice: `auto`, `none`, `required`, or one function; left out without tools.
            stream: let the answer come in pieces. The reply is the same.
            options: more fields of the request, for example `max_completion_tokens=200`.

        Raises:
            ModelError: if the service fails, refuses, or answers with something that is no reply.
        """
        body = self.request(messages, tools, tool_choice=tool_choice, stream=stream, **options)
        import openai

        try:
            return await (self._streamed(body) if stream else self._plain(body))
        except openai.APIStatusError as error:
            failure = from_status(error, self._service)
        except openai.APIConnectionError as error:
            failure = from_connection(error, self._service)
        except openai.APIError as error:
            failure = stream_error(error.message, self._service)
        # Raised out here and from nothing, so that no traceback quotes the request's headers.
        raise failure from None

    def request(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Offer = (),
        *,
        tool_choice: ToolChoice | None = None,
        stream: bool = False,
        **options: Any,
    ) -> dict[str, Any]:
        """The request's payload, as `ask` with the same arguments sends it."""
        definitions = _definitions(tools)
        body: dict[str, Any] = {"model": self.model, "messages": list(messages)}
        if definitions:
            body["tools"] = definitions
            if tool_choice is not None:
                body["tool_choice"] = tool_choice
        else:
            # A service refuses it without tools, as it does a tool_choice.
            options.pop("parallel_tool_calls", None)
        if stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body | options

    async def _plain(self, body: Mapping[str, Any]) -> Reply:
        import httpx2

        response = await self._sdk.post(PATH, body=body, cast_to=httpx2.Response)
        return reply_from(_parsed(response.content, self._service), self._service)

    async def _streamed(self, body: Mapping[str, Any]) -> Reply:
        import openai

        accumulator = Accumulator()
        stream = await self._sdk.post(
            PATH, body=body, cast_to=object, stream=True, stream_cls=openai.AsyncStream[object]
        )
        try:
            async for chunk in stream:
                if isinstance(chunk, Mapping):
                    accumulator.add(chunk)
        except (ValueError, UnicodeError) as error:  # an event that is no JSON
            raise stream_error(f"{type(error).__name__}: {error}", self._service) from None
        finally:
            await stream.close()
        if not accumulator.chunks:
            kind = stream.response.headers.get("content-type", "nothing")
            what = f"with {kind} in place of a stream of events"
            raise bad_response(what, self._service, "(not kept)")
        return reply_from(accumulator.payload(), self._service, streamed=True)


def _sdk(
    chosen: Settings, http_client: httpx2.AsyncClient | None, timeout_s: float, max_retries: int
) -> openai.AsyncOpenAI:
    import openai

    return openai.AsyncOpenAI(
        api_key=chosen.api_key,
        base_url=chosen.base_url,
        http_client=http_client,
        timeout=timeout_s,
        max_retries=max_retries,
    )


def _definitions(tools: Offer) -> list[Mapping[str, Any]]:
    offered = tools.values() if isinstance(tools, Toolbox) else tools
    return [item if isinstance(item, Mapping) else as_tool(item).definition() for item in offered]


def _parsed(content: bytes, service: Service) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        text = content.decode("utf-8", errors="replace")
        kind = "with an HTML page" if text.lstrip()[:1] == "<" else "not with JSON"
        raise bad_response(kind, service, text) from None
