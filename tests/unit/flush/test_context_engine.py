"""The context engine's adapter against the real API: a compaction loses no turn."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from agents.models import Agent, TranscriptMessage
from agents.workspace.lock import workspace_lock
from tests import cast

FILE = Path(__file__).resolve().parents[3] / "integrations" / "context-engine" / "memory_context_engine.py"
KEY = "agent:al:telegram:direct:42"
TURNS = [
    {"id": "1", "role": "user", "text": "We decided to paint the shed green in May."},
    {"id": "2", "role": "assistant", "text": "Noted."},
    {"id": "3", "role": "user", "text": "The heron looked at me strangely."},
    {"id": "4", "role": "assistant", "text": "Herons do."},
]


@pytest.fixture(scope="module")
def adapter() -> ModuleType:
    spec = importlib.util.spec_from_file_location("memory_context_engine", FILE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def engine(adapter: ModuleType, transactional_db: None, data_dir: Path, live_server: Any) -> Any:
    agent = cast.agent_with("al", {"MEMORY.md": "# House\n\n- The spare key is under the blue pot.\n"})
    cast.index(agent)
    key = cast.person("gateway", agents=["al"], rights=["read", "write"])
    return adapter.MemoryContextEngine(live_server.url, key.secret, "al")


def test_a_compaction_keeps_the_last_turns_and_every_dropped_one_is_found_and_expanded(engine: Any) -> None:
    assert engine.ingest(KEY, TURNS[:2]) == 2
    done = engine.compact(KEY, TURNS, cycle=0, keep=1)
    assert (done.turns, done.status) == (TURNS[3:], "written")
    assert "paint the shed green in May" in done.summary
    search = {"query": "strange heron", "corpus": "all", "min_score": 0, "session": {"key": KEY}}
    hit = engine._post("search", search)["results"][0]
    place = {"path": hit["path"], "from": hit["start_line"], "session": {"key": KEY}}
    assert "The heron looked at me strangely." in engine._post("get", place)["text"]


def test_a_cycle_is_compacted_once_and_a_turn_is_stored_once(engine: Any) -> None:
    engine.compact(KEY, TURNS, cycle=3)
    assert engine.after_turn(KEY, TURNS) == 0
    assert engine.compact(KEY, TURNS, cycle=3).status == "already_flushed"
    assert TranscriptMessage.objects.count() == 4


def test_a_chat_starts_with_memory_and_a_child_without_a_rule_starts_without(engine: Any) -> None:
    assert "blue pot" in engine.bootstrap(KEY)
    assert engine.prepare_subagent_spawn("agent:al:subagent:7") == ""


def test_memory_comes_before_a_turn(engine: Any) -> None:
    assert isinstance(engine.assemble(KEY, "Do you remember where the spare key is?", TURNS), str)


def test_a_childs_result_is_a_note_of_its_parent(engine: Any) -> None:
    engine.on_subagent_ended(KEY, "agent:al:subagent:7", TURNS[:2], "The paint costs 40 crowns a litre.")
    notes = (Path(Agent.objects.get().workspace) / "memory").glob("*.md")
    assert "40 crowns a litre" in "".join(note.read_text() for note in notes)


def test_nothing_is_let_go_when_the_appliance_is_away_or_refuses(adapter: ModuleType, engine: Any) -> None:
    away = adapter.MemoryContextEngine("http://127.0.0.1:9", "k" * 40, "al")
    stranger = adapter.MemoryContextEngine(f"http://{engine._address.netloc}", "k" * 40, "al")
    for other in (away, stranger):
        with pytest.raises(adapter.MemoryUnavailable):
            other.compact(KEY, TURNS, cycle=1)


def test_who_meets_a_held_lock_comes_again_and_writes_once(
    engine: Any, adapter: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Agent.objects.get(slug="al")
    pauses: list[float] = []
    lock = workspace_lock(agent)
    lock.__enter__()

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            lock.__exit__(None, None, None)

    monkeypatch.setattr(adapter, "time", SimpleNamespace(sleep=pause))
    engine.on_subagent_ended(KEY, f"{KEY}:thread:7", [], result="The heron is called Fritz.")
    notes = [path.read_text() for path in (Path(agent.workspace) / "memory").glob("*.md")]
    assert len(pauses) == 2 and "".join(notes).count("Fritz") == 1
