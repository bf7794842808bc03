"""Make a tool of a function: its name, its description and its input schema.

In: a function with annotations and a docstring. Out: a `Tool`. pydantic turns annotations into a
schema, a docstring parser reads Google, NumPy and reST docstrings, and the result is tidied: no
`title` that only repeats a name, references written out, no `discriminator` (constants say the same
to everyone).

Not covered: `*args`, `**kwargs` and positional-only parameters, since a model gives arguments by
name. The docstrings of classes inside a signature describe the class, not its fields: give those a
`Field(description=...)`.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from course_pkg.schema import inline
from course_pkg.schema.places import with_inner
from course_pkg.tools.retry import Retry
from course_pkg.tools.tool import Tool
from course_pkg.tools.values import RunTool, ToolArgumentsError, ToolDefinitionError

if TYPE_CHECKING:
    from docstring_parser import Docstring
    from pydantic import TypeAdapter

#: Words that pydantic adds and that no model needs.
NOISE = ("title", "discriminator")


def from_function(
    function: RunTool,
    *,
    name: str | None = None,
    side_effect: bool = False,
    timeout_s: float | None = None,
    retry: Retry | None = None,
    idempotency_key: str = "",
) -> Tool:
    """Make a tool of a function.

    Args:
        function: the function, plain or `async`.
        name: another name than the function's.
        side_effect: whether it changes something outside.
        timeout_s: its own time limit in seconds.
        retry: how it is tried again after a temporary error.
        idempotency_key: the parameter that takes the call's key, which the model is not shown.

    Raises:
        ToolDefinitionError: if a parameter cannot be given by name, or as JSON, or there is none
            of the key's name.
    """
    documentation = _documentation(function)
    return Tool(
        name=name or name_of(function),
        description=_join(documentation.short_description, documentation.long_description),
        input_schema=_without(idempotency_key, input_schema_of(function), function),
        run=_converting(function),
        side_effect=side_effect,
        timeout_s=timeout_s,
        retry=retry,
        idempotency_key=idempotency_key,
    )


def _without(name: str, schema: dict[str, Any], function: RunTool) -> dict[str, Any]:
    """The schema that the model sees: without the parameter that takes the idempotency key."""
    if not name:
        return schema
    if name not in schema["properties"]:
        raise ToolDefinitionError(
            f"{name_of(function)} has no parameter {name!r} to take the idempotency key. Add "
            f'`{name}: str`, or leave idempotency_key="{name}" out.'
        )
    shown = {key: part for key, part in schema["properties"].items() if key != name}
    required = [key for key in schema["required"] if key != name]
    return {**schema, "properties": shown, "required": required}


def input_schema_of(function: RunTool) -> dict[str, Any]:
    """The schema of a function's arguments: a closed object.

    Args:
        function: a function with annotations.

    Raises:
        ToolDefinitionError: if a parameter cannot be given by name, or as JSON.
    """
    _refuse_open_parameters(function)
    made = _made_by_pydantic(function)
    properties: dict[str, Any] = made.get("properties", {})
    for parameter in _documentation(function).params:
        if parameter.description and parameter.arg_name in properties:
            properties[parameter.arg_name].setdefault("description", _join(parameter.description))
    tidy = inline(_tidy(made))
    schema = {
        "type": "object",
        "properties": tidy.get("properties", {}),
        "required": tidy.get("required", []),
        "additionalProperties": False,
    }
    return schema | ({"$defs": tidy["$defs"]} if "$defs" in tidy else {})


def name_of(function: RunTool) -> str:
    """The name of a function, or of the class of a callable object."""
    return str(getattr(function, "__name__", type(function).__name__))


def _documentation(function: RunTool) -> Docstring:
    from docstring_parser import parse

    return parse(inspect.getdoc(function) or "")


def _join(*texts: str | None) -> str:
    return " ".join(" ".join(text.split()) for text in texts if text)


def _refuse_open_parameters(function: RunTool) -> None:
    kinds = inspect.Parameter
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in {kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD, kinds.POSITIONAL_ONLY}:
            raise ToolDefinitionError(
                f"{name_of(function)}: parameter {str(parameter)!r} cannot be described to a "
                "model, which gives arguments by name. List each parameter by name instead."
            )


def _adapter(function: RunTool) -> TypeAdapter[Any]:
    from pydantic import PydanticUserError, TypeAdapter

    try:
        return TypeAdapter(cast(Any, _gathering(function)))
    except (PydanticUserError, NameError) as error:
        raise ToolDefinitionError(
            f"{name_of(function)}: an annotation cannot be turned into a schema: "
            f"{str(error).splitlines()[0]} Use types that JSON has (str, int, float, bool, list, "
            "dict, Literal, Enum) or a pydantic model."
        ) from error


def _made_by_pydantic(function: RunTool) -> dict[str, Any]:
    from pydantic import PydanticInvalidForJsonSchema
    from pydantic.json_schema import PydanticJsonSchemaWarning

    try:
        with warnings.catch_warnings():
            # A default that JSON cannot carry is left out of the schema; the function has it.
            warnings.simplefilter("ignore", PydanticJsonSchemaWarning)
            return _adapter(function).json_schema()
    except PydanticInvalidForJsonSchema as error:
        raise ToolDefinitionError(
            f"{name_of(function)}: {str(error).splitlines()[0]} JSON cannot carry such a value."
        ) from error


def _tidy(schema: Any) -> Any:
    """Drop what pydantic puts everywhere, and close objects; a property called "title" stays."""
    if not isinstance(schema, Mapping):
        return schema
    inner = with_inner(schema, lambda _, part: _tidy(part))
    # A class with fields takes no others, unless it says so: a misspelt name is to be noticed.
    closed = {"additionalProperties": False} if "properties" in inner else {}
    return closed | {key: part for key, part in inner.items() if key not in NOISE}


def _converting(function: RunTool) -> RunTool:
    """Run `function` with JSON values made into the types that it declares (an Enum, a date)."""
    read = _adapter(function)

    @functools.wraps(function)
    def run(*values: Any, **arguments: Any) -> Any:
        from pydantic import ValidationError
        from pydantic_core import ArgsKwargs

        try:
            ready = read.validate_python(ArgsKwargs(values, arguments))
        except ValidationError as error:
            raise ToolArgumentsError(_in_words(function, error)) from None
        return function(*ready[0], **ready[1])

    return run


def _gathering(function: RunTool) -> RunTool:
    """A stand-in with the same signature that gives back what it was called with.

    So an error of the conversion cannot be mistaken for one that the function itself raises.
    """
    annotated = function.func if isinstance(function, functools.partial) else function
    annotated = annotated if hasattr(annotated, "__annotations__") else type(annotated).__call__

    @functools.wraps(annotated)
    def gather(*values: Any, **arguments: Any) -> Any:
        return values, arguments

    cast(Any, gather).__signature__ = inspect.signature(function)
    return gather


def _in_words(function: RunTool, error: Any) -> str:
    names = list(inspect.signature(function).parameters)
    count = error.error_count()
    lines = [
        f"{count} validation error{'s' * (count > 1)} in the arguments of {name_of(function)}:"
    ]
    for item in error.errors(include_url=False, include_context=False):
        first, *rest = item["loc"]
        known = names[first] if isinstance(first, int) and first < len(names) else first
        lines.append(f"{'.'.join(map(str, (known, *rest)))}: {item['msg']}.")
    return "\n".join(lines)
