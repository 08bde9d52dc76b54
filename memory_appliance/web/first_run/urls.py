"""Addresses of the first run."""

from __future__ import annotations

from django.urls import URLPattern, path

from memory_appliance.web.first_run.agent import agent
from memory_appliance.web.first_run.connect import connect
from memory_appliance.web.first_run.index import index
from memory_appliance.web.first_run.models import models
from memory_appliance.web.first_run.owner import start

pages: list[URLPattern] = [
    path("start", start, name="start"),
    path("start/models", models, name="start-models"),
    path("start/agent", agent, name="start-agent"),
    path("start/index", index, name="start-index"),
    path("start/connect", connect, name="start-connect"),
]
