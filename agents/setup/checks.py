"""System checks that speak to the owner: what is wrong with the data folder, roots and options, and the way out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from agents.core.paths import data_dir

LOW_DISK_BYTES = 500 * 1024 * 1024


@register("memory")
def check_data_folder(app_configs: Any, **kwargs: Any) -> Iterable[CheckMessage]:
    folder = data_dir()
    if not folder.is_dir():
        return [Error(f"The data folder {folder} is not a folder.", hint="Set MEMORY_DATA_DIR.", id="memory.E001")]
    if not os.access(folder, os.W_OK | os.X_OK):
        return [
            Error(
                f"The data folder {folder} cannot be written ({_owner_and_mode(folder)}).",
                hint=f"Give this user (id {os.geteuid()}) the right to write there, or set MEMORY_DATA_DIR.",
                id="memory.E002",
            )
        ]
    free = shutil.disk_usage(folder).free
    if free < LOW_DISK_BYTES:
        return [
            Warning(
                f"Only {free // 1024**2} MB are free for the data folder {folder}.",
                hint="Make room, or move it and set MEMORY_DATA_DIR.",
                id="memory.W001",
            )
        ]
    return []


@register("memory")
def check_allowed_roots(app_configs: Any, **kwargs: Any) -> Iterable[CheckMessage]:
    return [
        Warning(
            f"The allowed root {root} is not a folder that can be read.",
            hint="Create or mount it, give this user the right to read it, or take it out of MEMORY_ALLOWED_ROOTS.",
            id="memory.W002",
        )
        for root in settings.MEMORY_ALLOWED_ROOTS
        if not (Path(root).is_dir() and os.access(root, os.R_OK | os.X_OK))
    ]


@register("memory")
def check_unknown_options(app_configs: Any, **kwargs: Any) -> Iterable[CheckMessage]:
    return [
        Warning(
            f"{name} is set, but there is no such option.",
            hint=f"Did you mean {meant}?" if meant else "See docs/configuration.md for all options.",
            id="memory.W003",
        )
        for name, meant in settings.MEMORY_UNKNOWN_OPTIONS.items()
    ]


def _owner_and_mode(folder: Path) -> str:
    found = folder.stat()
    return f"owner {found.st_uid}:{found.st_gid}, mode {found.st_mode & 0o7777:o}"
