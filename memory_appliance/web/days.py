"""day_of() names a day; DayField takes one, far enough from the ends of time for its midnight to exist in all zones."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.formats import date_format
from django.utils.translation import gettext as _

FIRST_DAY = date(1900, 1, 1)
LAST_DAY = date(9998, 12, 31)


class DayField(forms.DateField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"),
            validators=[MinValueValidator(FIRST_DAY), MaxValueValidator(LAST_DAY)],
            **kwargs,
        )


def day_of(at: datetime) -> str:
    days = (datetime.now(at.tzinfo).date() - at.date()).days
    return {0: _("Today"), 1: _("Yesterday")}.get(days) or date_format(at, "DATE_FORMAT")
