"""tables(): what the files of the languages hold for one use."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

FOLDER = Path(__file__).with_name("languages")

Use = Literal["dates", "dates_of_notes", "intent", "flush", "review", "small_talk"]


class BadLanguage(ValueError):
    """A language file that cannot be used; the message names the language and what is wrong."""


def tables(use: Use) -> dict[str, dict[str, Any]]:
    """Language → its table, for the languages that have one, in the order of their names."""
    return {name: table[use] for name, table in _files().items() if use in table}


def checksum(use: Use) -> str:
    """Of what all languages hold for one use: weights that were trained with it are of no other."""
    return hashlib.sha256(json.dumps(tables(use), sort_keys=True, ensure_ascii=False).encode()).hexdigest()


@cache
def _files() -> Mapping[str, dict[str, Any]]:
    return {path.stem: _read(path) for path in sorted(FOLDER.glob("*.toml"))}


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadLanguage(f"{path.name}: {error}") from error
