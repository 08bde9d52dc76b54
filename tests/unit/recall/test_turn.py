"""Recall.turn(): the lanes of one turn, on a real index."""

from __future__ import annotations

import threading
import time

import pytest

from search.errors import EmbedderUnavailable
from search.recall.outcome import Reason, Status
from search.recall.query import HistoryTurn
from search.runtime.protocols import Vectors
from tests.engine import WordEmbedder
from tests.unit.recall.conftest import Household


class Stalled(WordEmbedder):
    """Holds every query for as long as it is allowed to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def embed_query(self, text: str, *, timeout: float) -> Vectors:
        self.asked += 1
        time.sleep(timeout)
        raise EmbedderUnavailable("timed out")


def test_the_deep_lane_quotes_the_note_and_says_where_it_stands(household: Household) -> None:
    answer = household.recall("which boiler valve did we put in")
    assert (answer.status, answer.lane, answer.reason) == (Status.OK, "deep", Reason.FOUND)
    assert "BV-210" in answer.summary and len(answer.summary) <= 220
    assert answer.sources[0].path == "memory/2026-03-03.md"
    assert "[memory/2026-03-03.md#L" in answer.context


def test_what_memory_does_not_know_is_not_made_up(household: Household) -> None:
    answer = household.recall("zebra migration in the savannah")
    assert (answer.status, answer.reason) == (Status.NO_RELEVANT_MEMORY, Reason.NOTHING_FOUND)
    assert (answer.summary, answer.context, answer.sources) == ("", "", ())


@pytest.mark.parametrize("message", ["where is the spare key?", "備用鑰匙在哪裡"])
@pytest.mark.parametrize("mode", ["escalate", "off"])
def test_a_trigger_answers_without_the_deep_lane(household: Household, message: str, mode: str) -> None:
    answer = household.recall(message, facts={"mode": mode})
    assert (answer.status, answer.lane, answer.reason) == (Status.OK, "fast", Reason.STRONG_FAST_HIT)
    assert "blue pot" in answer.context and "trigger" not in answer.context
    assert "memory_search" not in [step.name for step in answer.steps]


def test_a_trigger_does_not_fire_in_a_group(household: Household) -> None:
    group = {"chat_type": "group", "allowed_chat_types": frozenset({"group"}), "mode": "off"}
    assert household.recall("where is the spare key?", facts=group).reason is Reason.MODE_OFF


def test_always_puts_the_fast_lines_before_the_deep_ones(household: Household) -> None:
    answer = household.recall("where is the spare key of the boat at pier 7?")
    assert answer.lane == "deep"
    assert answer.context.index("blue pot") < answer.context.index("pier 7")


def test_escalate_judges_the_intent_whatever_the_lane(household: Household) -> None:
    escalate = {"mode": "escalate"}
    asked = household.recall("do you remember which boiler valve we put in?", facts=escalate)
    assert asked.intent is not None and asked.intent.verdict == "recall" and asked.lane == "deep"
    idle = household.recall("write a haiku about rain", facts=escalate)
    assert idle.reason is Reason.NO_RECALL_INTENT and idle.intent is not None
    assert household.recall("where is the spare key?", facts=escalate).intent is not None
    assert household.recall("which boiler valve").intent is None


def test_a_message_of_noise_alone_is_empty(household: Household) -> None:
    assert household.recall("```\ncode\n```").reason is Reason.EMPTY_MESSAGE


def test_without_an_index_memory_is_unavailable(household: Household) -> None:
    household.workspace.spec.path.unlink()
    answer = household.recall("which boiler valve")
    assert (answer.status, answer.reason) == (Status.UNAVAILABLE, Reason.NO_INDEX)


def test_the_day_that_is_meant_is_looked_at(household: Household) -> None:
    answer = household.recall("what happened yesterday?")
    assert answer.sources and answer.sources[0].path == "memory/2026-03-03.md"


def test_the_summary_keeps_its_limit_at_a_word(household: Household) -> None:
    household.write("memory/long.md", "The zeppelin " + "hangar maintenance schedule " * 40)
    answer = household.recall("zeppelin hangar", summary_chars=60)
    assert 40 <= len(answer.summary) <= 60 and answer.summary.endswith("…")
    assert answer.summary[:-1].split()[-1] in {"zeppelin", "hangar", "maintenance", "schedule"}


def test_identical_turns_are_answered_from_the_cache_for_a_while(household: Household) -> None:
    first, second = (household.recall("which boiler valve") for _ in range(2))
    assert not first.cached and second.cached and second.context == first.context
    assert not household.recall("which boiler valve", history=[HistoryTurn("user", "hello")]).cached


def test_a_stalled_embedder_costs_half_the_time_at_most_and_is_left_alone_after_three_turns(
    household: Household,
) -> None:
    household.workspace.embed(WordEmbedder())
    embedder = Stalled()
    for number in range(5):
        started = time.monotonic()
        answer = household.recall(f"boiler valve {number}", embedder=embedder, timeout_ms=400)
        assert answer.status is Status.OK and time.monotonic() - started < 0.4 + 0.3
    assert embedder.asked == 3


def test_many_turns_on_a_stalled_model_all_answer_in_time(household: Household) -> None:
    household.workspace.embed(WordEmbedder())
    embedder = Stalled()
    took: list[float] = []

    def ask(number: int) -> None:
        started = time.monotonic()
        household.recall(f"boiler valve {number}", embedder=embedder, timeout_ms=600)
        took.append(time.monotonic() - started)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(took) == 60 and max(took) < 0.6 + 3 and embedder.asked > 0


def test_a_turn_that_waited_for_its_whole_time_is_answered_at_once(household: Household) -> None:
    answer = household.recall("which boiler valve", timeout_ms=1_000, began=time.monotonic() - 1.5)
    assert (answer.status, answer.reason, answer.context) == (Status.TIMEOUT, Reason.BUSY, "")
    assert answer.steps[0].name == "queue" and answer.steps[0].took_ms >= 1_500


def test_what_a_turn_waited_is_part_of_its_time(household: Household) -> None:
    household.workspace.embed(WordEmbedder())
    started = time.monotonic()
    answer = household.recall("boiler valve", embedder=Stalled(), timeout_ms=2_000, began=started - 1.6)
    assert answer.status is Status.OK and time.monotonic() - started < 0.4 + 0.25
