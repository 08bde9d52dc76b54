"""The five steps, where one stands, and where a start that was left goes on: nothing of it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from agents.models import Agent
from agents.setup.bootstrap import DEMO

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

StepName = Literal["owner", "models", "agent", "index", "connect"]

_TITLES: tuple[tuple[StepName, StrOrPromise], ...] = (
    ("owner", _("Owner")),
    ("models", _("Models")),
    ("agent", _("Agent")),
    ("index", _("Ask")),
    ("connect", _("Connect")),
)


@dataclass(frozen=True, slots=True)
class Step:
    """`url` is where it can be gone back to, "" while it cannot."""

    title: StrOrPromise
    state: Literal["done", "now", "later"]
    url: str = ""


def steps(now: StepName, agent: Agent | None = None) -> tuple[Step, ...]:
    names = [name for name, _title in _TITLES]
    place = names.index(now)
    return tuple(
        Step(
            title,
            "done" if index < place else "now" if index == place else "later",
            _address(name, index, place, agent),
        )
        for index, (name, title) in enumerate(_TITLES)
    )


def first_agent() -> Agent | None:
    """The newest agent that is not the demo."""
    return Agent.objects.exclude(slug=DEMO).order_by("-pk").first()


def goes_on_at() -> str:
    """Where an owner's start goes on: at the models, or at the agent that is there already."""
    agent = first_agent()
    return reverse("start-models") if agent is None else with_agent("start-index", agent)


def with_agent(route: str, agent: Agent) -> str:
    return f"{reverse(route)}?agent={agent.slug}"


def chosen_agent(request: HttpRequest) -> Agent | None:
    """The agent that the address names, else the newest; None when there is none."""
    slug = request.GET.get("agent", "")
    return Agent.objects.filter(slug=slug).first() if slug else first_agent()


def _address(name: StepName, index: int, place: int, agent: Agent | None) -> str:
    if name == "owner" or index == place or (index > place and agent is None):
        return ""
    if name in ("index", "connect"):
        return with_agent(f"start-{name}", agent) if agent is not None else ""
    return reverse(f"start-{name}")
