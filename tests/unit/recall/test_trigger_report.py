"""trigger_report(): every phrase with its place, and those that never fire, fire too often or stand twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from search.errors import IndexUnavailable
from search.recall.trigger_report import Flaw, Trigger, trigger_report
from tests.engine import Workspace

MEMORY = """# House

- The spare key is under the blue pot. <!-- trigger: spare key, 备用钥匙 -->
- The cat is called Nori. <!-- trigger: 猫, cat, ! -->
- Keys are cut at the station. <!-- trigger: Spare Keys, 備用鑰匙 -->
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path)
    made.write("MEMORY.md", MEMORY)
    made.write("memory/2026-03-03.md", "A day. <!-- trigger: no curated file -->\n")
    made.update()
    return made


def flaws(workspace: Workspace) -> dict[str, tuple[Flaw, ...]]:
    return {trigger.phrase: trigger.flaws for trigger in trigger_report(workspace.spec)}


def test_phrases_come_by_file_and_line_from_curated_files_alone(workspace: Workspace) -> None:
    found = trigger_report(workspace.spec)
    assert [(one.phrase, one.entry.source.start_line) for one in found[:2]] == [("spare key", 1), ("备用钥匙", 1)]
    assert "no curated file" not in {one.phrase for one in found}


def test_one_character_never_fires_and_a_short_word_fires_often(workspace: Workspace) -> None:
    found = flaws(workspace)
    assert found["猫"] == ("never",) and found["cat"] == ("short",)


def test_phrases_that_are_read_alike_stand_twice(workspace: Workspace) -> None:
    found = {trigger.phrase: trigger for trigger in trigger_report(workspace.spec)}

    def others(trigger: Trigger) -> list[int]:
        return [source.start_line for source in trigger.also]

    assert others(found["spare key"]) == [5] and others(found["Spare Keys"]) == [1]  # plural and case
    assert others(found["备用钥匙"]) == [5] and others(found["備用鑰匙"]) == [1]  # simplified and traditional


def test_a_changed_file_is_read_again(workspace: Workspace) -> None:
    assert "gate" not in flaws(workspace)
    workspace.write("MEMORY.md", "- The garden has one. <!-- trigger: gate -->\n")
    workspace.update()
    assert flaws(workspace) == {"gate": ()}


def test_without_an_index_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailable):
        trigger_report(Workspace(tmp_path).spec)
