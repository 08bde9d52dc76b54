"""Addresses of the scope rules."""

from __future__ import annotations

from django.urls import URLPattern, path

from memory_appliance.web.scope.page import scope_rules

pages: list[URLPattern] = [path("agents/<slug:slug>/scope", scope_rules, name="scope")]
