"""The message tool: it writes to an outbox file on this computer, and nothing leaves it.

In: a receiver and a text. Out: a receipt without paths or times, the same for the same outbox.
`outbox` shows what was sent, `clear_outbox` empties it. Knows nothing of mail.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from course_pkg.samples.folder import FOLDER_VARIABLE, course_folder
from course_pkg.tools import ToolError, tool

OUTBOX_NAME = "outbox.jsonl"

MAX_RECEIVER_CHARS = 200
MAX_CONTENT_CHARS = 2_000

# One lock for all outboxes of this process: the number of a message counts those before it.
_writing = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class Outbox:
    """Messages in a file, one JSON object a line, in UTF-8.

    Attributes:
        path: the file. It need not exist yet.
    """

    path: Path

    def append(self, message: Mapping[str, Any]) -> str:
        """Write a message at the end and give back its id. Safe from several threads.

        The id comes from the message and its place in the outbox, so a first message always has
        the same id, and sending it twice gives two ids.

        Raises:
            ToolError: if the file cannot be written.
        """
        with _writing:
            try:
                return self._append(message)
            except OSError as error:
                raise ToolError(
                    f"The outbox cannot be written: {error.strerror or type(error).__name__}. "
                    f"Set {FOLDER_VARIABLE} to a folder that can be written to."
                ) from error

    def _append(self, message: Mapping[str, Any]) -> str:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        message_id = _id_of(message, place=len(self._lines()))
        line = json.dumps({"id": message_id, **message}, ensure_ascii=False)
        with self.path.open("a", encoding="utf-8", newline="\n") as opened:
            opened.write(f"{line}\n")
        return message_id

    def messages(self) -> list[dict[str, Any]]:
        """The messages, oldest first; none where there is no file.

        Raises:
            ValueError: if a line is no JSON, because somebody edited the file, say.
        """
        return [_parsed(line, number) for number, line in enumerate(self._lines(), 1)]

    def clear(self) -> int:
        """Delete the file and say how many messages were in it."""
        with _writing:
            count = len(self._lines())
            self.path.unlink(missing_ok=True)
        return count

    def _lines(self) -> list[str]:
        if not self.path.exists():
            return []
        # Not `splitlines`: a message may hold U+2028, which that would take for a line's end.
        lines = self.path.read_text(encoding="utf-8").split("\n")
        return [line for line in lines if line.strip()]


def _id_of(message: Mapping[str, Any], *, place: int) -> str:
    told = json.dumps([place, message], ensure_ascii=False, sort_keys=True)
    return f"msg_{hashlib.sha256(told.encode('utf-8')).hexdigest()[:12]}"


def _parsed(line: str, number: int) -> dict[str, Any]:
    try:
        message: dict[str, Any] = json.loads(line)
    except ValueError as error:
        raise ValueError(
            f"Line {number} of the outbox is not JSON: {line[:60]!r}. Mend it, or start again with "
            "clear_outbox()."
        ) from error
    return message


def outbox_of(environment: Mapping[str, str]) -> Outbox:
    """The outbox that `send_message` writes to, under these environment variables."""
    return Outbox(path=course_folder(environment) / OUTBOX_NAME)


def outbox() -> list[dict[str, Any]]:
    """The messages sent so far, oldest first: dicts with `id`, `to`, `content` and `urgent`.

    Raises:
        ValueError: if the outbox file was changed by hand and is no longer JSON.
    """
    return outbox_of(os.environ).messages()


def clear_outbox() -> int:
    """Empty the outbox and say how many messages were in it."""
    return outbox_of(os.environ).clear()


@tool(side_effect=True)
def send_message(
    to: Annotated[str, Field(min_length=1, max_length=MAX_RECEIVER_CHARS)],
    content: Annotated[str, Field(min_length=1, max_length=MAX_CONTENT_CHARS)],
    *,
    urgent: bool = False,
) -> dict[str, Any]:
    """Send a message to one person and return its status and its id.

    The message goes to the outbox of this course; it cannot be called back. Sending the same
    message twice sends two messages.

    Args:
        to: Who receives the message, a name or an e-mail address, for example Anna or
            li.hua@example.com. One receiver a call.
        content: Text of the message, 1 to 2000 characters, for example The meeting starts at 10:00.
        urgent: Whether to mark the message as urgent. Default false, an ordinary message.
    """
    for name, text in (("to", to), ("content", content)):
        _refuse_blank(name, text)
    message = {"to": to.strip(), "content": content, "urgent": urgent}
    message_id = outbox_of(os.environ).append(message)
    return {"status": "sent", "id": message_id, "to": message["to"], "urgent": urgent}


def _refuse_blank(name: str, text: str) -> None:
    if not text.strip():
        raise ToolError(f"{name!r} is blank. Say who receives the message and what it says.")
