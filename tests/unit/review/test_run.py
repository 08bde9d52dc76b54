"""A look through an index: what is found, what is taken for a series, and how far one look goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from search.errors import Cancelled, IndexUnavailable
from search.index.pool import reading
from search.review.lines import read_lines
from search.review.places import line_mark, lines_at
from search.review.run import Review, review_index
from tests.engine import WordEmbedder, Workspace, ignore, never

FILES = {
    "MEMORY.md": "# Memory\n\n- The spare key is under the blue pot.\n- Rent is 950 euros a month.\n",
    "memory/2026-03-02.md": "# 2026-03-02\n\n- The spare key is no longer under the blue pot.\n",
    "memory/house.md": "# House\n\nThe rent is 1,020 euros a month.\n\n- The boiler stands in the cellar.\n",
    "memory/2026-04-02.md": "- The boiler stands in the cellar!\n",
}


@pytest.fixture
def notes(tmp_path: Path) -> Workspace:
    workspace = Workspace(tmp_path)
    for path, text in FILES.items():
        workspace.write(path, text)
    workspace.update()
    return workspace


def look(workspace: Workspace, **values: int) -> Review:
    return review_index(workspace.spec, progress=ignore, cancelled=never, **values)


def pairs(review: Review) -> set[tuple[str, str, str]]:
    return {
        (found.kind, f"{found.one.path}#L{found.one.number}", f"{found.other.path}#L{found.other.number}")
        for found in review.findings
    }


EXPECTED = {
    ("negation", "MEMORY.md#L3", "memory/2026-03-02.md#L3"),
    ("number", "MEMORY.md#L4", "memory/house.md#L3"),
    ("duplicate", "memory/house.md#L5", "memory/2026-04-02.md#L1"),
}


def test_lines_that_disagree_or_stand_twice_are_found_with_their_places(notes: Workspace) -> None:
    review = look(notes)
    assert pairs(review) == EXPECTED and not review.by_meaning and review.files == 4


def test_vectors_bring_lines_together_too(notes: Workspace) -> None:
    embedder = WordEmbedder()
    notes.update(embedder.identity())
    notes.embed(embedder)
    review = look(notes)
    assert pairs(review) == EXPECTED and review.by_meaning


def test_what_is_measured_every_day_is_a_series_and_no_contradiction(notes: Workspace) -> None:
    for day in range(1, 10):
        notes.write(f"memory/2026-05-0{day}.md", f"- Grandma's blood pressure: {120 + day}\n- groceries\n")
    notes.update()
    review = look(notes)
    assert pairs(review) == EXPECTED and review.series == 36


def test_headings_tables_code_and_log_lines_are_not_compared(notes: Workspace) -> None:
    text = "# Price list 3\n|apples cost|3|\n```\napples cost 3\n```\n2026-01-01T10:00:00Z apples cost 3\n<!-- x -->\n"
    notes.write("memory/a.md", text)
    notes.write("memory/b.md", text.replace("3", "4"))
    notes.update()
    assert pairs(look(notes)) == EXPECTED


def test_lines_of_one_chunk_are_compared_with_each_other(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.write("memory/a.md", "- The gate code is 4417.\n- The cat sleeps.\n- The gate code is 8820.\n")
    workspace.update()
    assert pairs(look(workspace)) == {("number", "memory/a.md#L1", "memory/a.md#L3")}


def test_one_look_goes_only_so_far_and_says_what_it_left_out(notes: Workspace) -> None:
    review = look(notes, most_lines=2)
    assert (review.files, review.files_left_out) == (1, 3) and review.lines == 2


def test_a_look_can_be_stopped_and_needs_an_index(notes: Workspace, tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        review_index(notes.spec, progress=ignore, cancelled=lambda: True)
    with pytest.raises(IndexUnavailable):
        look(Workspace(tmp_path / "empty"))


def test_kept_places_are_read_again_as_they_are_now(notes: Workspace) -> None:
    places = [("MEMORY.md", 3), ("memory/house.md", 3), ("MEMORY.md", 400), ("memory/none.md", 1)]
    now = lines_at(notes.spec, places)
    assert now["MEMORY.md", 3] == "- The spare key is under the blue pot." and len(now) == 2
    assert line_mark(" a \n") == line_mark("a") != line_mark("b")


def test_a_file_without_lines_that_say_something_costs_no_vectors(notes: Workspace) -> None:
    embedder = WordEmbedder()
    notes.write("memory/story.md", "word " * 20_000)
    notes.update(embedder.identity())
    notes.embed(embedder)
    with reading(notes.spec.path) as connection:
        found = read_lines(connection, notes.spec, most_lines=100)
    assert len(found.vectors) <= len(found.lines) and all(line.passage >= 0 for line in found.lines)
