"""About: versions, licences, and where to read on."""

from __future__ import annotations

import platform
import sqlite3
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, distributions

import django
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from agents.core.version import VERSION
from memory_appliance.web.access import owner_page
from memory_appliance.web.page import answer
from search.index.driver import capabilities

LONGEST_LICENCE = 60
VENDORED = (("Pico CSS", "2.1.1", "MIT"), ("htmx", "2", "0BSD"))
"""Comes with this server and is no package of its own."""


@dataclass(frozen=True, slots=True)
class Package:
    name: str
    version: str
    licence: str


@owner_page
@require_safe
def about(request: HttpRequest) -> HttpResponse:
    found = capabilities()
    versions = (
        ("Memory Appliance", VERSION),
        ("Python", platform.python_version()),
        ("Django", django.get_version()),
        ("SQLite (control database)", sqlite3.sqlite_version),
        ("SQLite (indexes)", found.sqlite),
        ("System", f"{platform.system()} {platform.release()} {platform.machine()}"),
    )
    context = {"versions": versions, "packages": packages(), "vec_error": found.vec_error}
    return answer(request, "system/about.html", context)


@cache
def packages() -> tuple[Package, ...]:
    """What is installed beside the server, by name; it does not change while the process lives."""
    own = [Package(*row) for row in VENDORED]
    found = {package.name.lower(): package for package in map(_package, distributions()) if package.name}
    return tuple(sorted([*own, *found.values()], key=lambda package: package.name.lower()))


def _package(found: Distribution) -> Package:
    about = found.metadata
    licence = _first(about.get_all("License-Expression")) or _from_classifiers(about.get_all("Classifier") or [])
    text = _first(about.get_all("License")).strip().partition("\n")[0]
    return Package(found.name or "", found.version or "", (licence or text)[:LONGEST_LICENCE])


def _first(values: list[str] | None) -> str:
    return values[0] if values else ""


def _from_classifiers(lines: list[str]) -> str:
    ends = [line.rpartition(" :: ")[2] for line in lines if line.startswith("License :: ")]
    return ", ".join(end for end in ends if end != "OSI Approved")
