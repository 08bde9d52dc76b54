"""The options in effect: what was set, what is as it comes, and secrets only as whether they are there."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from memory_appliance.settings.groups import GROUPS
from memory_appliance.settings.options import Options, env_name, is_secret
from memory_appliance.web.access import owner_page
from memory_appliance.web.page import answer


@dataclass(frozen=True, slots=True)
class OptionRow:
    """`value` is "" for what is empty and for every secret; `there`: whether a secret is set."""

    name: str
    about: str
    value: str
    usual: str
    changed: bool
    secret: bool
    there: bool


@owner_page
@require_safe
def options(request: HttpRequest) -> HttpResponse:
    only = request.GET.get("show") == "changed"
    context = {
        "groups": option_groups(settings.OPTIONS, only_changed=only),
        "only": only,
        "unknown": dict(settings.MEMORY_UNKNOWN_OPTIONS),
    }
    return answer(request, "system/options.html", context)


@dataclass(frozen=True, slots=True)
class GroupOfRows:
    """`advanced`: those that few need, folded unless one of them is set."""

    title: str
    rows: tuple[OptionRow, ...]
    advanced: tuple[OptionRow, ...]

    @property
    def unfolded(self) -> bool:
        return any(row.changed for row in self.advanced)


def option_groups(chosen: Options, *, only_changed: bool = False) -> tuple[GroupOfRows, ...]:
    """Groups that have something to show; options that were set are marked."""

    def rows(fields: tuple[str, ...]) -> tuple[OptionRow, ...]:
        every = (_row(field, getattr(chosen, field), chosen.model_fields_set) for field in fields)
        return tuple(row for row in every if row.changed or not only_changed)

    groups = (GroupOfRows(group.title, rows(group.fields), rows(group.advanced)) for group in GROUPS)
    return tuple(group for group in groups if group.rows or group.advanced)


def _row(field: str, value: object, changed: set[str]) -> OptionRow:
    secret = is_secret(field)
    info = Options.model_fields[field]
    return OptionRow(
        name=env_name(field),
        about=info.description or "",
        value="" if secret else _told(value),
        usual="" if secret else _told(info.default),
        changed=field in changed,
        secret=secret,
        there=value is not None,
    )


def _told(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, tuple):
        return ", ".join(str(part) for part in value)
    return "" if value is None else str(value)
