"""The options in effect: what was set, what is as it comes, and secrets only as whether they are there."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

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
    rows = option_rows(settings.OPTIONS)
    only = request.GET.get("show") == "changed"
    context = {
        "rows": [row for row in rows if row.changed] if only else rows,
        "only": only,
        "unknown": dict(settings.MEMORY_UNKNOWN_OPTIONS),
    }
    return answer(request, "system/options.html", context)


def option_rows(chosen: Options) -> tuple[OptionRow, ...]:
    """In the order of the table; those that were set are marked."""
    return tuple(_row(field, getattr(chosen, field), chosen.model_fields_set) for field in Options.model_fields)


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
