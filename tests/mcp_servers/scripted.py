"""An MCP server that does what a script says, over stdio, by hand: no SDK, nothing but Python.

    python scripted.py '{"tools": ["t1"], "calls": {"t1": {"result": {...}}}}'

The script is JSON. What it may say:

    eras: ["legacy", "modern"]     which protocols are spoken; both if left out
    start: "die" | "hang" | "deaf" end at once; never answer; never answer nor end when asked to
    stderr: "text"                 what is written to stderr at the start
    junk_before, junk_between      lines printed before the first answer, before each call's answer
    encoding: "gbk"                how the output is written; UTF-8 if left out
    tools: ["t1", {...}]           names, or whole definitions
    pages: [{"tools", "nextCursor"}], repeat_last     the answers to tools/list, one after the other
    calls: {"t1": {...}}           what a call does; by default it gives back its arguments
        result: {...}              answer with this result
        error: {...}               answer with this JSON-RPC error
        do: "crash" | "hang"       end in the middle; never answer
        chars: 20000000            answer with so long a text
        tools: [...]               from now on these are the tools, and the client is told
        environment: "NAME"        answer with this variable's value
        pid: true                  answer with the number of this process
        ask: "ping"                first ask the client this, without waiting for its answer
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from typing import Any

MODERN, LEGACY = "2026-07-28", "2025-11-25"
UNKNOWN_METHOD, BAD_PARAMS = -32601, -32602


class Server:
    def __init__(self, script: dict[str, Any]) -> None:
        self.script = script
        self.tools: list[Any] = script.get("tools", ["t1"])
        self.eras = script.get("eras", ["legacy", "modern"])
        self.is_modern = False
        self.listening: Any = None
        self.listed = 0

    def serve(self) -> None:
        sys.stderr.write(self.script.get("stderr", ""))
        sys.stderr.flush()
        self.start(self.script.get("start"))
        for line in self.script.get("junk_before", []):
            self.write(line)
        for line in sys.stdin.buffer:
            self.take(json.loads(line))

    def start(self, how: str | None) -> None:
        if how == "die":
            sys.exit(3)
        if how == "deaf" and hasattr(signal, "SIGTERM"):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if how == "deaf":
            time.sleep(600)
        if how == "hang":
            for _ in sys.stdin:
                """Read to the end, and say nothing."""
            sys.exit()

    def write(self, line: str) -> None:
        sys.stdout.buffer.write(line.encode(self.script.get("encoding", "utf-8")) + b"\n")
        sys.stdout.buffer.flush()

    def send(self, **message: Any) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False)
        # Half a pair of UTF-16 has no bytes in UTF-8; JSON can write it all the same.
        self.write(re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", line))

    def answer(self, number: Any, result: dict[str, Any]) -> None:
        if self.is_modern:
            result = {"resultType": "complete", **result}
        self.send(id=number, result=result)

    def refuse(self, number: Any, code: int, message: str) -> None:
        self.send(id=number, error={"code": code, "message": message})

    def take(self, message: dict[str, Any]) -> None:
        method, number = message.get("method", ""), message.get("id")
        handler = {
            "initialize": self.initialize,
            "server/discover": self.discover,
            "subscriptions/listen": self.listen,
            "tools/list": self.list,
            "tools/call": self.call,
        }.get(method)
        if number is None or not method:
            return
        if handler is None:
            self.refuse(number, UNKNOWN_METHOD, "Method not found")
        else:
            handler(number, message.get("params") or {})

    def initialize(self, number: Any, params: dict[str, Any]) -> None:
        if "legacy" not in self.eras:
            return self.refuse(number, UNKNOWN_METHOD, "Method not found")
        self.is_modern = False
        told = {"protocolVersion": LEGACY, "serverInfo": {"name": "scripted", "version": "1"}}
        return self.answer(number, {**told, "capabilities": {"tools": {"listChanged": True}}})

    def discover(self, number: Any, params: dict[str, Any]) -> None:
        if "modern" not in self.eras:
            return self.refuse(number, UNKNOWN_METHOD, "Method not found")
        self.is_modern = True
        told = {"supportedVersions": [MODERN], "ttlMs": 0, "cacheScope": "private"}
        return self.answer(number, {**told, "capabilities": {"tools": {"listChanged": True}}})

    def listen(self, number: Any, params: dict[str, Any]) -> None:
        self.listening = number
        self.tell("subscriptions/acknowledged", notifications=params["notifications"])

    def tell(self, what: str, **params: Any) -> None:
        if self.listening is not None:
            params["_meta"] = {"io.modelcontextprotocol/subscriptionId": self.listening}
        self.send(method=f"notifications/{what}", params=params)

    def list(self, number: Any, params: dict[str, Any]) -> None:
        self.is_modern = "_meta" in params
        pages = self.script.get("pages", [{"tools": self.tools}])
        if self.listed >= len(pages) and not self.script.get("repeat_last"):
            self.listed = 0
        page = dict(pages[min(self.listed, len(pages) - 1)])
        self.listed += 1
        page["tools"] = [definition(tool) for tool in page["tools"]]
        extra = {"ttlMs": 0, "cacheScope": "private"} if self.is_modern else {}
        self.answer(number, {**page, **extra})

    def call(self, number: Any, params: dict[str, Any]) -> None:
        self.is_modern = "_meta" in params
        name, arguments = params["name"], params.get("arguments") or {}
        for line in self.script.get("junk_between", []):
            self.write(line)
        deed = self.script.get("calls", {}).get(name)
        if deed is None and {"name": name} not in map(only_name, self.tools):
            self.refuse(number, BAD_PARAMS, f"Unknown tool: {name}")
        else:
            self.act(number, deed or {}, arguments)

    def act(self, number: Any, deed: dict[str, Any], arguments: dict[str, Any]) -> None:
        if deed.get("do") == "crash":
            sys.stderr.write("Traceback: out of luck\n")
            sys.stderr.flush()
            os._exit(9)
        if deed.get("do") == "hang":
            return
        if "tools" in deed:
            self.tools = deed["tools"]
            self.tell("tools/list_changed")
        if "ask" in deed:
            self.send(id="from-the-server", method=deed["ask"])
        if "error" in deed:
            self.send(id=number, error=deed["error"])
        else:
            self.answer(number, deed.get("result") or result_of(deed, arguments))


def definition(tool: Any) -> Any:
    return {"name": tool, "inputSchema": {"type": "object"}} if isinstance(tool, str) else tool


def only_name(tool: Any) -> Any:
    return {"name": tool["name"] if isinstance(tool, dict) and "name" in tool else tool}


def result_of(deed: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(arguments, ensure_ascii=False)
    if "chars" in deed:
        text = "x" * deed["chars"]
    if "environment" in deed:
        text = os.environ.get(deed["environment"], "")
    if "pid" in deed:
        text = str(os.getpid())
    return {"content": [{"type": "text", "text": text}]}


if __name__ == "__main__":
    Server(json.loads(sys.argv[1])).serve()
