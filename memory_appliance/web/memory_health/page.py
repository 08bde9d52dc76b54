"""The page itself, and starting the look through the notes."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from agents.core.agent_settings import read_settings
from agents.memory.uses import Uses, uses
from agents.upkeep.memory_health.review import Pair, Place, Reviewed, last_review, request_review
from agents.upkeep.memory_health.sizes import Size, sizes
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.files.places import Lines, reader_address
from memory_appliance.web.page import answer
from workers.dispatch import dispatch

LONGEST_LINE = 400


@dataclass(frozen=True, slots=True)
class Spot:
    """A line and where it is read."""

    place: Place
    address: str

    @property
    def text(self) -> str:
        """Without the sign of a list, and not longer than one looks at."""
        text = self.place.text.removeprefix("- ").removeprefix("* ")
        return f"{text[:LONGEST_LINE]} …" if len(text) > LONGEST_LINE else text

    @property
    def citation(self) -> str:
        return f"{self.place.path}#L{self.place.line}"


@dataclass(frozen=True, slots=True)
class Match:
    """Two lines side by side."""

    pair: Pair
    one: Spot
    other: Spot


@dataclass(frozen=True, slots=True)
class Health:
    """What the page shows. `consolidates`: whether searches leave the traces that promotions are made from."""

    sizes: tuple[Size, ...]
    uses: Uses
    review: Reviewed
    disagree: tuple[Match, ...]
    twice: tuple[Match, ...]
    consolidates: bool


@agent_page("view")
@require_safe
def memory_health(request: HttpRequest, access: Access) -> HttpResponse:
    return answer(request, "memory_health/page.html", {"access": access, "health": _health(access)})


@agent_page("edit")
@require_http_methods(["GET", "HEAD", "POST"])
def review(request: HttpRequest, access: Access) -> HttpResponse:
    """Starts it. Whoever only opens the address, as after signing in on the way, is led to the page."""
    if request.method != "POST":
        return redirect("memory-health", access.agent.slug)
    run = request_review(actor=access.actor, agent=access.agent)
    if dispatch(run):
        messages.success(request, gettext("Scanning notes. Nothing is changed."))
    else:
        messages.warning(request, gettext("The scan starts when the workers are back; they can't be reached now."))
    return redirect("memory-health", access.agent.slug)


def _health(access: Access) -> Health:
    reviewed = last_review(access.agent)
    return Health(
        sizes=sizes(access.agent),
        uses=uses(access.agent),
        review=reviewed,
        disagree=tuple(_match(access, pair) for pair in reviewed.disagree),
        twice=tuple(_match(access, pair) for pair in reviewed.twice),
        consolidates=read_settings(access.agent).consolidate_enabled,
    )


def _match(access: Access, pair: Pair) -> Match:
    return Match(pair, _spot(access, pair.one), _spot(access, pair.other))


def _spot(access: Access, place: Place) -> Spot:
    return Spot(place, reader_address(access.agent.slug, place.path, Lines(place.line, place.line)))
