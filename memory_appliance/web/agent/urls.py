"""Addresses of an agent's own pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from memory_appliance.web.agent import collections, jobs, settings
from memory_appliance.web.agent.ending import delete, switch
from memory_appliance.web.agent.page import agent_health
from memory_appliance.web.agent.problems import problems

pages: list[URLPattern] = [
    path("agents/<slug:slug>", agent_health, name="agent"),
    path("agents/<slug:slug>/problems", problems, name="agent-problems"),
    path("agents/<slug:slug>/jobs", jobs.jobs, name="agent-jobs"),
    path("agents/<slug:slug>/jobs/cancel", jobs.cancel, name="agent-job-cancel"),
    path("agents/<slug:slug>/update", jobs.update, name="agent-update"),
    path("agents/<slug:slug>/rebuild", jobs.rebuild, name="agent-rebuild"),
    path("agents/<slug:slug>/collections", collections.collections, name="agent-collections"),
    path("agents/<slug:slug>/collection", collections.collection, name="agent-collection"),
    path("agents/<slug:slug>/collection/remove", collections.remove, name="agent-collection-remove"),
    path("agents/<slug:slug>/settings", settings.settings, name="agent-settings"),
    path("agents/<slug:slug>/settings/reset", settings.reset, name="agent-setting-reset"),
    path("agents/<slug:slug>/about", settings.about, name="agent-about"),
    path("agents/<slug:slug>/switch", switch, name="agent-switch"),
    path("agents/<slug:slug>/delete", delete, name="agent-delete"),
]
