"""What happened over time, as charts: of all agents that a person may see, or of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Q
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agents.memory.activity import COLUMNS, Span, activity, percentile, turns_by_hour
from memory_appliance.web.charts import Chart, bars, line, spark, top_of

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

Range = Literal["24h", "14d", "90d"]
RANGES: dict[Range, StrOrPromise] = {
    "24h": gettext_lazy("24 hours"),
    "14d": gettext_lazy("14 days"),
    "90d": gettext_lazy("90 days"),
}
DEFAULT: Range = "14d"
_STEPS: dict[Range, int] = {"24h": 24, "14d": 14, "90d": 90}
LABELS: dict[str, StrOrPromise] = {
    "recalled": gettext_lazy("Recalled"),
    "nothing": gettext_lazy("Nothing relevant"),
    "skipped": gettext_lazy("Not needed"),
    "denied": gettext_lazy("Denied"),
    "failed": gettext_lazy("Failed"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table behind the charts."""

    when: str
    span: Span
    p50: str
    p95: str


@dataclass(frozen=True, slots=True)
class Activity:
    range: Range
    charts: tuple[Chart, ...]
    first: str
    last: str
    rows: tuple[Row, ...]

    @property
    def ranges(self) -> list[tuple[Range, StrOrPromise, bool]]:
        return [(name, label, name == self.range) for name, label in RANGES.items()]


def sparks(agents: Sequence[int]) -> dict[int, str]:
    """Agent → the path of a sparkline of its turns of 24 hours."""
    moments = _moments(timezone.now(), "24h")
    found = turns_by_hour(agents, since=moments[0])
    return {agent: spark([hours.get(at, 0) for at in moments]) for agent, hours in found.items()}


def range_of(text: str) -> Range:
    """What cannot be used counts as not given."""
    return next((name for name in RANGES if name == text), DEFAULT)


def activity_of(agents: Q | None, wanted: Range, *, now: datetime | None = None) -> Activity | None:
    """`agents` filters rows by agent; None: all of the server. None when nothing has happened in that time."""
    zone = timezone.get_current_timezone()
    moments = _moments((now or timezone.now()).astimezone(zone), wanted)
    found = {span.at: span for span in activity(agents, since=moments[0], days=wanted != "24h", zone=zone)}
    spans = [found.get(at, Span(at)) for at in moments]
    if not any(span.turns or span.writes or span.chunks for span in spans):
        return None
    charts = [_outcomes(spans), _times(spans), _writes(spans)]
    if any(span.chunks for span in spans):
        charts.append(_growth(spans))
    names = [_name(at, wanted) for at in moments]
    last = _("Now") if wanted == "24h" else _("Today")
    rows = (
        Row(name, span, _ms(span.percentile(0.5)), _ms(span.percentile(0.95)))
        for name, span in zip(names, spans, strict=True)
    )
    shown = tuple(row for row in rows if row.span.turns or row.span.writes)
    return Activity(wanted, tuple(charts), names[0], last, shown)


def _moments(now: datetime, wanted: Range) -> list[datetime]:
    """The beginnings of the hours or days, the earliest first."""
    if wanted == "24h":
        hour = now.replace(minute=0, second=0, microsecond=0)
        return [hour - timedelta(hours=back) for back in reversed(range(_STEPS[wanted]))]
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return [day - timedelta(days=back) for back in reversed(range(_STEPS[wanted]))]


def _name(at: datetime, wanted: Range) -> str:
    return f"{at:%H:%M}" if wanted == "24h" else date_format(at, "MONTH_DAY_FORMAT")


def _outcomes(spans: Sequence[Span]) -> Chart:
    turns = sum(span.turns for span in spans)
    top = top_of(max(span.turns for span in spans))
    sums = {column: sum(getattr(span, column) for span in spans) for column in COLUMNS}
    said = ", ".join(f"{intcomma(count)} {str(LABELS[column]).lower()}" for column, count in sums.items() if count)
    return Chart(
        title=_("Recalls by outcome"),
        figure=intcomma(turns),
        beside=ngettext("turn", "turns", turns),
        said=said or _("No turns"),
        scale=_scale(top),
        rects=bars([[(column, getattr(span, column)) for column in COLUMNS] for span in spans], top),
        legend=tuple((column, LABELS[column]) for column in COLUMNS),
    )


def _times(spans: Sequence[Span]) -> Chart:
    took = tuple(map(sum, zip(*(span.took for span in spans if span.took), strict=True)))
    p50, p95 = ([span.percentile(share) for span in spans] for share in (0.5, 0.95))
    top = top_of(max((value for value in p95 if value is not None), default=0.0))
    over_all = _ms(percentile(took, 0.95))
    return Chart(
        title=_("Time to recall"),
        figure=over_all,
        beside="p95" if took else _("no recalls"),
        said=_("p95 %(p95)s, p50 %(p50)s") % {"p95": over_all, "p50": _ms(percentile(took, 0.5))},
        scale=tuple(_ms(value) for value in (top, top / 2, 0.0)),
        lines=(line("p95", p95, top), line("p50", p50, top)),
        legend=(("p95", "p95"), ("p50", "p50")),
    )


def _writes(spans: Sequence[Span]) -> Chart:
    total = sum(span.writes for span in spans)
    top = top_of(max(span.writes for span in spans))
    return Chart(
        title=_("Notes written"),
        figure=intcomma(total),
        beside=ngettext("write", "writes", total),
        said=ngettext("%(count)s write", "%(count)s writes", total) % {"count": intcomma(total)},
        scale=_scale(top),
        rects=bars([[("recalled", span.writes)] for span in spans], top),
    )


def _growth(spans: Sequence[Span]) -> Chart:
    held: list[float | None] = []
    for span in spans:
        held.append(span.chunks if span.chunks is not None else (held[-1] if held else None))
    known = [value for value in held if value is not None]
    top = top_of(max(known))
    first, last = int(known[0]), int(known[-1])
    return Chart(
        title=_("Index"),
        figure=intcomma(last),
        beside=_("chunks (%(gained)s)") % {"gained": f"{last - first:+,}"},
        said=_("From %(first)s to %(last)s chunks") % {"first": intcomma(first), "last": intcomma(last)},
        scale=_scale(top),
        lines=(line("p95", held, top),),
    )


def _scale(top: float) -> tuple[str, ...]:
    return tuple(intcomma(f"{value:g}") if value < 1000 else intcomma(int(value)) for value in (top, top / 2, 0))


def _ms(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value / 1000:.1f} s" if value >= 1000 else f"{value:.0f} ms"
