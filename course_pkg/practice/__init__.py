"""The embedded practice model: a small HTTP server that talks like a chat completions service.

In: requests of any HTTP client on this computer. Out: replies in the shape of the OpenAI API.
It is no language model: it compares words with tool definitions, by rules that you can read here.

The way of a request: `server` takes it from the socket, `api` checks key and body, `rules` refuses
what the real service refuses, `mind` decides (with `matching`, `filling`, `mending`, `answering`),
`faults` spoils the reply if asked to, `completion` puts it into the wire form.
"""

from course_pkg.practice.server import (
    PracticeServer,
    PracticeServerError,
    serve_in_background,
    stop_background_server,
)

__all__ = [
    "PracticeServer",
    "PracticeServerError",
    "serve_in_background",
    "stop_background_server",
]
