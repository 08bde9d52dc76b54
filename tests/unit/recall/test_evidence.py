"""Evidence: figures and parts of an identifier that does not stand in a note are no answer to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from search.index.facts import index_facts
from search.index.pool import reading
from search.recall.evidence import weigh_evidence
from search.retrieve.query import parse_query
from tests.unit.recall.conftest import Household

FIGURES = """# Figures

| host | load | disk | week |
|---|---|---|---|
| agate | 33 | 40 | 8 |
| beryl | 10 | 30 | 24 |
| garnet | 4 | 2 | 1 |
| olivine | 14 | 8 | 12 |
| topaz | 20 | 77 | 7 |

Pier M has the long boats, plan v2.
"""
ASKED = {
    "A1F0 33": "The gate's remote is A1F0 33.",
    "M6×40": "Buy M6×40 screws.",
    "10.77.30.0/24": "The cameras are in 10.77.30.0/24.",
    "Reallocated 8": "Disk two: Reallocated 8.",
    "4.2.1": "The router runs 4.2.1.",
    "keep 14/8/12": "Snapshots: keep 14/8/12.",
    "0W-20": "The car takes 0W-20.",
    "M-07": "The locker is M-07.",
    "/v2/labels": "Print at /v2/labels.",
    "рейс 20-77": "Наш рейс 20-77.",
    "路由器 4.2": "路由器版本 4.2 很稳定。",
}


@pytest.mark.parametrize("message", ASKED)
def test_a_table_with_the_same_figures_is_no_answer(household: Household, message: str) -> None:
    household.write("memory/figures.md", FIGURES)
    assert household.recall(message).context == ""


@pytest.mark.parametrize(("message", "note"), ASKED.items())
def test_a_note_with_the_identifier_is(household: Household, message: str, note: str) -> None:
    household.write("memory/figures.md", FIGURES)
    household.write("memory/asked.md", f"# Asked\n\n{note}\n")
    sources = household.recall(message).sources
    assert sources and sources[0].path == "memory/asked.md"


def test_a_figure_alone_is_looked_for(household: Household) -> None:
    household.write("memory/figures.md", "# Figures\n\nThe tank holds 40 litres.\n")
    assert "40 litres" in household.recall("40").context


def test_what_late_interaction_thinks_little_of_is_no_answer(household: Household) -> None:
    household.write("memory/tank.md", "# Tank\n\nThe tank in the cellar holds 40 litres.\n")
    found = household.workspace.search("tank cellar litres", min_score=0).results[0]
    with reading(household.workspace.spec.path) as connection:
        facts, query = index_facts(connection), parse_query("tank cellar litres")
        for score, late, relevant in ((0.39, 0.1, False), (0.41, 0.1, True), (0.39, None, True)):
            hit = replace(found, score=score, late_score=late)
            assert weigh_evidence(connection, facts, [hit], query=query, vector=None)[0].relevant is relevant
