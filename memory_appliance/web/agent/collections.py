"""The collections of an agent: the list, a form with a live look at what it would take, and taking one out."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from agents.access.roles import agents_for, is_owner
from agents.access.sharing import leave_share, share_collection
from agents.core.errors import NotFound, RuleError
from agents.core.paths import allowed_roots
from agents.indexes.specs import shared_name
from agents.memory import reads
from agents.models import Collection, CollectionShare
from agents.registry import selectors
from agents.registry.collections import create_collection, delete_collection, update_collection
from agents.registry.preview import Preview
from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.agent.collection_form import (
    KINDS,
    ORIGINS,
    CollectionForm,
    check_reach,
    form_of,
    preview_form,
    read_form,
)
from memory_appliance.web.agent.passed_over import passed_over_in_words
from memory_appliance.web.page import answer
from search.errors import IndexUnavailable


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """`counts`: files, chunks and problems in the index; None while it has none."""

    collection: Collection
    readers: tuple[str, ...]
    counts: tuple[int, int, int] | None


@dataclass(frozen=True, slots=True)
class SharedRow:
    name: str
    share: CollectionShare
    counts: tuple[int, int, int] | None


@agent_page("admin")
@require_safe
def collections(request: HttpRequest, access: Access) -> HttpResponse:
    counts = _counts(access)
    known = set(selectors.list_agents(agents_for(request.user)).values_list("slug", flat=True))
    rows = [
        CollectionRow(one, tuple(_readers(one, known)), counts.get(one.name))
        for one in selectors.list_collections(access.agent)
    ]
    shared = [
        SharedRow(shared_name(share), share, counts.get(shared_name(share))) for share in access.agent.shared_in.all()
    ]
    return answer(request, "agent/collections.html", {"access": access, "rows": rows, "shared": shared})


@agent_page("admin")
@require_http_methods(["GET", "HEAD", "POST"])
def collection(request: HttpRequest, access: Access) -> HttpResponse:
    """?name= is the one to change; without it a new one is made. `do=preview` looks and stores nothing."""
    stored = _named(access, request.GET.get("name", "")) if "name" in request.GET else None
    everywhere = is_owner(request.user)
    if request.method != "POST":
        form = form_of(stored, _readers(stored, _known_slugs(request))) if stored else CollectionForm()
        return _shown(request, access, form)
    form = read_form(request.POST, stored)
    if request.POST.get("do") == "preview":
        return _shown(request, access, form)
    try:
        check_reach(form, access.agent, everywhere=everywhere)
        with transaction.atomic():
            saved = _save(access, form)
            share_collection(
                actor=access.actor,
                collection=saved,
                readers=form.slugs,
                known=agents_for(request.user, "admin"),
            )
    except RuleError as error:
        return _shown(request, access, form.refused(error), status=422)
    messages.success(request, _("%(name)s saved. The index is updated within seconds.") % {"name": saved.name})
    return HttpResponseRedirect(reverse("agent-collections", args=[access.agent.slug]))


@agent_page("admin")
@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: HttpRequest, access: Access) -> HttpResponse:
    """Take a collection out, or give back what another agent shares."""
    name = request.POST.get("name") or request.GET.get("name", "")
    back = reverse("agent-collections", args=[access.agent.slug])
    if not name:
        return HttpResponseRedirect(back)
    share = selectors.get_share(access.agent, name)
    stored = None if share else _named(access, name)
    if request.method == "POST" and request.POST.get("confirmed") == "yes":
        if share is not None:
            leave_share(actor=access.actor, share=share)
        elif stored is not None:
            delete_collection(actor=access.actor, collection=stored)
        messages.success(request, _("%(name)s removed. Its files are still there.") % {"name": name})
        return HttpResponseRedirect(back)
    context = {
        "heading": _("Remove %(name)s?") % {"name": name},
        "will": [_("This agent's searches no longer find its files.")]
        + ([] if share else [_("Agents that share it lose it too.")]),
        "will_not": [_("No file is deleted or changed."), _("You can add it again at any time.")],
        "action": _("Remove collection"),
        "back": back,
        "fields": {"name": name},
    }
    return answer(request, "confirm.html", context)


def _shown(request: HttpRequest, access: Access, form: CollectionForm, *, status: int = 200) -> HttpResponse:
    found: Preview | None = None
    if not form.errors.get("path"):
        wrong = form.errors
        form, found = preview_form(form, access.agent, everywhere=is_owner(request.user))
        form.errors.update(wrong)
    context = {
        "access": access,
        "form": form,
        "preview": found,
        "passed_over": passed_over_in_words(found.passed_over) if found else [],
        "kinds": KINDS,
        "origins": ORIGINS,
        "roots": [str(root) for root in allowed_roots()] if is_owner(request.user) else [access.agent.workspace],
        "agents": sorted(_known_slugs(request) - {access.agent.slug}),
    }
    return answer(request, "agent/collection.html", context, status=status)


def _save(access: Access, form: CollectionForm) -> Collection:
    if form.stored is None:
        return create_collection(
            actor=access.actor,
            agent=access.agent,
            name=form.name,
            path=form.path,
            pattern=form.pattern,
            ignore=form.globs,
            context=form.context,
            kind=form.kind,
            include_by_default=form.include_by_default,
            origin=form.origin,
        )
    return update_collection(
        actor=access.actor,
        collection=form.stored,
        path=None if form.built_in else form.path,
        pattern=None if form.built_in else form.pattern,
        ignore=form.globs,
        context=form.context,
        include_by_default=form.include_by_default,
        origin=form.origin,
    )


def _named(access: Access, name: str) -> Collection:
    try:
        return selectors.get_collection(access.agent, name)
    except NotFound as error:
        raise Http404 from error


def _readers(stored: Collection, known: set[str]) -> list[str]:
    """Agents that the person does not know of are not named."""
    return [agent.slug for agent in selectors.shared_with(stored) if agent.slug in known]


def _known_slugs(request: HttpRequest) -> set[str]:
    return set(selectors.list_agents(agents_for(request.user, "admin")).values_list("slug", flat=True))


def _counts(access: Access) -> dict[str, tuple[int, int, int]]:
    try:
        parts = reads.status(access.agent).collections
    except IndexUnavailable:
        return {}
    return {part.name: (part.files, part.chunks, len(part.problems)) for part in parts}
