"""Make, rotate and revoke API keys. A secret is in the one answer that follows its making, and nowhere else."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from agents.access import keys
from agents.admin import actor_of
from agents.core.errors import Invalid
from agents.registry import selectors
from memory_appliance.web.access import owner_page
from memory_appliance.web.diff import visible
from memory_appliance.web.page import answer
from memory_appliance.web.people.key_forms import NewKeyForm, RotationForm
from memory_appliance.web.refusals import refused


@owner_page
@require_http_methods(["GET", "HEAD", "POST"])
def new_key(request: HttpRequest) -> HttpResponse:
    form = NewKeyForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            made = keys.create_key(actor=actor_of(request), **form.values())
        except Invalid as error:
            refused(form, error)
        else:
            return answer(request, "people/key_made.html", {"key": made.row, "secret": made.secret})
    return answer(request, "people/key_new.html", {"form": form}, status=422 if form.errors else 200)


@owner_page
@require_http_methods(["GET", "HEAD", "POST"])
def rotate_key(request: HttpRequest, number: int) -> HttpResponse:
    key = selectors.get_key(number)
    form = RotationForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        overlap = timedelta(seconds=form.cleaned_data["overlap"])
        made = keys.rotate_key(actor=actor_of(request), key=key, overlap=overlap)
        context = {"key": made.row, "secret": made.secret, "rotated": True, "overlaps": bool(overlap)}
        return answer(request, "people/key_made.html", context)
    return answer(request, "people/key_rotate.html", {"form": form, "key": key}, status=422 if form.errors else 200)


@owner_page
@require_http_methods(["GET", "HEAD", "POST"])
def revoke_key(request: HttpRequest, number: int) -> HttpResponse:
    key = selectors.get_key(number)
    name = visible(key.name)
    if request.method == "POST" and request.POST.get("confirmed") == "yes":
        keys.revoke_key(actor=actor_of(request), key=key)
        messages.success(request, _("Key “%(name)s” revoked.") % {"name": name})
        return redirect("keys")
    context = {
        "heading": _("Revoke the key “%(name)s”?") % {"name": name},
        "will": [
            _("Programs that use it are refused from now on, also with an older secret."),
            _("This can't be undone. A new key has a new secret."),
        ],
        "will_not": [_("Notes written with it stay."), _("The audit log keeps its entries.")],
        "action": _("Revoke key"),
        "back": reverse("keys"),
    }
    return answer(request, "confirm.html", context)
