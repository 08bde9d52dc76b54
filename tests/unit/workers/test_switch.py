"""Another embedding model, as runs: every update notices it, and a cancelled rebuild waits for the owner."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.indexes.specs import index_spec
from agents.jobs.runs import cancel, request_run
from agents.models import Agent, Run
from agents.providers.embedding import set_embedder_factory
from search.index.reader import index_status
from search.index.rebuild import build_path
from tests.engine import WordEmbedder
from workers.tasks import rebuild as rebuild_task
from workers.tasks.embed import embed
from workers.tasks.rebuild import rebuild
from workers.tasks.update import update


def use(embedder: WordEmbedder) -> WordEmbedder:
    set_embedder_factory(lambda: embedder)
    return embedder


def do(agent: Agent, kind: str) -> Run:
    """Request a run of this kind and work on it here, as a worker would."""
    run = request_run(agent=agent, kind=kind, reason="test")
    {"update": update, "embed": embed, "rebuild": rebuild}[kind](run.pk)
    run.refresh_from_db()
    return run


def note(agent: Agent, text: str) -> None:
    with Path(agent.workspace, "MEMORY.md").open("a") as memory:
        memory.write(text)


@pytest.fixture
def switched(al: Agent) -> Iterator[Agent]:
    """`al` with vectors of one model, while another one is configured."""
    use(WordEmbedder("words-1"))
    do(al, "update")
    assert do(al, "embed").state == "done"
    use(WordEmbedder("words-2"))
    yield al


def switches(agent: Agent) -> list[str]:
    return list(Run.objects.filter(agent=agent, reason="model words-2").order_by("pk").values_list("state", flat=True))


def fingerprint(agent: Agent) -> str:
    return index_status(index_spec(agent), None).fingerprint


def test_an_update_requests_one_rebuild_and_it_switches(switched: Agent) -> None:
    do(switched, "update")
    do(switched, "update")
    assert (switches(switched), fingerprint(switched)) == (["queued"], "words-1")
    run = do(switched, "rebuild")
    assert (run.state, run.result["switched"], run.unit) == ("done", True, "files")
    assert fingerprint(switched) == "words-2"


def test_a_bout_that_is_not_enough_hands_the_run_back_with_its_progress(
    switched: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    note(switched, "".join(f"\n- fact {number} {'word ' * 300}" for number in range(9)))
    do(switched, "update")
    monkeypatch.setattr(rebuild_task, "BOUT_SECONDS", 0)
    run = do(switched, "rebuild")
    assert (run.state, run.unit, fingerprint(switched)) == ("queued", "chunks", "words-1")
    assert 0 < run.done < run.total
    monkeypatch.setattr(rebuild_task, "BOUT_SECONDS", 60)
    assert (do(switched, "rebuild").state, fingerprint(switched)) == ("done", "words-2")


def test_a_cancelled_switch_waits_for_the_owner(switched: Agent) -> None:
    do(switched, "update")
    cancel(Run.objects.get(agent=switched, reason="model words-2"))
    do(switched, "update")
    do(switched, "embed")
    assert switches(switched) == ["cancelled"]
    assert do(switched, "rebuild").state == "done"
    assert fingerprint(switched) == "words-2"


def test_switching_back_before_the_swap_leaves_nothing_behind(switched: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    note(switched, "".join(f"\n- fact {number} {'word ' * 300}" for number in range(9)))
    do(switched, "update")
    monkeypatch.setattr(rebuild_task, "BOUT_SECONDS", 0)
    do(switched, "rebuild")
    assert build_path(index_spec(switched).path).exists()
    use(WordEmbedder("words-1"))
    do(switched, "update")
    assert not build_path(index_spec(switched).path).exists()


def test_chunks_that_wait_ask_for_the_switch_too(switched: Agent) -> None:
    use(WordEmbedder("words-1"))
    note(switched, "\n- A new fact.")
    do(switched, "update")
    use(WordEmbedder("words-2"))
    run = do(switched, "embed")
    assert (run.state, switches(switched)) == ("queued", ["queued"])
    assert "words" in run.error


def test_a_switch_waits_for_a_model_that_is_away(switched: Agent) -> None:
    away = use(WordEmbedder("words-2"))
    do(switched, "update")
    away.down = True
    run = do(switched, "rebuild")
    assert (run.state, run.error) == ("queued", "the model is away. Start it.")
    assert fingerprint(switched) == "words-1"
