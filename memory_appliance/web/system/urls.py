"""Addresses of the server's own pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from memory_appliance.web.system import agent_defaults, backups, models, roles
from memory_appliance.web.system.about import about
from memory_appliance.web.system.doctor import doctor
from memory_appliance.web.system.options import options
from memory_appliance.web.system.status import status

pages: list[URLPattern] = [
    path("system", status, name="system"),
    path("system/models", models.models, name="models"),
    path("system/models/pull", models.pull, name="model-pull"),
    path("system/models/use", models.use, name="model-use"),
    path("system/models/remove", models.remove, name="model-remove"),
    path("system/roles/<str:role>", roles.role_page, name="role"),
    path("system/doctor", doctor, name="doctor"),
    path("system/backups", backups.backups, name="backups"),
    path("system/backups/make", backups.make, name="backup-make"),
    path("system/backups/verify", backups.verify, name="backup-verify"),
    path("system/backups/remove", backups.remove, name="backup-remove"),
    path("system/defaults", agent_defaults.agent_defaults, name="agent-defaults"),
    path("system/defaults/reset", agent_defaults.reset, name="agent-default-reset"),
    path("system/options", options, name="options"),
    path("system/about", about, name="about"),
]
