"""A function on offer to a model.

In: a name, a description, a schema and a function. Out: a `Tool`, and its definition for the wire.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from course_pkg.tools.retry import Retry
from course_pkg.tools.values import JSONSchema, RunTool


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A function on offer to a model.

    Attributes:
        name: what the model calls it by.
        description: what the model is told it does.
        input_schema: the JSON Schema of its arguments. The root is an object.
        run: the function. It takes the arguments by name and may be `def` or `async def`.
        side_effect: whether it changes something outside (sends, writes, pays).
        timeout_s: its own time limit in seconds, for each try; `None` takes the executor's.
        retry: how it is tried again after a temporary error; `None` is not at all.
        idempotency_key: the parameter that takes the call's key. The model does not see it; the
            executor gives the same key at each try, so that a repeat can be told from a new call.
    """

    name: str
    description: str
    input_schema: JSONSchema
    run: RunTool = field(repr=False)
    side_effect: bool = False
    timeout_s: float | None = None
    retry: Retry | None = None
    idempotency_key: str = ""

    def definition(self, *, strict: bool = False) -> dict[str, Any]:
        """What the model is sent about this tool, in Chat Completions form.

        Args:
            strict: whether the schema goes in the provider's strict subset. An optional argument
                then comes back as null: `schema.from_strict` takes it out again.

        Raises:
            NotStrictableError: if the subset cannot say the schema.
        """
        function: dict[str, Any] = {"name": self.name, "description": self.description}
        if strict:
            from course_pkg.schema import to_strict  # it brings the validator along

            function |= {"parameters": to_strict(self.input_schema), "strict": True}
        else:
            function["parameters"] = dict(self.input_schema)
        return {"type": "function", "function": function}

    def __call__(self, *values: Any, **arguments: Any) -> Any:
        """Run the plain function, as if it were no tool."""
        return self.run(*values, **arguments)
