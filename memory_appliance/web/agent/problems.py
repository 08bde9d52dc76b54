"""Every file and folder that was skipped, with the reason and the way out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from agents.memory import reads
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.page import answer
from search.documents.remedies import Remedy, remedy
from search.errors import IndexUnavailable

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

PER_PAGE = 100
MOST_PAGES = 10_000

WAYS_OUT: Mapping[Remedy, StrOrPromise] = {
    "gone": _("The folder or file is missing. Restore it, or remove the collection."),
    "link": _("Put the file itself here, or add the link's target folder as a collection."),
    "unreadable": _("Give the server's user read access: check owner and mode."),
    "large": _("Split it into smaller files."),
    "deep": _("Move it up, or add its folder as its own collection."),
    "no_file": _("Only ordinary files are read. Move it elsewhere, or exclude it."),
    "encoding": _("Save the file as UTF-8. It is searched, but some characters are lost."),
    "front_matter": _("Fix the lines between --- at the top, so that title and importance apply again."),
    "rubbish": _("Nothing, if intended: the rest of the file is searched. Keep encoded files out of notes."),
    "name": _("Rename it to something simpler."),
    "other": _("Check the file, or exclude it from the collection."),
}


@dataclass(frozen=True, slots=True)
class SkippedFile:
    collection: str
    path: str
    problem: str
    way_out: StrOrPromise


@dataclass(frozen=True, slots=True)
class ProblemList:
    rows: tuple[SkippedFile, ...]
    total: int
    number: int

    @property
    def newer(self) -> str:
        return str(self.number - 1) if self.number > 1 else ""

    @property
    def older(self) -> str:
        return str(self.number + 1) if self.number * PER_PAGE < self.total else ""


@agent_page("view")
@require_safe
def problems(request: HttpRequest, access: Access) -> HttpResponse:
    asked = request.GET.get("page", "")
    number = min(int(asked), MOST_PAGES) if asked.isascii() and asked.isdigit() and 0 < len(asked) < 9 else 1
    return answer(request, "agent/problems.html", {"access": access, "page": _page(access, max(1, number))})


def _page(access: Access, number: int) -> ProblemList:
    try:
        parts = reads.status(access.agent).collections
    except IndexUnavailable:
        parts = ()
    total = sum(len(part.problems) for part in parts)
    every = ((part.name, item) for part in parts for item in part.problems)
    begin = (number - 1) * PER_PAGE
    rows = tuple(
        SkippedFile(name, item.path, item.problem, WAYS_OUT[remedy(item.problem)])
        for name, item in islice(every, begin, begin + PER_PAGE)
    )
    return ProblemList(rows, total, number)
