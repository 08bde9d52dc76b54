"""Words of every script are found by keyword: the own note first, marks and signs told apart."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.engine import Workspace

TABLE = tomllib.loads(Path(__file__).with_name("scripts.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Workspace]:
    """A workspace per script, with a note for each of its lines."""
    made = {}
    for script, table in TABLE.items():
        made[script] = Workspace(Path(tmp_path_factory.mktemp(script)))
        for number, line in enumerate(table["notes"].values()):
            made[script].write(f"memory/{number:03}.md", f"{line}\n")
        made[script].update()
    return made


@pytest.mark.parametrize(
    ("script", "query", "name"),
    [(script, query, name) for script, table in TABLE.items() for query, name in table["first"].items()],
)
def test_the_own_note_is_first(homes: dict[str, Workspace], script: str, query: str, name: str) -> None:
    found = homes[script].paths(query, mode="search", min_score=0)
    assert found[:1] == [f"memory/{[*TABLE[script]['notes']].index(name):03}.md"]
