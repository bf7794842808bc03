"""Record what crosses the wires, as frames, in order.

In: code that talks to a model or runs tools. Out: a `Recorder` full of `Frame`s. The recorder is
laid over that code; the code knows nothing of it. Knows nothing of views, loops or lessons.

`frame.py` is the value, `recorder.py` keeps frames, `http.py`, `mcp.py` (with `passing.py` and
`exchange.py`) and `local.py` are the taps, `redaction.py` hides credentials, `steps.py` says to
which of the six steps a frame belongs.
"""

from course_pkg.wire.frame import Frame, WireName, events_of
from course_pkg.wire.recorder import Recorder
from course_pkg.wire.steps import STEPS, Step, step_of, steps_of

__all__ = ["STEPS", "Frame", "Recorder", "Step", "WireName", "events_of", "step_of", "steps_of"]
