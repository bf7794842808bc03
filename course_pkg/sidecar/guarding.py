"""Look at who asks, before anything else of a request is looked at.

In: the headers of a request. Out: a `Refusal`, or nothing. Each check answers one attack:

- Host: a web page can let its own name lead to 127.0.0.1 (DNS rebinding). Its requests then name
  the page's host.
- Origin: a browser says which page a request comes from, and no page may use this service.
- Authorization: any program of this computer can open a connection. Only who was given the token
  is served.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from course_pkg.sidecar.refusal import Refusal

#: The names under which a service on this computer may be asked.
OWN_NAMES = ("127.0.0.1", "localhost")


@dataclass(frozen=True, kw_only=True)
class Guard:
    """Lets in who asks for the right host, from no page, with the right token.

    Attributes:
        port: where the service listens.
        token: what a request must show.
    """

    port: int
    token: str = field(repr=False)

    def refusal_of(self, headers: Iterable[tuple[bytes, bytes]]) -> Refusal | None:
        """Why a request is not let in.

        Args:
            headers: names in lower case, and values, as they came. A name may come twice.
        """
        listed = list(headers)
        if _values(listed, b"host") not in self._own_hosts():
            return FOREIGN_HOST
        if any(origin not in self._own_origins() for origin in _values(listed, b"origin")):
            return FOREIGN_ORIGIN
        return None if self._shows_token(_values(listed, b"authorization")) else NO_TOKEN

    def _own_hosts(self) -> list[list[bytes]]:
        return [[f"{name}:{self.port}".encode()] for name in OWN_NAMES]

    def _own_origins(self) -> list[bytes]:
        return [f"http://{name}:{self.port}".encode() for name in OWN_NAMES]

    def _shows_token(self, values: Sequence[bytes]) -> bool:
        scheme, _, shown = (values[0] if len(values) == 1 else b"").partition(b" ")
        # Compared in constant time: how long it takes must not tell how much of it was right.
        return scheme.lower() == b"bearer" and hmac.compare_digest(shown, self.token.encode())


FOREIGN_HOST = Refusal(
    status=421,
    code="foreign_host",
    message="This service answers only to its own host, 127.0.0.1 or localhost with its port.",
)
FOREIGN_ORIGIN = Refusal(
    status=403,
    code="foreign_origin",
    message="This service is not for web pages. Ask it from a program, without an Origin header.",
)
NO_TOKEN = Refusal(
    status=401,
    code="wrong_token",
    message=(
        "The token is missing or wrong. Send one header 'Authorization: Bearer <token>' with the "
        "token that the service made when it started."
    ),
    headers=(("www-authenticate", "Bearer"),),
)


def _values(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    return [value for key, value in headers if key == name]
