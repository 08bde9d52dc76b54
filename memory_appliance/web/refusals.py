"""refused(): what a use-case refuses, put beside the field that it is about."""

from __future__ import annotations

from django import forms

from agents.core.errors import RuleError
from memory_appliance.web.told import refusal


def refused(form: forms.Form, error: RuleError) -> None:
    """Add the refusal to the field that the rule names, or to the form as a whole."""
    name = getattr(error, "field", None)
    form.add_error(name if name in form.fields else None, refusal(error))
