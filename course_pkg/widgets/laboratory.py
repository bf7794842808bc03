"""The union laboratory: type a value, and see what each branch, anyOf and oneOf make of it.

In: schemas with branches, the worked ones of lesson 03 if none are given. Out: a view in the
notebook: tables of samples, which stay readable when it is saved, and in live mode a form below
them. Outside a notebook nothing is shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from course_pkg.widgets.key_keeper import key_keeper
from course_pkg.widgets.mode import widget_mode
from course_pkg.widgets.showing import display, shell
from course_pkg.widgets.union_forms import View, branch_list, report, tables, trouble
from course_pkg.widgets.unions import (
    WORKED,
    NotJSONError,
    Schema,
    Union,
    compare_all,
    compare_at_root,
    read_json,
    union_of,
)

OWN_VALUE = "a value of your own"


def laboratory(schemas: Mapping[str, Schema] | None = None) -> None:
    """Show the laboratory.

    In static mode it is one table of samples for each schema. In live mode a form comes with it;
    the tables are then folded.

    Args:
        schemas: schemas by name, each with `anyOf` or `oneOf` at its root. Its `description` and
            its `examples` are used where it has them. Left out, the worked schemas of lesson 03.

    Raises:
        ModeError: if `COURSE_WIDGETS` holds a word that it does not know.
        NoUnionError: if a schema has no branches at its root.
        SchemaError: if a schema cannot be used.
    """
    unions = _unions(schemas)
    live = widget_mode() == "live" and getattr(shell(), "kernel", None) is not None
    view = tables(unions, folded=live)
    if shell() is not None:
        display(view.bundle(), raw=True)
    if live:
        # A saved widget says "model not found" later, and hides HTML in the same bundle. So the
        # form is an output of its own, and the tables above it stay.
        display(Form(unions).widget)


def show_branches(value: Any, schema: Schema) -> View:
    """What became of each branch of every union that a value meets, with both verdicts.

    Args:
        value: a JSON value.
        schema: a JSON Schema.

    Returns:
        A view. A cell that ends in it shows it.

    Raises:
        SchemaError: if the schema cannot be used.
        TooDeepError: if the value is nested too deeply.
    """
    return report(value, compare_all(value, schema))


class Form:
    """The live form: two menus, a box for the value, and the report on it."""

    def __init__(self, unions: Sequence[Union]) -> None:
        """Make the form, with the first sample of the first union in it.

        Args:
            unions: what can be chosen.
        """
        import ipywidgets as widgets  # type: ignore[import-untyped]

        self._unions = {union.name: union for union in unions}
        wide = {"layout": {"width": "min(100%, 640px)"}, "style": {"description_width": "70px"}}
        self.schema: Any = widgets.Dropdown(
            options=list(self._unions), description="Schema", **wide
        )
        self.sample: Any = widgets.Dropdown(description="Sample", **wide)
        # With continuous_update off, a value is sent on Enter or on leaving the box, not per key.
        self.value: Any = widgets.Text(
            description="Value", placeholder="JSON", continuous_update=False, **wide
        )
        self.check: Any = widgets.Button(
            description="Check", tooltip="Check the value", layout={"margin": "2px 2px 2px 78px"}
        )
        self.rules: Any = widgets.HTML()
        self.result: Any = widgets.HTML()
        fields = [self.schema, self.rules, self.sample, self.value, self.check, self.result]
        self.widget: Any = widgets.VBox([*fields, key_keeper()])
        self.schema.observe(self._schema_chosen, "value")
        self.sample.observe(self._sample_chosen, "value")
        self.value.observe(self._value_changed, "value")
        self.check.on_click(self._value_changed)
        self._schema_chosen()

    def _schema_chosen(self, _change: Any = None) -> None:
        union = self._unions[self.schema.value]
        self.rules.value = branch_list(union)
        texts = [json.dumps(value, ensure_ascii=False) for value in union.samples]
        self.sample.options = [*texts, OWN_VALUE]
        self.value.value = texts[0]
        self._value_changed()

    def _sample_chosen(self, _change: Any = None) -> None:
        if self.sample.value not in {None, OWN_VALUE}:
            self.value.value = self.sample.value

    def _value_changed(self, _change: Any = None) -> None:
        typed = self.value.value
        if typed != self.sample.value:
            self.sample.value = typed if typed in self.sample.options else OWN_VALUE
        self.result.value = self.answer(typed)

    def answer(self, typed: str) -> str:
        """The report on a typed text, or a kind sentence about it, as HTML.

        Args:
            typed: what stands in the box.
        """
        from course_pkg.schema import TooDeepError

        try:
            value = read_json(typed)
            return report(value, [compare_at_root(value, self._unions[self.schema.value])]).html
        except (NotJSONError, TooDeepError) as error:
            return trouble(str(error))


def _unions(schemas: Mapping[str, Schema] | None) -> Sequence[Union]:
    if schemas is None:
        return WORKED
    return [union_of(name, schema) for name, schema in schemas.items()]
