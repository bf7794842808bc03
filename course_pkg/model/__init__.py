"""Ask a model, and get a reply that is safe to act on.

In: messages and tool definitions. Out: a `Reply`. Settings come from the environment. Knows nothing
of how tools run or how payloads are shown.

`settings.py` reads the settings, `client.py` asks, `retrying.py` asks again, `optional_fields.py`
leaves out what a service does not know, `reply.py` normalises an answer, `stream.py` joins a
streamed one, `noticing.py` says what is odd about it, `errors.py` what a service did wrong.
"""

from course_pkg.model.client import ModelClient
from course_pkg.model.errors import ModelError
from course_pkg.model.reply import Reply, Usage, reply_from, with_own_ids
from course_pkg.model.settings import Settings, SettingsError, served_here, settings
from course_pkg.model.stream import Accumulator

__all__ = [
    "Accumulator",
    "ModelClient",
    "ModelError",
    "Reply",
    "Settings",
    "SettingsError",
    "Usage",
    "reply_from",
    "served_here",
    "settings",
    "with_own_ids",
]
