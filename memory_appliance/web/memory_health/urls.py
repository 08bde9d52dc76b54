"""The addresses of the memory health room."""

from __future__ import annotations

from django.urls import URLPattern, path

from memory_appliance.web.memory_health.consolidate import consolidate
from memory_appliance.web.memory_health.page import memory_health, review

pages: list[URLPattern] = [
    path("agents/<slug:slug>/memory-health", memory_health, name="memory-health"),
    path("agents/<slug:slug>/memory-health/review", review, name="memory-review"),
    path("agents/<slug:slug>/memory-health/consolidate", consolidate, name="memory-consolidate"),
]
