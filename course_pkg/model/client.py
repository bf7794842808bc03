"""Ask a model over the Chat Completions interface.

In: messages and tool definitions. Out: a `Reply`. It rides on the `openai` client for connections,
and sends the payload as it is: what the inspector shows is what was built here. Tries again, and
time limits, are its own. Knows nothing of recording; whatever watches is laid over the HTTP client.
"""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from urllib.parse import urlsplit

from course_pkg.model.errors import (
    ModelError,
    Service,
    bad_response,
    from_connection,
    from_status,
    stream_error,
    too_slow,
)
from course_pkg.model.noticing import notes_on
from course_pkg.model.optional_fields import DroppedFields, refused_field
from course_pkg.model.reply import Reply, reply_from
from course_pkg.model.retrying import MAX_RETRIES, Clock, RealClock, with_retries
from course_pkg.model.settings import Settings, settings
from course_pkg.model.stream import Accumulator
from course_pkg.tools import RunTool, Tool, Toolbox, as_tool

if TYPE_CHECKING:
    import httpx2
    import openai
    from openai._types import RequestOptions

Offer: TypeAlias = Toolbox | Iterable[Tool | RunTool | Mapping[str, Any]]
ToolChoice: TypeAlias = str | Mapping[str, Any]

#: A model may think for long, but not for ever.
MODEL_TIMEOUT_S = 120.0

#: A host that does not even take the connection by then is not there.
CONNECT_TIMEOUT_S = 10.0

PATH = "/chat/completions"

#: By this a service can tell a request that was sent before.
RETRY_COUNT_HEADER = "x-stainless-retry-count"

#: What the `openai` client would tell of the learner's machine with each request.
TELLTALE_HEADERS = (
    "X-Stainless-Lang",
    "X-Stainless-Package-Version",
    "X-Stainless-OS",
    "X-Stainless-Arch",
    "X-Stainless-Runtime",
    "X-Stainless-Runtime-Version",
    "X-Stainless-Async",
)

#: How a stream of events begins, whatever its label says.
EVENT_BEGINNINGS = (b"data:", b"event:", b"id:", b"retry:", b":")


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
        clock: Clock | None = None,
    ) -> None:
        """Make a client; nothing is sent yet.

        Args:
            chosen: which model to ask; read from the environment if left out.
            model: another model name at the same service.
            http_client: an HTTP client of your own (a recorder's, say).
            timeout_s: how long one answer may take from the request to its last byte, in seconds.
                Each try has as long.
            max_retries: tries after the first, for a full or failing service or a lost connection.
            clock: what waits between the tries; a fast one for tests and lessons.

        Raises:
            SettingsError: if the environment's settings are missing or wrong.
        """
        self.settings = settings() if chosen is None else chosen
        self.model = model or self.settings.model
        host = urlsplit(self.settings.base_url).hostname
        where = f"The model {self.model!r} at {host}"
        self._service = Service(where=where, key=self.settings.api_key)
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._clock = clock or RealClock()
        self._dropped = DroppedFields()
        self._sdk = _sdk(self.settings, http_client, timeout_s)
        # A whole address: the `openai` client would join its parts anew at each request.
        self._url = self.settings.base_url.rstrip("/") + PATH

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
        wished = self.request(messages, tools, tool_choice=tool_choice, stream=stream, **options)
        body, dropped = self._dropped.without(wished)
        reached = await self._sent(body)
        while isinstance(reached, ModelError) and (name := refused_field(reached, body)):
            self._dropped.add(name, body[name])
            before, (body, dropped) = body, self._dropped.without(wished)
            if body == before:
                break
            reached = await self._sent(body)
        if isinstance(reached, ModelError):
            # Raised out here and from nothing, so that no traceback quotes the request's headers.
            raise reached from None
        notes = (*dropped, *reached.notes, *notes_on(reached, wished))
        return replace(reached, notes=notes) if notes else reached

    def request(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Offer = (),
        *,
        tool_choice: ToolChoice | None = None,
        stream: bool = False,
        **options: Any,
    ) -> dict[str, Any]:
        """The request's payload, as `ask` with the same arguments sends it.

        `ask` leaves out an optional field that the service has refused to this client before.
        """
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

    def _sent(self, body: Mapping[str, Any]) -> Awaitable[Reply | ModelError]:
        once = functools.partial(self._once, body)
        return with_retries(once, max_retries=self._max_retries, clock=self._clock)

    async def _once(self, body: Mapping[str, Any], tries: int) -> Reply | ModelError:
        """One request and its reply, or what went wrong. A caller's own mistake is raised."""
        import httpx2
        import openai

        accumulator = Accumulator()
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._answer(body, accumulator, tries)
        except ModelError as error:
            failure = error
        except openai.APIStatusError as error:
            failure = from_status(error, self._service)
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            failure = from_connection(error, self._service)
        except openai.APIError as error:
            failure = stream_error(error.message, self._service)
        except TimeoutError:
            failure = too_slow(self._timeout_s, self._service)
        if accumulator.chunks:  # the model has begun, and perhaps somebody has seen it
            failure.temporary = False
        return failure

    async def _answer(self, body: Mapping[str, Any], accumulator: Accumulator, tries: int) -> Reply:
        # The `openai` client counts its own tries in this header; these are ours.
        options: RequestOptions = {"headers": {RETRY_COUNT_HEADER: str(tries)}} if tries else {}
        if body.get("stream"):
            return await self._streamed(body, accumulator, options)
        import httpx2

        response = await self._sdk.post(
            self._url, body=body, cast_to=httpx2.Response, options=options
        )
        return reply_from(_parsed(response.content, self._service), self._service)

    async def _streamed(
        self, body: Mapping[str, Any], accumulator: Accumulator, options: RequestOptions
    ) -> Reply:
        import openai

        stream = await self._sdk.post(
            self._url,
            body=body,
            cast_to=object,
            options=options,
            stream=True,
            stream_cls=openai.AsyncStream[object],
        )
        try:
            kind = stream.response.headers.get("content-type", "")
            if "event-stream" not in kind.lower():
                content = await stream.response.aread()
                if not content.lstrip().startswith(EVENT_BEGINNINGS):
                    reply = reply_from(_parsed(content, self._service), self._service)
                    return replace(reply, notes=("not_streamed",))
            async for chunk in stream:
                if isinstance(chunk, Mapping):
                    accumulator.add(chunk)
        except (ValueError, UnicodeError) as error:  # an event that is no JSON
            raise stream_error(f"{type(error).__name__}: {error}", self._service) from None
        finally:
            await stream.close()
        if not accumulator.chunks:
            raise bad_response("its stream holds no event", self._service, "")
        return reply_from(accumulator.payload(), self._service, streamed=True)


def _sdk(
    chosen: Settings, http_client: httpx2.AsyncClient | None, timeout_s: float
) -> openai.AsyncOpenAI:
    import httpx2
    import openai

    return openai.AsyncOpenAI(
        api_key=chosen.api_key,
        base_url=chosen.base_url,
        http_client=http_client,
        # The answer as a whole has its limit in `_once`; a timer for each read would only cost.
        timeout=httpx2.Timeout(None, connect=min(timeout_s, CONNECT_TIMEOUT_S)),
        max_retries=0,  # the tries are counted and waited for here
        default_headers=cast(Any, dict.fromkeys(TELLTALE_HEADERS, openai.Omit())),
    )


def _definitions(tools: Offer) -> Sequence[Mapping[str, Any]]:
    if isinstance(tools, Toolbox):
        return tools.definitions()
    return [item if isinstance(item, Mapping) else as_tool(item).definition() for item in tools]


def _parsed(content: bytes, service: Service) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        text = content.decode("utf-8", errors="replace")
        kind = "with an HTML page" if text.lstrip()[:1] == "<" else "not with JSON"
        raise bad_response(kind, service, text) from None
