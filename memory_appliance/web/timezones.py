"""The names of all time zones as the options of a list, made once: there are six hundred."""

from __future__ import annotations

from functools import cache
from zoneinfo import available_timezones

from django.utils.html import format_html_join
from django.utils.safestring import SafeString


@cache
def zone_options() -> SafeString:
    return format_html_join("", "<option>{}</option>", ((name,) for name in sorted(available_timezones())))
