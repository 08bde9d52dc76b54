"""Models of this server: what is there, what is in memory, downloads with their progress, and who does which role."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from agents.admin import actor_of
from agents.models import Run
from agents.providers.downloads import remove_model, request_pull, use_local_model
from agents.providers.plans import ROLES, server_plan
from memory_appliance.api.schemas.models import ModelAnswer, SetAnswer, models_answer
from memory_appliance.api.schemas.providers import RoleAnswer, role_answer
from memory_appliance.embedding import models_client
from memory_appliance.web.access import owner_page
from memory_appliance.web.diff import visible
from memory_appliance.web.page import answer
from memory_appliance.web.system.role_words import ROLE_WORDS, RoleWords
from search.runtime.presets import Role
from workers.dispatch import dispatch
from workers.model_status import ModelStatus

FAST_SECONDS, SLOW_SECONDS = 2, 15
MOST_DOWNLOADS = 200
"""Runs looked through for the last download of each model."""


@dataclass(frozen=True, slots=True)
class ModelRow:
    """`download`: the last one, where it is under way or has failed."""

    model: ModelAnswer
    download: Run | None
    chosen: bool


@dataclass(frozen=True, slots=True)
class RoleRow:
    answer: RoleAnswer
    words: RoleWords


@dataclass(frozen=True, slots=True)
class ModelsPage:
    status: ModelStatus
    roles: tuple[RoleRow, ...]
    rows: tuple[ModelRow, ...]
    others: tuple[Run, ...]
    """Downloads of models that the registry does not name."""
    sets: tuple[SetAnswer, ...]
    folder: str

    @property
    def busy(self) -> bool:
        downloads = [row.download for row in self.rows if row.download is not None] + list(self.others)
        return self.status.state in ("building", "loading") or any(run.state in Run.ACTIVE for run in downloads)

    @property
    def poll_seconds(self) -> int:
        return FAST_SECONDS if self.busy else SLOW_SECONDS


@owner_page
@require_safe
def models(request: HttpRequest) -> HttpResponse:
    return answer(request, "system/models.html", {"page": models_page()})


def models_page() -> ModelsPage:
    found = models_answer()
    downloads = _downloads()
    plans = {role: server_plan(role) for role in ROLES}
    chosen = {plan.first.model for plan in plans.values() if plan.first.provider == "local"}
    rows = tuple(ModelRow(one, downloads.pop(one.id, None), one.id in chosen) for one in found.items)
    return ModelsPage(
        status=models_client().status(),
        roles=tuple(RoleRow(role_answer(plan), ROLE_WORDS[role]) for role, plan in plans.items()),
        rows=rows,
        others=tuple(downloads.values()),
        sets=tuple(found.sets),
        folder=found.folder,
    )


@owner_page
def pull(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":  # as after signing in on the way
        return redirect("models")
    run = request_pull(actor=actor_of(request), model=request.POST.get("model", "").strip())
    if not dispatch(run):
        messages.info(request, _("The message broker doesn't respond. The download starts when it is back."))
    return redirect("models")


@owner_page
def use(request: HttpRequest) -> HttpResponse:
    """A model does its role for the whole server; another embedder means another index for everybody: ask first."""
    if request.method != "POST":
        return redirect("models")
    role, model = _role(request.POST.get("role", "")), request.POST.get("model", "")
    if role == "embed" and request.POST.get("confirmed") != "yes":
        return answer(request, "confirm.html", new_embedder(model, {"role": role, "model": model}, reverse("models")))
    use_local_model(actor=actor_of(request), role=role, model=model)
    messages.success(request, _("Now using %(model)s.") % {"model": visible(model)})
    return redirect("models")


@owner_page
@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: HttpRequest) -> HttpResponse:
    name = (request.POST or request.GET).get("model", "")
    if not name:
        return redirect("models")
    if request.method == "POST" and request.POST.get("confirmed") == "yes":
        remove_model(actor=actor_of(request), model=name)
        messages.success(request, _("The file of %(model)s was deleted.") % {"model": visible(name)})
        return redirect("models")
    context = {
        "heading": _("Delete the file of %(model)s?") % {"model": visible(name)},
        "will": [_("The file is deleted from the disk. To use the model again, download it again.")],
        "will_not": [_("A model in use isn't deleted."), _("No index and no note is changed.")],
        "action": _("Delete file"),
        "back": reverse("models"),
        "fields": {"model": name},
    }
    return answer(request, "confirm.html", context)


def new_embedder(model: str, fields: dict[str, str], back: str) -> dict[str, object]:
    """What `confirm.html` asks before everybody's vectors are made anew."""
    return {
        "heading": _("Use %(model)s for embedding?") % {"model": visible(model)},
        "will": [
            _("The index of every agent that uses the server default is rebuilt. The old index answers until then."),
            _("This takes minutes for small memories and hours for very large ones."),
        ],
        "will_not": [
            _("No file is changed."),
            _("Search keeps working with the old vectors meanwhile."),
        ],
        "action": _("Use this model"),
        "back": back,
        "fields": fields,
    }


def _role(text: str) -> Role:
    role = next((role for role in ROLES if role == text), None)
    if role is None:
        raise Http404
    return role


def _downloads() -> dict[str, Run]:
    """Model → its last download, unless that went well or was called off."""
    last: dict[str, Run] = {}
    for run in Run.objects.filter(kind=Run.Kind.PULL)[:MOST_DOWNLOADS]:
        last.setdefault(run.subject, run)
    return {name: run for name, run in last.items() if run.state in (*Run.ACTIVE, Run.State.FAILED)}
