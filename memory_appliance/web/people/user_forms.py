"""What can be said of a person: name, password, owner or member, and a role for each agent."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from agents.access.roles import ROLES, Role
from agents.models import Agent
from agents.registry import selectors
from memory_appliance.api.schemas.users import MAX_PASSWORD_CHARS
from memory_appliance.web.people.users import ROLE_WORDS

MOST_AGENTS = 500
"""Agents that the form offers; the API takes any."""

_NEW_PASSWORD = forms.PasswordInput(attrs={"autocomplete": "new-password"})


class NewUserForm(forms.Form):
    name = forms.CharField(
        label=_("Name"), max_length=150, widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"})
    )
    password = forms.CharField(
        label=_("Password"),
        required=False,
        max_length=MAX_PASSWORD_CHARS,
        strip=False,
        widget=_NEW_PASSWORD,
        help_text=_("Ten characters or more. Empty: only single sign-on."),
    )
    owner = forms.BooleanField(
        label=_("Owner"), required=False, help_text=_("Can see and change everything. Members have a role per agent.")
    )

    def values(self) -> dict[str, Any]:
        """As `create_user` takes them."""
        given = self.cleaned_data
        return {"name": given["name"], "password": given["password"] or None, "owner": given["owner"]}


class UserForm(forms.Form):
    owner = forms.BooleanField(
        label=_("Owner"), required=False, help_text=_("Can see and change everything. Members have a role per agent.")
    )
    active = forms.BooleanField(
        label=_("May sign in"), required=False, help_text=_("Off: the person is signed out at once.")
    )
    password = forms.CharField(
        label=_("New password"),
        required=False,
        max_length=MAX_PASSWORD_CHARS,
        strip=False,
        widget=_NEW_PASSWORD,
        help_text=_("Empty: no change. A new password ends the person's sessions."),
    )

    def changes(self, user: User) -> dict[str, Any]:
        """What differs from the person as they are, as `update_user` takes it."""
        given = self.cleaned_data
        changed: dict[str, Any] = {}
        if given["owner"] != user.is_superuser:
            changed["owner"] = given["owner"]
        if given["active"] != user.is_active:
            changed["active"] = given["active"]
        if given["password"]:
            changed["password"] = given["password"]
        return changed


class RolesForm(forms.Form):
    """A choice for each role that the person has, and one more; an empty choice takes a role away.

    A role that the form does not name was given after it was opened, and stays.
    """

    add = forms.ChoiceField(label=_("Another agent"), required=False)
    add_role = forms.ChoiceField(label=_("Role"), required=False, choices=[(role, ROLE_WORDS[role]) for role in ROLES])

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.had = selectors.roles_of(user)
        for slug, role in self.had.items():
            self.fields[f"role-{slug}"] = forms.ChoiceField(
                label=slug,
                required=False,
                initial=role,
                choices=[("", _("remove role")), *((known, ROLE_WORDS[known]) for known in ROLES)],
            )
        others = Agent.objects.exclude(slug__in=self.had).values_list("slug", flat=True)[:MOST_AGENTS]
        cast(forms.ChoiceField, self.fields["add"]).choices = [("", "–"), *((slug, slug) for slug in others)]

    def role_fields(self) -> list[forms.BoundField]:
        return [self[f"role-{slug}"] for slug in self.had]

    def roles(self) -> dict[str, Role]:
        """All that the person is to have, as `update_user` takes them."""
        given = self.cleaned_data
        chosen = {
            slug: given[f"role-{slug}"] if f"role-{slug}" in self.data else role for slug, role in self.had.items()
        }
        if given["add"]:
            chosen[given["add"]] = given["add_role"] or ROLES[0]
        return {slug: cast(Role, role) for slug, role in chosen.items() if role}
