"""/start: makes the first owner where there is none; an owner is led to where the start goes on."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.contrib.auth import login
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from agents.access.first_owner import create_first_owner, nobody_yet
from agents.access.roles import is_owner
from agents.core.actors import Actor
from agents.core.audit import record
from agents.core.errors import Conflict, Invalid
from memory_appliance.admission.throttles import TooMany
from memory_appliance.web.first_run.door import holds_the_key, is_local
from memory_appliance.web.first_run.steps import goes_on_at, steps
from memory_appliance.web.page import answer, failure
from memory_appliance.web.told import refusal

MAX_CHARS = 1000


@dataclass(frozen=True, slots=True)
class OwnerForm:
    """`needs_key`: the person is not at this machine, and shows that they started the server."""

    name: str = "admin"
    needs_key: bool = False
    errors: dict[str, str] = field(default_factory=dict)


@sensitive_post_parameters("password", "again", "key")
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest) -> HttpResponse:
    if not nobody_yet():
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not is_owner(request.user):
            raise PermissionDenied
        return HttpResponseRedirect(goes_on_at())
    if request.method != "POST":
        return _shown(request, OwnerForm(needs_key=not is_local(request)))
    return _create(request)


def _create(request: HttpRequest) -> HttpResponse:
    name = request.POST.get("name", "").strip()[:MAX_CHARS]
    password, again = request.POST.get("password", "")[:MAX_CHARS], request.POST.get("again", "")[:MAX_CHARS]
    actor = Actor("visitor", str(request.META.get("REMOTE_ADDR", "")))
    needs_key = not is_local(request)
    try:
        if needs_key and not holds_the_key(request, request.POST.get("key", "").strip()):
            record(actor=actor, action="user.start.denied")
            wrong = {"key": _("This isn't the admin key that the server printed at its first start.")}
            return _shown(request, OwnerForm(name, needs_key, wrong), status=403)
        if password != again:
            wrong = {"again": _("The passwords don't match.")}
            return _shown(request, OwnerForm(name, needs_key, wrong), status=422)
        user = create_first_owner(actor=actor, name=name, password=password)
    except TooMany as error:
        slow = failure(
            request, status=429, message=str(error), hint=_("Try again in %(n)s seconds.") % {"n": error.retry_after}
        )
        slow["Retry-After"] = str(error.retry_after)
        return slow
    except Invalid as error:
        wrong = {error.field or "name": refusal(error)}
        return _shown(request, OwnerForm(name, needs_key, wrong), status=422)
    except Conflict:
        return redirect_to_login(request.get_full_path())
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    record(actor=Actor(f"user:{user.username}", actor.address), action="user.login")
    return HttpResponseRedirect(goes_on_at())


def _shown(request: HttpRequest, form: OwnerForm, *, status: int = 200) -> HttpResponse:
    return answer(request, "first_run/owner.html", {"form": form, "steps": steps("owner")}, status=status)
