"""The exercise of notebook 00: a first one, to see how exercises work."""

from __future__ import annotations

from course_pkg.lessons.checks import Exercise, Rule, WrongAnswer

EXECUTE = 4

EXERCISES = (
    Exercise(
        number="00.1",
        goal="Say in which of the six steps your own code runs the tool. Answer with its number.",
        starter="answer = None",
        rules=(
            Rule(
                name="The answer is a whole number from 1 to 6.",
                test=lambda answer: type(answer) is int and 1 <= answer <= len("123456"),
                hint="Write only the number of the step, for example answer = 2.",
            ),
            Rule(
                name="In that step a Python function runs.",
                test=lambda answer: answer == EXECUTE,
                hint="The model only says what it wants. Look for the rows on the wire 'local'.",
            ),
        ),
        hints=(
            "Open the rows of the inspector above, one by one. Which wire does each one cross?",
            "Two rows crossed the wire 'local': they never left this computer's Python.",
            "The badge at the beginning of those two rows shows the number.",
        ),
        source="answer = 4",
        wrong=(
            WrongAnswer(source="answer = 3", fails="In that step a Python function runs."),
            WrongAnswer(source="answer = 5", fails="In that step a Python function runs."),
            WrongAnswer(
                source='answer = "Execute"', fails="The answer is a whole number from 1 to 6."
            ),
            WrongAnswer(source="answer = 7", fails="The answer is a whole number from 1 to 6."),
        ),
    ),
)
