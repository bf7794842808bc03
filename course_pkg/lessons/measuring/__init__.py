"""Measure what the wording of definitions does: the same requests, other words, any model.

In: a `ModelClient` and definitions. Out: frozen scores, differences with their chance, and charts.
It measures the first reply only: which tool is called, and with which arguments. No tool is run.

`prompts.py` has the requests, `wordings.py` the toolboxes, `scoring.py` asks and counts,
`crowds.py` puts the tools among others, `chance.py` says how sure a count is, `pictures.py` draws,
`published.py` has the figures of real models.
"""

from course_pkg.lessons.measuring.chance import mcnemar, wilson
from course_pkg.lessons.measuring.crowds import SIZES, crowd, everything, measure_crowds
from course_pkg.lessons.measuring.pictures import bars, curve, published_bars
from course_pkg.lessons.measuring.prompts import Prompt, prompts
from course_pkg.lessons.measuring.published import PUBLISHED
from course_pkg.lessons.measuring.scoring import Difference, Mark, Score, difference, measure
from course_pkg.lessons.measuring.wordings import define, worded

__all__ = [
    "PUBLISHED",
    "SIZES",
    "Difference",
    "Mark",
    "Prompt",
    "Score",
    "bars",
    "crowd",
    "curve",
    "define",
    "difference",
    "everything",
    "mcnemar",
    "measure",
    "measure_crowds",
    "prompts",
    "published_bars",
    "wilson",
    "worded",
]
