"""What two lines say of one subject: the labelled pairs, and the cases that taught the rules."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from search.review.judge import judge
from search.review.words import said

PAIRS = tomllib.loads(Path(__file__).with_name("pairs.toml").read_text("utf-8"))


def verdict(one: str, other: str) -> str:
    found = judge(said(one), said(other), lambda word: 1.0)
    return found.kind if found else "none"


@pytest.mark.parametrize(
    ("part", "precision", "recall"),
    [("dev", 0.95, 0.9), ("held_out", 0.95, 0.9), ("hard", 0.7, 0.9), ("hard_held_out", 0.9, 0.5)],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_labelled_pairs_are_judged_as_an_owner_would(
    part: str, language: str, precision: float, recall: float
) -> None:
    got = [(verdict(one, other), wanted) for one, other, wanted in PAIRS[part][language]]
    right = sum(found == wanted != "none" for found, wanted in got)
    assert right >= precision * sum(found != "none" for found, _ in got)
    assert right >= recall * sum(wanted != "none" for _, wanted in got)


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("El médico de Ana es los lunes", "El médico de Ana es los jueves", "date"),
        ("Бабушка принимает таблетки утром", "Бабушка не принимает таблетки утром", "negation"),
        ("猫の病院は月曜日に予約した", "猫の病院は木曜日に予約した", "date"),
        ("고양이 병원 예약은 월요일", "고양이 병원 예약은 목요일", "date"),
        ("- [ ] **Rent** is [950](x.md) euros <!-- importance: 3 -->", "* Rent is 980 euros", "number"),
    ],
)
def test_other_languages_and_the_signs_of_markdown(one: str, other: str, kind: str) -> None:
    assert verdict(one, other) == kind


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The spare key is under the blue pot", "The spare key is under the blue pot in row 4"),  # more exact
        ("Not only Anna waters the roses", "Anna waters the roses, not only Leo"),
        ("No problem, the garage is open", "The garage is open"),
        ("[10:32] The gate is open", "[11:45] The gate is open"),
        ("trace 14b4495 flushed the batch", "trace 87f843a flushed the batch"),
        ("7", "8"),
        ("", ""),
        ("\u202e <script>", "`\x00`"),
    ],
)
def test_what_adds_or_only_looks_like_a_denial_disagrees_with_nothing(one: str, other: str) -> None:
    assert verdict(one, other) in ("none", "duplicate")


def test_the_values_that_differ_are_named() -> None:
    one, other = said("Piano lesson on Friday at 16:00"), said("Piano lesson on Friday at 17:30")
    found = judge(one, other, lambda word: 1.0)
    assert found is not None and (found.first, found.second) == (("16:00",), ("17:30",))
    found = judge(said("Piano lesson is on Friday"), said("Piano lesson is on Monday"), lambda word: 1.0)
    assert found is not None and (found.first, found.second) == (("w5",), ("w1",))
