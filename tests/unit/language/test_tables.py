"""A language is one file with a table for each use; this names what a new one lacks."""

from __future__ import annotations

from typing import get_args

import pytest

from search.language.tables import FOLDER, Use, tables

LANGUAGES = sorted(path.stem for path in FOLDER.glob("*.toml"))
COMMON = {"intent", "small_talk"}
"""What `common.toml` holds: words of any language."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_a_table_for_each_use(language: str) -> None:
    wanted = COMMON if language == "common" else set(get_args(Use))
    assert {use for use in get_args(Use) if language in tables(use)} == wanted


@pytest.mark.parametrize("use", ["dates", "dates_of_notes", "intent", "flush", "review", "small_talk"])
def test_tables_of_one_use_have_the_same_keys(use: Use) -> None:
    found = {name: set(table) for name, table in tables(use).items() if name != "common"}
    optional = {"counted", "spaced", "bare"}
    first = next(iter(found.values())) - optional
    assert {name for name, keys in found.items() if keys - optional != first} == set()
