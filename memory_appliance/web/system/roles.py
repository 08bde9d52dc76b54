"""Who does one role for the whole server: choose, try whoever might, or go back to what the options say."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from agents.admin import actor_of
from agents.core.errors import Invalid
from agents.providers.choices import (
    TestReport,
    checked_address,
    checked_choice,
    reset_provider,
    set_provider,
    test_plan,
)
from agents.providers.downloads import models_dir
from agents.providers.plans import ROLES, RolePlan, server_plan
from memory_appliance.api.schemas.providers import providers_answer, role_answer
from memory_appliance.web.access import owner_page
from memory_appliance.web.page import answer
from memory_appliance.web.refusals import refused
from memory_appliance.web.system.models import new_embedder
from memory_appliance.web.system.role_words import ROLE_WORDS
from search.runtime.presets import Role
from search.runtime.providers.choice import NONE, parse_choice
from search.runtime.registry import installed


class RoleForm(forms.Form):
    model = forms.CharField(
        label=gettext_lazy("Provider and model"),
        max_length=300,
        help_text=gettext_lazy("A provider or provider:model, for example openai:text-embedding-3-small."),
        widget=forms.TextInput(attrs={"list": "choices", "autocomplete": "off", "spellcheck": "false"}),
    )
    fallback = forms.CharField(
        label=gettext_lazy("Fallback (optional)"),
        required=False,
        max_length=300,
        help_text=gettext_lazy("Used when the first doesn't respond. Empty: no fallback."),
        widget=forms.TextInput(attrs={"list": "choices", "autocomplete": "off", "spellcheck": "false"}),
    )
    base_url = forms.CharField(
        label=gettext_lazy("Address"),
        required=False,
        max_length=500,
        help_text=gettext_lazy("Empty: the provider's usual address. No key is sent to an address set here."),
        widget=forms.URLInput(attrs={"autocomplete": "off"}),
    )
    dimensions = forms.IntegerField(
        label=gettext_lazy("Dimensions"),
        required=False,
        min_value=8,
        max_value=8192,
        help_text=gettext_lazy("Fewer dimensions save space. Empty: all."),
    )

    def __init__(self, role: Role, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.role = role
        if role != "embed":
            del self.fields["dimensions"]

    def values(self) -> dict[str, Any]:
        """As `set_provider` takes them."""
        return {"dimensions": None, **self.cleaned_data}

    def plan(self) -> RolePlan:
        """What was filled in, to be tried before it is saved; the first choice alone. Raises `Invalid`."""
        given = self.values()
        return RolePlan(
            self.role,
            parse_choice(self.role, checked_choice(self.role, given["model"], field="model")),
            base_url=checked_address(given["base_url"], field="base_url"),
            dims=given["dimensions"],
        )


@owner_page
@require_http_methods(["GET", "HEAD", "POST"])
def role_page(request: HttpRequest, role: str) -> HttpResponse:
    """`do`: save, test or reset."""
    wanted = next((known for known in ROLES if known == role), None)
    if wanted is None:
        raise Http404
    do = request.POST.get("do", "") if request.method == "POST" else ""
    if do == "reset":
        reset_provider(actor=actor_of(request), role=wanted)
        messages.success(request, _("Now using the server default."))
        return redirect("models")
    form = RoleForm(wanted, request.POST if do else None, initial=_initial(wanted))
    report = None
    if do and form.is_valid():
        try:
            if do == "test":
                report = test_plan(form.plan())
            elif done := _save(request, wanted, form):
                return done
        except Invalid as error:
            error.field = error.field.removeprefix(f"{role}.")
            refused(form, error)
    return answer(request, "system/role.html", _context(wanted, form, report), status=422 if form.errors else 200)


def _save(request: HttpRequest, role: Role, form: RoleForm) -> HttpResponse:
    plan = form.plan()
    changed = plan.first != server_plan(role).first
    if role == "embed" and changed and request.POST.get("confirmed") != "yes":
        fields = {"do": "save", **{name: value or "" for name, value in form.cleaned_data.items()}}
        return answer(request, "confirm.html", new_embedder(str(plan.first), fields, reverse("role", args=[role])))
    set_provider(actor=actor_of(request), role=role, **form.values())
    messages.success(request, _("Saved."))
    return redirect("models")


def _context(role: Role, form: RoleForm, report: TestReport | None) -> dict[str, object]:
    providers = [provider for provider in providers_answer().providers if role in provider.roles]
    local = [f"local:{model.preset.id}" for model in installed(role, models_dir())]
    return {
        "role": role,
        "words": ROLE_WORDS[role],
        "form": form,
        "report": report,
        "now": role_answer(server_plan(role)),
        "providers": providers,
        "choices": ["local", *local, *(provider.name for provider in providers), NONE],
    }


def _initial(role: Role) -> dict[str, object]:
    plan = server_plan(role)
    return {
        "model": str(plan.first),
        "fallback": "" if plan.second.provider == NONE else str(plan.second),
        "base_url": plan.base_url,
        "dimensions": plan.dims,
    }
