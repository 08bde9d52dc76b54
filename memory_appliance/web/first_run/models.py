"""/start/models: what searches by meaning already, and what else could be downloaded; nothing of it is needed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from agents.admin import actor_of
from agents.models import Run
from agents.providers.downloads import models_dir, request_pull, use_local_model
from agents.providers.plans import server_plan
from memory_appliance.embedding import models_client
from memory_appliance.web.access import owner_page
from memory_appliance.web.agent.job_words import Job, job_of
from memory_appliance.web.first_run.steps import first_agent, steps
from memory_appliance.web.page import answer
from search.runtime.presets import BUNDLED, PRESETS, Role
from search.runtime.providers.choice import LOCAL
from search.runtime.registry import SETS, ModelSet, locate_any
from workers.dispatch import dispatch

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    from workers.model_status import ModelStatus

NOTES: Mapping[str, StrOrPromise] = {
    "bundled": gettext_lazy("Nothing to download. Search by words and by meaning in 6 languages."),
    "home-4": gettext_lazy("Better search by meaning. No other model is loaded."),
    "home-8": gettext_lazy("Reranks about five results in a few seconds and writes short summaries."),
    "home-16": gettext_lazy("Needs four cores or more."),
}
FAST_SECONDS, SLOW_SECONDS = 2, 15
MOST_DOWNLOADS = 6
_GB = 1024**3


@dataclass(frozen=True, slots=True)
class SetCard:
    """Models that go together. `missing_mb` is what would have to be downloaded."""

    models: ModelSet
    note: StrOrPromise
    missing_mb: int
    in_use: bool
    too_large: bool
    loading: bool


@dataclass(frozen=True, slots=True)
class ModelsPage:
    status: ModelStatus
    cards: tuple[SetCard, ...]
    downloads: tuple[Job, ...]

    @property
    def poll_seconds(self) -> int:
        busy = any(job.active for job in self.downloads) or self.status.state in ("building", "loading", "down")
        return FAST_SECONDS if busy else SLOW_SECONDS


@owner_page
@require_http_methods(["GET", "HEAD", "POST"])
def models(request: HttpRequest) -> HttpResponse:
    """POST `set` downloads what is missing of it; when all is there, it is put in use."""
    if request.method == "POST":
        chosen = next((one for one in SETS if one.id == request.POST.get("set")), None)
        if chosen is not None:
            _take(request, chosen)
        return HttpResponseRedirect(reverse("start-models"))
    context = {"page": _page(), "steps": steps("models", first_agent())}
    return answer(request, "first_run/models.html", context)


def _take(request: HttpRequest, chosen: ModelSet) -> None:
    missing = [model for model in _models(chosen).values() if not _is_there(model)]
    if missing:
        sent = [dispatch(request_pull(actor=actor_of(request), model=model)) for model in missing]
        if all(sent):
            messages.success(request, _("Download started. You can continue meanwhile."))
        else:
            messages.warning(request, _("The message broker doesn't respond. The download starts when it is back."))
        return
    for role, model in _models(chosen).items():
        use_local_model(actor=actor_of(request), role=role, model=model)
    messages.success(request, _("These models are now in use."))


def _page() -> ModelsPage:
    runs = Run.objects.filter(kind=Run.Kind.PULL)[:MOST_DOWNLOADS]
    jobs = tuple(job_of(run) for run in runs)
    busy = {job.run.subject for job in jobs if job.active}
    memory_gb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / _GB
    plan = server_plan("embed").first
    embeds = (plan.model or BUNDLED.id) if plan.provider == LOCAL else ""
    cards = tuple(
        SetCard(
            one,
            note=NOTES.get(one.id, one.note),
            missing_mb=sum(_size_mb(model) for model in _models(one).values() if not _is_there(model)),
            in_use=embeds == one.embed,
            too_large=one.memory_gb > memory_gb + 1,
            loading=any(model in busy for model in _models(one).values()),
        )
        for one in SETS
    )
    return ModelsPage(models_client().status(), cards, jobs)


def _models(chosen: ModelSet) -> dict[Role, str]:
    named = {role: str(getattr(chosen, role)) for role in get_args(Role)}
    return {role: model for role, model in named.items() if model}


def _is_there(model: str) -> bool:
    """The bundled one comes by itself: it is made, not downloaded."""
    return model == BUNDLED.id or locate_any(model, models_dir()).path.is_file()


def _size_mb(model: str) -> int:
    preset = PRESETS[model]
    return preset.bytes // 1024**2 if preset.bytes else preset.about_mb
