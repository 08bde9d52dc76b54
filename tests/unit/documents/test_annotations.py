"""Annotation comments: what is read, what is stripped, and that a malformed project key hides its lines."""

from __future__ import annotations

import pytest

from search.documents.annotations import INVALID_PROJECT, Annotation, normalise_project_key, strip_annotations
from tests.work import IN_PROPORTION, growth


def read(line: str, *, curated: bool = True) -> Annotation:
    return strip_annotations([line], curated=curated)[1].between(1, 1)


def text(line: str) -> str:
    return strip_annotations([line], curated=True)[0][0]


@pytest.mark.parametrize(
    ("line", "importance"),
    [
        ("- a <!-- importance: 8 -->", 8),
        ("- a <!--IMPORTANCE:10-->  ", 10),
        ("- a <!-- importance： 3 -->", 3),
        ("- a <!-- importance: 3 --> <!-- importance: 9 --><!-- importance: 4 -->", 9),
        ("- a <!-- importance: 3 --><!-- trigger: x -->", 3),
        ("<!-- importance: 8 --> not at the end", None),
        ("- a <!-- importance: 0 -->", None),
        ("- a <!-- importance: 11 -->", None),
        ("- a <!-- importance: -5 -->", None),
        ("- a <!-- importance: 8.5 -->", None),
        ("- a <!-- importance: ８ -->", None),
        ("- a <!-- importance: banana -->", None),
        ("- a <!-- importance: 9", None),
        ("- a <!-- importances: 9 -->", None),
    ],
)
def test_importance(line: str, importance: int | None) -> None:
    assert read(line).importance == importance
    assert read(line, curated=False).importance == importance


@pytest.mark.parametrize(
    ("line", "triggers"),
    [
        ("- a <!-- trigger: tea, green tea; Tea ;; -->", ("tea", "green tea")),
        ("- a <!-- Trigger: 猫，豆饼、药 -->", ("猫", "豆饼", "药")),
        ("- a <!-- trigger: -->", ()),
        ("<!-- trigger: tea --> not at the end", ()),
    ],
)
def test_triggers_count_in_curated_files_only(line: str, triggers: tuple[str, ...]) -> None:
    assert read(line).triggers == triggers
    assert read(line, curated=False).triggers == ()


@pytest.mark.parametrize(
    ("line", "projects"),
    [
        ("a <!-- project: Acme/Web; path:/Srv/X -->", ("acme/Web", "path:/Srv/X")),
        ("a <!-- project: ACME --> in mid-line", ("acme",)),
        ("a <!-- project: -->", (INVALID_PROJECT,)),
        ("a <!-- project: acme; -->", (INVALID_PROJECT,)),
        ("a <!-- project: a<b -->", (INVALID_PROJECT,)),
        ("a <!-- project: never closed", (INVALID_PROJECT,)),
        ("a <!-- project: x <!-- importance: 3 -->", (INVALID_PROJECT,)),
        ("a <!-- project: ok --><!-- project: <> -->", (INVALID_PROJECT,)),
    ],
)
def test_projects_fail_closed(line: str, projects: tuple[str, ...]) -> None:
    assert read(line, curated=False).projects == projects
    assert read(line).excluded is (projects == (INVALID_PROJECT,))


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("- tea <!-- importance: 8 --><!-- trigger: a -->", "- tea"),
        ("- tea <!-- importance: banana -->  ", "- tea"),
        ("<!-- project: x --> tea", "tea"),
        ("a <!-- importance: 3 --> b", "a b"),
        ("- tea <!-- observed: 2026-01-01 status: active -->", "- tea <!-- observed: 2026-01-01 status: active -->"),
        ("- tea <!-- importance: 9", "- tea <!-- importance: 9"),
        ("two blanks at the end  ", "two blanks at the end  "),
    ],
)
def test_recognised_comments_are_stripped_with_their_blanks(line: str, rest: str) -> None:
    assert text(line) == rest


def test_a_range_gathers_what_its_lines_say() -> None:
    lines = ["a <!-- importance: 2 -->", "b", "c <!-- importance: 7 --><!-- trigger: x -->", "d <!-- project: p -->"]
    stripped, annotations = strip_annotations(lines, curated=True)
    assert stripped == ["a", "b", "c", "d"]
    assert annotations.between(1, 3) == Annotation(7, ("x",))
    assert annotations.between(2, 2) == Annotation()
    assert annotations.between(1, 4).projects == ("p",)


@pytest.mark.parametrize(
    "unit", ["<!-- importance: ", "<!-- project: ", "<!--", "<!-- importance: 3 -->", "<!-- " + " " * 50]
)
def test_a_line_full_of_openers_is_read_in_linear_time(unit: str) -> None:
    def line(size: int) -> list[str]:
        return [unit * (size // len(unit)) + "-->"]

    assert growth(lambda lines: strip_annotations(lines, curated=True), line, 250_000) < IN_PROPORTION


def test_project_keys_are_compared_in_one_form() -> None:
    assert normalise_project_key(" GitHub.com/Org ") == "github.com/Org"
    assert normalise_project_key("path:/A/B") == "path:/A/B"
    assert normalise_project_key(" ") is None and normalise_project_key("a>b") is None
