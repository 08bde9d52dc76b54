"""Settings as form fields: an empty field is the default, so that what an agent has of its own is seen at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext as _

from agents.core.agent_settings import SettingRow, Source
from agents.core.errors import Invalid
from memory_appliance.web.setting_groups import GROUPS, Group
from memory_appliance.web.told import told

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

Kind = Literal["choice", "number", "text", "long", "lines", "checks"]
LONG_CHARS = 1000


@dataclass(frozen=True, slots=True)
class Field:
    """`raw` is what the field holds, "" for the default; `checked` the ticked ones of a set of choices.

    `own`: it is set here; `source`: where the value comes from.
    """

    name: str
    title: StrOrPromise
    help: str
    kind: Kind
    raw: str
    own: bool
    source: Source
    default: str
    in_effect: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    checked: tuple[str, ...] = ()
    low: str = ""
    high: str = ""
    step: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """`advanced`: the fields that few need, folded unless one of them is set or looked for."""

    group: Group
    fields: tuple[Field, ...]
    advanced: tuple[Field, ...]
    open: bool
    unfolded: bool

    @property
    def changed(self) -> int:
        return sum(field.own for field in (*self.fields, *self.advanced))


def field_groups(
    rows: Iterable[SettingRow], *, here: Source, effects: Mapping[str, Any], wanted: str = "", opened: str = ""
) -> tuple[FieldGroup, ...]:
    """Every group with its fields; with `wanted`, only what has that text in its name, title or help.

    `here`: the source that this form sets; `effects`: what an empty setting without a default comes to.
    """
    known = {row.name: row for row in rows}
    groups = []
    for group in GROUPS:
        shown = [_field(known[name], title, here, effects) for name, title in group.titles.items() if name in known]
        found = [field for field in shown if _matches(field, wanted.casefold())]
        if found:
            advanced = tuple(field for field in found if field.name in group.advanced)
            groups.append(
                FieldGroup(
                    group,
                    fields=tuple(field for field in found if field.name not in group.advanced),
                    advanced=advanced,
                    open=bool(wanted) or group.name == opened,
                    unfolded=bool(wanted) or any(field.own for field in advanced),
                )
            )
    return tuple(groups)


def refused(groups: tuple[FieldGroup, ...], form: QueryDict, error: Invalid) -> tuple[FieldGroup, ...]:
    """The groups with what was typed still in them, and the refusal beside its field."""
    wrong = error.field.removeprefix("settings.")

    def kept(field: Field) -> Field:
        if field.name not in form:
            return field
        said = _in_words(field, error) if field.name == wrong else ""
        return replace(field, raw=str(form[field.name]), checked=tuple(form.getlist(field.name)), error=said)

    def group_with(group: FieldGroup) -> FieldGroup:
        fields, advanced = tuple(map(kept, group.fields)), tuple(map(kept, group.advanced))
        return replace(
            group,
            fields=fields,
            advanced=advanced,
            open=any(field.name in form for field in (*fields, *advanced)),
            unfolded=group.unfolded or any(field.error for field in advanced),
        )

    return tuple(map(group_with, groups))


def changes_in(form: QueryDict, settings: Iterable[SettingRow]) -> dict[str, Any]:
    """What the form says of each of `settings` that it has a field for; "" brings the default back.

    Ticked choices have no empty state: those that are ticked by default are the default.
    """
    rows = {row.name: row for row in settings}
    changes: dict[str, Any] = {}
    for name in form:
        if name not in rows:
            continue
        kind = _kind(rows[name].schema)
        if kind == "checks":
            ticked = [value for value in form.getlist(name) if value]
            changes[name] = None if ticked == list(rows[name].default) else ticked
        elif kind == "lines":
            changes[name] = [line.strip() for line in str(form[name]).splitlines() if line.strip()] or None
        else:
            changes[name] = str(form[name]).strip() or None
    return changes


def _matches(field: Field, wanted: str) -> bool:
    return not wanted or any(wanted in str(text).casefold() for text in (field.name, field.title, field.help))


def _field(row: SettingRow, title: StrOrPromise, here: Source, effects: Mapping[str, Any]) -> Field:
    schema, own = row.schema, row.source == here
    kind = _kind(schema)
    number = _variant(schema, "integer", "number")
    return Field(
        name=row.name,
        title=title,
        help=_(row.help) if row.help else "",
        kind=kind,
        raw=_written(row.value) if own else "",
        own=own,
        source=row.source,
        default=_shown(row.default) if row.default is not None else "",
        in_effect=_shown(effects[row.name]) if row.default is None and row.name in effects else "",
        choices=_choices(schema),
        checked=tuple(row.value) if kind == "checks" else (),
        low=str(number.get("minimum", "")) if number else "",
        high=str(number.get("maximum", "")) if number else "",
        step="1" if number and number["type"] == "integer" else "any",
    )


def _kind(schema: Mapping[str, Any]) -> Kind:
    if _variant(schema, "array"):
        return "checks" if "enum" in schema["items"] else "lines"
    if _variant(schema, "boolean") or _enum(schema):
        return "choice"
    if _variant(schema, "integer", "number"):
        return "number"
    return "long" if schema.get("maxLength", 0) >= LONG_CHARS else "text"


def _variants(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(schema.get("anyOf", [schema]))


def _variant(schema: Mapping[str, Any], *types: str) -> Mapping[str, Any] | None:
    return next((one for one in _variants(schema) if one.get("type") in types), None)


def _enum(schema: Mapping[str, Any]) -> list[str]:
    return next((list(one["enum"]) for one in _variants(schema) if "enum" in one), [])


def _choices(schema: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    if _variant(schema, "boolean"):
        return (("true", _("on")), ("false", _("off")))
    names = schema["items"].get("enum", []) if _variant(schema, "array") else _enum(schema)
    return tuple((name, name) for name in names)


def _written(value: Any) -> str:
    """As a field holds it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "\n".join(value) if isinstance(value, tuple) else str(value)


def _shown(value: Any) -> str:
    """As a person reads it."""
    if isinstance(value, bool):
        return _("on") if value else _("off")
    if isinstance(value, tuple):
        return _(", ").join(value) or _("none")
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) if value != "" else _("empty")


def _in_words(field: Field, error: Invalid) -> str:
    if field.kind == "number" and field.high:
        return _("Enter a number from %(low)s to %(high)s.") % {"low": field.low, "high": field.high}
    if field.kind == "number":
        return _("Enter a number of at least %(low)s.") % {"low": field.low}
    if field.choices:
        return _("Choose from %(choices)s.") % {"choices": _(", ").join(label for _value, label in field.choices)}
    return told(error.message).removeprefix(f"{field.name}: ")
