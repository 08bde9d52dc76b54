"""The addresses of the pages; each room of pages brings its own list."""

from __future__ import annotations

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, path

from memory_appliance.web import preferences
from memory_appliance.web.agent import urls as agent
from memory_appliance.web.chats import urls as chats
from memory_appliance.web.files import urls as files
from memory_appliance.web.first_run import urls as first_run
from memory_appliance.web.gallery import gallery
from memory_appliance.web.learned import urls as learned
from memory_appliance.web.memory_health import urls as memory_health
from memory_appliance.web.overview import urls as overview
from memory_appliance.web.people import urls as people
from memory_appliance.web.playground import urls as playground
from memory_appliance.web.recall import urls as recall
from memory_appliance.web.scope import urls as scope
from memory_appliance.web.sign_in import PasswordChange, SignIn
from memory_appliance.web.system import urls as system

pages: list[URLPattern] = [
    *overview.pages,
    *people.pages,
    *system.pages,
    path("accounts/login/", SignIn.as_view(), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("accounts/password/", PasswordChange.as_view(), name="password"),
    path("accounts/theme/", preferences.theme, name="theme"),
    path("accounts/language/", preferences.language, name="language"),
    path("components", gallery, name="components"),
    *first_run.pages,
    *agent.pages,
    *scope.pages,
    *files.pages,
    *chats.pages,
    *learned.pages,
    *memory_health.pages,
    *playground.pages,
    *recall.pages,
]
