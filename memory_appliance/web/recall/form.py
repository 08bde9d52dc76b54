"""EventForm: which turns to list; a GET form whose address is the list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from agents.access.sessions import MAX_KEY_CHARS, Session
from agents.memory.recall_events import EventFilter, session_digest
from agents.models import Agent
from memory_appliance.web.days import DayField
from memory_appliance.web.recall.words import LANES, REASONS
from memory_appliance.web.words import OUTCOMES
from search.dates.zone import zone
from search.recall.outcome import Reason, Status

_ANY = ("", _("any"))
_DIGEST = re.compile(r"[0-9a-f]{64}")


class EventForm(forms.Form):
    """Always bound; `agents`: those to choose from on the page of all of them."""

    agent = forms.ChoiceField(label=_("Agent"), required=False)
    status = forms.ChoiceField(label=_("Outcome"), required=False, choices=[_ANY, *OUTCOMES.items()])
    reason = forms.ChoiceField(
        label=_("Reason"), required=False, choices=[_ANY, *((reason.value, text) for reason, text in REASONS.items())]
    )
    lane = forms.ChoiceField(label=_("Lane"), required=False, choices=[_ANY, *LANES.items()])
    day = DayField(label=_("Day"), required=False)
    session = forms.CharField(
        label=_("Session key"),
        required=False,
        max_length=MAX_KEY_CHARS,
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false", "dir": "ltr"}),
    )

    def __init__(self, data: QueryDict, *, agent: Agent | None = None, agents: Sequence[Agent] = ()) -> None:
        super().__init__(data)
        self._agent = agent
        self._agents = {one.slug: one for one in agents}
        if agent is not None:
            del self.fields["agent"]
        else:
            self.fields["day"].help_text = _("In the agent's time zone, or UTC if no agent is chosen.")
            field = self.fields["agent"]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [_ANY, *((slug, slug) for slug in self._agents)]

    def wanted(self) -> EventFilter:
        """Call on a valid form. A day is one of the agent's own time zone, of UTC where there are many agents."""
        values = self.cleaned_data
        agent = self._agent or self._agents.get(values.get("agent", ""))
        since, until = _bounds(values["day"], zone(agent.timezone) if agent is not None else UTC)
        session = values["session"].strip().lower()
        return EventFilter(
            agent=agent,
            status=Status(values["status"]) if values["status"] else None,
            reason=Reason(values["reason"]) if values["reason"] else None,
            lane=values["lane"] or None,
            session=session if _DIGEST.fullmatch(session) else session_digest(Session(key=session)),
            since=since,
            until=until,
        )

    @property
    def narrowed(self) -> bool:
        return any(self.data.get(name) for name in self.fields)


def _bounds(day: date | None, own: tzinfo) -> tuple[datetime | None, datetime | None]:
    if day is None:
        return None, None
    return datetime.combine(day, time(), own), datetime.combine(day + timedelta(days=1), time(), own)
