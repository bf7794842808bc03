"""Check instances against JSON Schemas, and say what is wrong so that one can act on it.

In: an instance and a schema. Out: a list of `Problem`s, and words for a person or a model. Knows
nothing of tools, models or wires.

`checking.py` finds problems, `wording.py` says what was expected, `explaining.py` makes one text.
"""

from course_pkg.schema.checking import SchemaError, check, check_schema
from course_pkg.schema.explaining import explain
from course_pkg.schema.problem import Problem, json_type, shown

__all__ = ["Problem", "SchemaError", "check", "check_schema", "explain", "json_type", "shown"]
