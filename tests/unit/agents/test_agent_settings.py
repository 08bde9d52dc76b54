"""The table of per-agent settings: every row has a default and a help, and reaches the engine."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.agent_settings import AgentSettings, changed_settings, settings_over, settings_table
from agents.core.errors import Invalid
from search.profiles import PROFILES

values = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.integers())


def test_every_row_explains_itself() -> None:
    rows = settings_table({"max_results": 9}, {})
    assert {row.name for row in rows} == set(AgentSettings.model_fields)
    assert all(row.help and row.schema for row in rows)
    row = next(row for row in rows if row.name == "max_results")
    assert (row.value, row.default, row.schema["maximum"]) == (9, 6, 100)


def test_ranking_settings_reach_the_engine() -> None:
    ranking = AgentSettings(ranking_profile="reference", vector_weight=0.9, decay="off").ranking()
    assert (ranking.profile, ranking.vector_weight, ranking.decay, ranking.mmr) == ("reference", 0.9, "off", None)


@given(st.dictionaries(st.sampled_from([*AgentSettings.model_fields, "other"]), values, max_size=4))
def test_changes_are_taken_or_refused_with_the_settings_name(changes: dict[str, object]) -> None:
    try:
        stored = changed_settings({}, changes).stored()
    except Invalid as error:
        assert error.field.startswith("settings.") and error.field.removeprefix("settings.") in changes
    else:
        assert settings_over(stored, {}).stored() == stored


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(Invalid) as error:
        changed_settings({}, {"min_scor": 0.1})
    assert error.value.code == "unknown_setting" and "min_score" in error.value.hint


def test_every_ranking_profile_of_the_engine_can_be_chosen() -> None:
    choices = settings_schema("ranking_profile")["enum"]
    assert set(choices) == set(PROFILES)


def settings_schema(name: str) -> dict[str, Any]:
    return next(row.schema for row in settings_table({}, {}) if row.name == name)


@pytest.mark.parametrize(
    ("given", "level"), [("minimal", "low"), ("adaptive", "medium"), ("xhigh", "high"), ("max", "high"), ("off", "off")]
)
def test_levels_of_thinking_of_earlier_versions_are_taken(given: str, level: str) -> None:
    assert changed_settings({}, {"recall_thinking": given}).stored() == {"recall_thinking": level}
    assert settings_over({"recall_thinking": given}, {}).recall_thinking == level
