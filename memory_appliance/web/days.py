"""DayField: a day of the calendar, far enough from the ends of time for its midnight to exist in every time zone."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

FIRST_DAY = date(1900, 1, 1)
LAST_DAY = date(9998, 12, 31)


class DayField(forms.DateField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"),
            validators=[MinValueValidator(FIRST_DAY), MaxValueValidator(LAST_DAY)],
            **kwargs,
        )
