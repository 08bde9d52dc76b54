"""The playground's addresses."""

from __future__ import annotations

from django.urls import URLPattern, path

from memory_appliance.web.playground.views import choose, playground

pages: list[URLPattern] = [
    path("search", choose, name="playground"),
    path("agents/<slug:slug>/search", playground, name="search"),
]
