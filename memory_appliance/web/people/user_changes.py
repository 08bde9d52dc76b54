"""Add, change and delete people. The rules keep an owner; whoever changes their own password stays signed in."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from agents.access import users
from agents.admin import actor_of
from agents.core.errors import RuleError
from agents.registry import selectors
from memory_appliance.web.access import owner_page
from memory_appliance.web.page import answer
from memory_appliance.web.people.user_forms import NewUserForm, RolesForm, UserForm
from memory_appliance.web.refusals import refused


@owner_page
@require_http_methods(["GET", "HEAD", "POST"])
def new_user(request: HttpRequest) -> HttpResponse:
    form = NewUserForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            user = users.create_user(actor=actor_of(request), **form.values())
        except RuleError as error:
            refused(form, error)
        else:
            messages.success(request, _("%(name)s added.") % {"name": user.username})
            return redirect("users" if user.is_superuser else reverse("user", args=[user.pk]))
    return answer(request, "people/user_new.html", {"form": form}, status=422 if form.errors else 200)


@owner_page
@require_http_methods(["GET", "HEAD", "POST"])
def change_user(request: HttpRequest, number: int) -> HttpResponse:
    """Two forms: `do` says which one was sent, `roles` or the person themselves."""
    user = selectors.get_user(number)
    do = request.POST.get("do") if request.method == "POST" else ""
    initial = {"owner": user.is_superuser, "active": user.is_active}
    form = UserForm(request.POST if do == "person" else None, initial=initial)
    roles = RolesForm(user, request.POST if do == "roles" else None)
    if (do == "person" and _change_person(request, user, form)) or (
        do == "roles" and _change_roles(request, user, roles)
    ):
        messages.success(request, _("Saved."))
        return redirect("user", number)
    context = {"person": user, "form": form, "roles": roles}
    return answer(request, "people/user.html", context, status=422 if form.errors or roles.errors else 200)


@owner_page
@require_http_methods(["GET", "HEAD", "POST"])
def delete_user(request: HttpRequest, number: int) -> HttpResponse:
    user = selectors.get_user(number)
    name = user.username
    if request.method == "POST" and request.POST.get("confirmed") == "yes":
        users.delete_user(actor=actor_of(request), user=user)
        messages.success(request, _("%(name)s deleted.") % {"name": name})
        return redirect("users")
    context = {
        "heading": _("Delete %(name)s?") % {"name": name},
        "will": [_("The person is signed out everywhere and can't sign in any more."), _("Their roles are deleted.")],
        "will_not": [
            _("No agent, file or note is changed."),
            _("API keys stay, because they don't belong to a person. Revoke the ones this person knows."),
            _("The audit log keeps their entries."),
        ],
        "action": _("Delete person"),
        "back": reverse("user", args=[number]),
    }
    return answer(request, "confirm.html", context)


def _change_person(request: HttpRequest, user: User, form: UserForm) -> bool:
    if not form.is_valid():
        return False
    changes = form.changes(user)
    try:
        changed = users.update_user(actor=actor_of(request), user=user, **changes)
    except RuleError as error:
        refused(form, error)
        return False
    if "password" in changes and user.pk == request.user.pk:
        update_session_auth_hash(request, changed)
    return True


def _change_roles(request: HttpRequest, user: User, form: RolesForm) -> bool:
    if not form.is_valid():
        return False
    try:
        users.update_user(actor=actor_of(request), user=user, roles=form.roles())
    except RuleError as error:
        refused(form, error)
        return False
    return True
