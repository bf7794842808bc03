"""Choose how a model reaches a tool: plain function calling, an MCP server, or a sidecar.

In: answers to six questions. Out: an `Advice` with its reasons. The table is data: each answer says
what it means for each way, and `advise` only adds up. Weights are judgements, not measurements: 1
is a hint, 3 nearly decides; `None` rules a way out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from course_pkg.widgets.chooser import Advice, Choice, Effect, Question, chooser, table_view

FUNCTION = "Plain function calling"
SIDECAR = "A sidecar"
MCP = "An MCP server"

#: When two are equal the first wins: the simplest, then the one that more programs know.
WAYS = (FUNCTION, MCP, SIDECAR)

SENTENCES = {
    FUNCTION: "Use plain function calling: a function in your own program is the tool.",
    SIDECAR: "Use a sidecar: a small HTTP service on this computer, with a token.",
    MCP: "Use an MCP server: every program that speaks MCP can use it.",
}
NO_WAY = "None of the three fits all your answers. Something has to give: see what rules out each."


def _question(name: str, text: str, *choices: Choice) -> Question:
    return Question(name=name, text=text, choices=choices)


def _choice(name: str, text: str, *effects: tuple[str, int | None, str]) -> Choice:
    meant = tuple(Effect(way=way, weight=weight, reason=why) for way, weight, why in effects)
    return Choice(name=name, text=text, effects=meant)


QUESTIONS: tuple[Question, ...] = (
    _question(
        "users",
        "Which programs will use the tool?",
        _choice(
            "one",
            "One program, and it is mine",
            (FUNCTION, 2, "One program can call its own functions: there is nothing to connect."),
        ),
        _choice(
            "several",
            "Several programs of mine",
            (MCP, 2, "All of them use the same server, and nothing is written twice."),
            (SIDECAR, 1, "They can share a small HTTP service, each with a few lines of its own."),
        ),
        _choice(
            "strangers",
            "Programs that others wrote, such as a desktop assistant",
            (MCP, 3, "Programs that others wrote know MCP. They do not know your code."),
            (FUNCTION, None, "Programs of other people cannot call a function of yours."),
            (SIDECAR, -1, "Somebody would have to teach each program your way of asking."),
        ),
    ),
    _question(
        "author",
        "Who wrote the tool?",
        _choice(
            "me",
            "I did, or I will",
            (FUNCTION, 1, "You have the code: a function becomes a tool in one line."),
        ),
        _choice(
            "others",
            "Somebody else offers it as an MCP server",
            (MCP, 3, "It is offered over MCP already: a client is all that you need."),
            (FUNCTION, None, "There is no function of yours to call."),
        ),
    ),
    _question(
        "place",
        "Where must the tool run?",
        _choice(
            "inside",
            "Inside the program that asks the model",
            (FUNCTION, 2, "Nothing has to leave the process: no port, no token, no copy."),
        ),
        _choice(
            "beside",
            "On the same computer, in a process of its own",
            (SIDECAR, 2, "This is what a sidecar is for: any language reaches it over loopback."),
            (MCP, 1, "A server on stdio is a process of its own too."),
            (FUNCTION, None, "A function lives in the process that calls it."),
        ),
        _choice(
            "elsewhere",
            "On another computer, for many users",
            (MCP, 2, "MCP over HTTP has addresses, and rules for who may use them."),
            (SIDECAR, None, "A sidecar listens on 127.0.0.1 only: no other computer reaches it."),
            (FUNCTION, None, "A function lives in the process that calls it."),
        ),
    ),
    _question(
        "protocol",
        "Does the program that asks the model speak MCP?",
        _choice("yes", "Yes", (MCP, 2, "The program brings its client along.")),
        _choice(
            "can",
            "No, but I can change it",
            (MCP, -1, "A client has to be added, with a connection to look after."),
        ),
        _choice(
            "no",
            "No, and I cannot change that",
            (SIDECAR, 2, "HTTP with a token is enough for a program that does not speak MCP."),
            (MCP, None, "Without a client on the other side there is nobody to talk to."),
        ),
    ),
    _question(
        "change",
        "How often do the tools change?",
        _choice(
            "seldom",
            "Seldom: with a new release of the program",
            (FUNCTION, 1, "What changes with the program can live in the program."),
        ),
        _choice(
            "often",
            "Often, or while programs run",
            (MCP, 2, "A server can say that its list has changed; no program is released again."),
            (FUNCTION, -1, "Each change is a new release of the program."),
        ),
    ),
    _question(
        "extras",
        "Do you need more than tools: resources, prompts, progress, stopping a call?",
        _choice("no", "No, tools are all", (SIDECAR, 1, "Two routes are enough for tools alone.")),
        _choice(
            "yes",
            "Yes",
            (MCP, 2, "These are parts of the protocol; elsewhere you invent them yourself."),
            (SIDECAR, -1, "A sidecar has none of these before you build it."),
        ),
    ),
)


def advise(answers: Mapping[str, str]) -> Advice:
    """Which way fits some answers, and why.

    Args:
        answers: names of choices by names of questions. Questions may be left out: then the
            simplest way that nothing speaks against is advised.

    Raises:
        ValueError: if a question or an answer is not in `QUESTIONS`. The text lists those that are.
    """
    effects = [effect for name, answer in answers.items() for effect in _meant(name, answer)]
    excluded = {effect.way for effect in effects if effect.weight is None}
    left = [way for way in WAYS if way not in excluded]
    # max gives the first of equals.
    way = max(left, key=lambda one: _sum(one, effects)) if left else ""
    reasons = list(map(_said, _about(way, effects)))
    return Advice(
        way=way,
        sentence=SENTENCES.get(way, NO_WAY),
        reasons=tuple(reasons or ([] if not way else [_by_default(way)])),
        others=tuple((one, _why_not(one, effects)) for one in WAYS if one != way),
    )


def decision_table() -> str:
    """The whole table as text: questions, answers, and what each means for each way."""
    return table_view(QUESTIONS).text


def choose() -> None:
    """Show the table and, in JupyterLab, a form that advises as you answer."""
    chooser(QUESTIONS, advise)


def _meant(name: str, answer: str) -> tuple[Effect, ...]:
    questions = {question.name: question for question in QUESTIONS}
    if name not in questions:
        raise ValueError(f"There is no question {name!r}. Questions: {', '.join(questions)}.")
    choices = {choice.name: choice for choice in questions[name].choices}
    if answer not in choices:
        raise ValueError(f"{answer!r} is no answer to {name}. Answers: {', '.join(choices)}.")
    return choices[answer].effects


def _about(way: str, effects: list[Effect]) -> list[Effect]:
    """What is said about one way, the weightiest first."""
    own = [effect for effect in effects if effect.way == way]
    return sorted(own, key=lambda effect: -(effect.weight or 0))


def _sum(way: str, effects: list[Effect]) -> int:
    return sum(effect.weight or 0 for effect in effects if effect.way == way)


def _said(effect: Effect) -> str:
    return effect.reason if effect.kind == "for" else f"All the same: {effect.reason}"


def _by_default(way: str) -> str:
    if way == FUNCTION:
        return "Nothing that you answered asks for more, and it is the simplest."
    return "The other ways are ruled out, or more speaks against them."


def _why_not(way: str, effects: list[Effect]) -> str:
    return next(_objections(way, effects), "It would work. Less of what you answered asks for it.")


def _objections(way: str, effects: list[Effect]) -> Iterator[str]:
    """What rules a way out; else what speaks against it."""
    own = _about(way, effects)
    yield from (f"ruled out. {effect.reason}" for effect in own if effect.weight is None)
    yield from (effect.reason for effect in own if effect.kind == "against")
