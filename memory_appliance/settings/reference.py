"""The option table as documentation: `docs/configuration.md` and `.env.example` are these two texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memory_appliance.settings.groups import GROUPS, OptionGroup
from memory_appliance.settings.options import SAMPLE_SECRET, Options, env_name, is_secret

_INTRO = """\
# Configuration

Every option is an environment variable, or a line in a file `.env` beside `manage.py`; the environment goes first.
A value that cannot be used ends the start with one line that names it. A `MEMORY_*` name that is no option is
reported by `manage.py check`.

Each secret can also be read from a file: set the name with `_FILE` at its end to the file's path, or put it into the
folder of MEMORY_SECRETS_DIR.

This page is drawn from the option table: `manage.py options --markdown`.
"""

_TABLE = """
| name | type | default | what it is |
|---|---|---|---|
"""

_ENV_INTRO = """\
# Copy to `.env` and take out the `#` of what you want to change. Drawn from the option table:
# `manage.py options --env`. Secrets left as they stand here are refused.
"""

_SCHEMAS = Options.model_json_schema(by_alias=False)["properties"]


def markdown() -> str:
    return _INTRO + "".join(_section(group) for group in GROUPS)


def env_sample() -> str:
    return _ENV_INTRO + "".join(
        f"\n# --- {group.title} ---\n" + "".join(map(_sample, (*group.fields, *group.advanced))) for group in GROUPS
    )


def _section(group: OptionGroup) -> str:
    text = f"\n## {group.title}\n{_TABLE}" + "".join(map(_row, group.fields))
    return text + (f"\nAdvanced:\n{_TABLE}" + "".join(map(_row, group.advanced)) if group.advanced else "")


def _row(field: str) -> str:
    name = f"`{env_name(field)}`" + (f"<br>`{env_name(field)}_FILE`" if is_secret(field) else "")
    default = f"`{_default(field)}`" if _default(field) else "–"
    text = (Options.model_fields[field].description or "").replace("|", "\\|")
    return f"| {name} | {_type(field)} | {default} | {text} |\n"


def _sample(field: str) -> str:
    return f"\n# {Options.model_fields[field].description}\n#{env_name(field)}={_example(field)}\n"


def _example(field: str) -> str:
    if not is_secret(field):
        return _default(field)
    return SAMPLE_SECRET + ("-to-32-characters-or-more-of-your-own" if field == "bootstrap_key" else "")


def _default(field: str) -> str:
    value: Any = Options.model_fields[field].default
    if value in (None, (), Path()):
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)


def _type(field: str) -> str:
    if is_secret(field):
        return "secret"
    schema = _SCHEMAS[field]
    schema = next((form for form in schema.get("anyOf", ()) if form.get("type") != "null"), schema)
    if "enum" in schema:
        return ", ".join(f"`{choice}`" for choice in schema["enum"])
    words = {"boolean": "`1` or `0`", "integer": "whole number", "number": "number", "array": "list"}
    kind = "folder" if schema.get("format") == "path" else words.get(schema["type"], "text")
    return f"{kind}, {schema['minimum']:.10g} to {schema['maximum']:.10g}" if "maximum" in schema else kind
