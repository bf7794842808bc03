"""Refuse what is no HTTP at all in the form of every other refusal.

In: bytes that the HTTP parser gives up on. Out: JSON, as always here.
"""

from __future__ import annotations

import h11

from course_pkg.serving.listening import QuietProtocol
from course_pkg.sidecar.reading import JSON_TYPE
from course_pkg.sidecar.refusal import Refusal

#: How long an idle connection stays open, in seconds.
KEEP_ALIVE_S = 30

NO_HTTP = Refusal(status=400, code="malformed_request", message="This is not a valid HTTP request.")


class JsonProtocol(QuietProtocol):
    """One connection, on which every refusal is JSON."""

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP.

        Args:
            msg: what is wrong, in the library's words; it is not passed on.
        """
        body = NO_HTTP.body()
        headers = [
            ("content-type", JSON_TYPE),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ]
        start = h11.Response(status_code=NO_HTTP.status, headers=headers, reason=b"Bad Request")
        for event in (start, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
