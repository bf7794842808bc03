"""x."""
from typing import Any, Mapping
from course_pkg.practice.completion import Decision, PlannedCall

def decide(body: Mapping[str, Any]) -> Decision:
    return Decision(text="Hello. I am the practice model.")
