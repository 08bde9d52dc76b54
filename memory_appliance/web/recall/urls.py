"""Addresses of recall."""

from __future__ import annotations

from django.urls import URLPattern, path

from memory_appliance.web.recall.trial import trial
from memory_appliance.web.recall.triggers import triggers
from memory_appliance.web.recall.turn import turn
from memory_appliance.web.recall.turns import fleet_turns, turns

pages: list[URLPattern] = [
    path("recall", fleet_turns, name="recall-fleet"),
    path("agents/<slug:slug>/recall", turns, name="recall"),
    path("agents/<slug:slug>/recall/try", trial, name="recall-try"),
    path("agents/<slug:slug>/recall/triggers", triggers, name="recall-triggers"),
    path("agents/<slug:slug>/recall/<int:number>", turn, name="recall-turn"),
]
