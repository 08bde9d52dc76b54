"""Who may open a page: the one gate every page of the web admin stands behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from agents.access.roles import ROLES, Role, is_owner, role_with
from agents.admin import actor_of
from agents.core.actors import Actor, Caller
from agents.models import Agent
from memory_appliance.web.kept_form import holds_writing, kept_form
from memory_appliance.web.page import bare_failure

Rest = ParamSpec("Rest")
Page = TypeVar("Page", bound=HttpResponseBase)


@dataclass(frozen=True, slots=True)
class Access:
    """One person at one agent: `role` is what they may do there, each role including those before it."""

    agent: Agent
    role: Role
    actor: Actor

    @property
    def caller(self) -> Caller:
        """The person as the use-cases know them: roles have been asked, scope rules are for chats."""
        return Caller(self.actor, trusted=True)

    def may(self, role: Role) -> bool:
        return ROLES.index(self.role) >= ROLES.index(role)

    @property
    def may_edit(self) -> bool:
        return self.may("edit")

    @property
    def may_admin(self) -> bool:
        return self.may("admin")


def person_page(view: Callable[Concatenate[HttpRequest, Rest], HttpResponse]) -> Callable[..., HttpResponse]:
    """A page for everybody who is signed in; what it shows is the view's own care."""

    @wraps(view)
    def gated(request: HttpRequest, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        if not request.user.is_authenticated:
            return _signed_out(request)
        return view(request, *args, **kwargs)

    return gated


def owner_page(view: Callable[Concatenate[HttpRequest, Rest], HttpResponse]) -> Callable[..., HttpResponse]:
    """A page about the whole appliance, for its owners."""

    @wraps(view)
    def gated(request: HttpRequest, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        if not request.user.is_authenticated:
            return _signed_out(request)
        if not is_owner(request.user):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return gated


def agent_page(role: Role = "view") -> Callable[[Callable[..., Page]], Callable[..., Page | HttpResponse]]:
    """A page of one agent: the view takes (request, access, ...). Whoever has no role there gets a 404, as if there
    were no such agent; whoever has a lesser one than `role` is refused."""

    def gate(view: Callable[..., Page]) -> Callable[..., Page | HttpResponse]:
        @wraps(view)
        def gated(request: HttpRequest, slug: str, **kwargs: Any) -> Page | HttpResponse:
            if not request.user.is_authenticated:
                return _signed_out(request)
            access = access_to(request, slug)
            if not access.may(role):
                raise PermissionDenied
            return view(request, access, **kwargs)

        return gated

    return gate


def access_to(request: HttpRequest, slug: str) -> Access:
    """The signed-in person's access to the agent `slug`; Http404 when there is none."""
    agent = Agent.objects.filter(slug=slug).first()
    role = role_with(request.user, agent) if agent is not None else None
    if agent is None or role is None:
        raise Http404
    return Access(agent=agent, role=role, actor=actor_of(request))


def _signed_out(request: HttpRequest) -> HttpResponse:
    """To the sign-in page and back; a form with somebody's writing waits where it is."""
    if not holds_writing(request):
        return redirect_to_login(request.get_full_path())
    return bare_failure(
        request,
        status=403,
        message=_("You have been signed out."),
        hint=_("Nothing was saved. Sign in in another tab, then come back here and send your text again."),
        signed_out=True,
        **kept_form(request),
    )
