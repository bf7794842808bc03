"""What a notebook needs beyond its subject: exercises, progress, and a look at the machine.

In: an exercise's number and a learner's answer. Out: a verdict that names the rule that failed and
gives a hint, never the answer. Knows all the other modules; none of them knows this one.

`checks.py` is the machinery, `exercises/` holds the exercises of each notebook, `progress_file.py`
keeps what was solved, `machine.py` looks at the machine, `notebooks.py` runs and tidies notebooks.
`gallery.py` runs failures against `naive.py`, the bad example, and the course's loop.
`measuring/` counts what the wording of definitions does; `practice_client.py` serves its checks.
`text_model.py` asks a model that only writes text, `easily_led.py` one that obeys what it reads.

`servers/` are MCP servers that lessons start, `scripts/` programs that they show and run;
`bare_client.py` asks a server without an SDK, `third_party.py` opens one that is not ours,
`wrong_forms.py` sends what is taught wrongly. `key_scan.py` looks for keys in files, `choosing.py`
advises which bridge to build, `capstone/` reviews what a learner has built.
"""

from course_pkg.lessons.checks import Exercise, Verdict
from course_pkg.lessons.exercises import all_exercises, exercise
from course_pkg.lessons.machine import doctor
from course_pkg.lessons.progress_file import progress

__all__ = ["Exercise", "Verdict", "all_exercises", "doctor", "exercise", "progress"]
