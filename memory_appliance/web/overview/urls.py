"""The address of the first page."""

from __future__ import annotations

from django.urls import URLPattern, path

from memory_appliance.web.overview.views import overview

pages: list[URLPattern] = [path("", overview, name="overview")]
