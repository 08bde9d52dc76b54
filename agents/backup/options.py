"""The options of then in the form of `.env`, so that a restored server can be set up like the old one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from pydantic import SecretStr

from agents.core.paths import data_dir

SETTINGS = "settings.env"
SECRET_KEY = "secret_key"  # noqa: S105 - a file's name


def secret_key_file() -> Path:
    return data_dir() / "run" / "secret_key"


def write_settings(path: Path, *, with_secrets: bool) -> None:
    """Every option that was set, secrets only as their names unless `with_secrets`."""
    chosen = settings.OPTIONS
    lines = [
        _line(_env_name(type(chosen), name), getattr(chosen, name), with_secrets)
        for name in sorted(chosen.model_fields_set)
    ]
    path.write_text("".join(lines))
    path.chmod(0o600)


def _line(name: str, value: Any, with_secrets: bool) -> str:
    if isinstance(value, SecretStr):
        return f"{name}={_quoted(value.get_secret_value())}\n" if with_secrets else f"# {name} was set\n"
    if isinstance(value, tuple):
        value = ",".join(str(part) for part in value)
    if isinstance(value, bool):
        value = int(value)
    return f"{name}={_quoted(str(value))}\n"


def _env_name(options: Any, field: str) -> str:
    alias = options.model_fields[field].validation_alias
    return str(alias) if alias else f"{options.model_config['env_prefix']}{field.upper()}"


def _quoted(text: str) -> str:
    """As a `.env` file is read: single quotes keep everything but themselves and backslashes."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
