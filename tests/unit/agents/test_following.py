"""Two servers on one control database and one data folder, each with indexes of its own: what one writes, both find."""

from __future__ import annotations

import hashlib
import shutil
import threading
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from agents.core.errors import Conflict
from agents.core.paths import index_path
from agents.indexes import following
from agents.indexes.following import drop_stale_vectors, drop_unused_indexes, follow_all, tell
from agents.indexes.specs import embedding_spec
from agents.memory import reads
from agents.models import Agent, Change, Embedding
from agents.providers.embedding import set_embedder_factory
from agents.registry.agents import create_agent, delete_agent
from agents.registry.collections import create_collection
from agents.servers import generations
from agents.servers.generations import prune_changes
from agents.upkeep.forget import forget
from agents.workspace import append
from search.documents.conversion.convert import converter
from search.get import GetResult
from search.index.embed import embed_pending
from search.index.locks import writer_lock
from search.index.rebuild import rebuild_index
from search.spec import PackedText
from tests import cast
from tests.engine import WordEmbedder, ignore, never
from tests.real_documents import pdf

LOG = "memory/log.md"
On = Callable[[str], Agent]


@pytest.fixture
def on(db: None, data_dir: Path, settings: Any) -> On:
    """From now on the test is this server; answers the agent as a request there reads it."""

    def server(name: str) -> Agent:
        settings.MEMORY_SERVER_NAME = name
        settings.MEMORY_LOCAL_DIR = data_dir.parent / name
        return Agent.objects.get(slug="al")

    settings.MEMORY_SERVER_NAME = "a"
    settings.MEMORY_LOCAL_DIR = data_dir.parent / "a"
    cast.agent_with("al", {"MEMORY.md": "# House\n\n- The spare key is under the blue pot.\n"})
    return server


def note(agent: Agent, text: str) -> None:
    append(agent=agent, actor=cast.OWNER, path=LOG, text=text, origin="agent")


def found(agent: Agent, query: str, **params: Any) -> tuple[list[str], set[str]]:
    """Paths of the hits, and what was degraded."""
    wanted = reads.SearchParams(query=query, **params)
    answer = reads.search(agent=agent, caller=cast.TRUSTED, session=None, params=wanted)
    assert isinstance(answer, reads.Searched)
    return [hit.path for hit in answer.outcome.results], {one.code for one in answer.outcome.degraded}


def holds(words: str) -> bool:
    folder = index_path("al").parent
    return any(words.encode() in path.read_bytes() for path in folder.glob("al.sqlite*"))


def run_update(agent: Agent) -> None:
    """What the job does with the index."""
    following.catch_up(agent, lambda: None, seconds=9)
    following.look_at_all(agent, embedding_spec(agent), None, progress=ignore, cancelled=never)


def test_a_server_that_lacks_the_index_makes_it_before_it_answers(on: On) -> None:
    assert found(on("a"), "spare key")[0] == ["MEMORY.md"]
    paths, degraded = found(on("b"), "spare key")
    assert paths == ["MEMORY.md"] and not degraded & {"no_index", "index_behind"}


def test_what_one_server_writes_the_other_finds_at_once(on: On) -> None:
    for name in "ab":
        found(on(name), "spare key")
    note(on("a"), "The ladder is lent to Ivo.")
    assert found(on("b"), "ladder")[0] == [LOG]
    note(on("b"), "The drill is with Ana.")
    assert found(on("a"), "drill")[0] == [LOG] and found(on("b"), "drill")[0] == [LOG]


def test_what_a_person_changes_is_found_by_one_server_for_all(on: On) -> None:
    for name in "ab":
        found(on(name), "spare key")
    cast.write_files(on("a"), {"memory/new.md": "The boiler was serviced."})
    Path(on("a").workspace, "MEMORY.md").unlink()
    run_update(on("a"))
    assert found(on("b"), "boiler")[0] == ["memory/new.md"] and found(on("b"), "spare key")[0] == []


def test_a_new_index_hides_no_change_from_the_others(on: On) -> None:
    found(on("a"), "spare key")
    cast.write_files(on("a"), {"memory/new.md": "The boiler was serviced."})
    found(on("b"), "boiler")  # made anew, with the change in it
    run_update(on("b"))
    assert found(on("a"), "boiler")[0] == ["memory/new.md"]


def test_an_index_that_cannot_follow_in_time_answers_from_what_it_has(on: On) -> None:
    for name in "ab":
        found(on(name), "spare key")
    note(on("a"), "The ladder is lent to Ivo.")
    agent = on("b")
    with writer_lock(index_path("al")):
        paths, degraded = found(agent, "spare key ladder", deadline_ms=200)
        assert paths == ["MEMORY.md"] and "index_behind" in degraded
    assert found(agent, "ladder")[0] == [LOG]


@pytest.mark.timeout(9)
def test_a_request_does_not_wait_for_a_writer_that_comes_amid_it(on: On, monkeypatch: pytest.MonkeyPatch) -> None:
    model = WordEmbedder()
    set_embedder_factory(lambda: model)
    for name in "ab":
        found(on(name), "spare key")
    note(on("a"), "The ladder is lent to Ivo.")
    agent, update_files = on("b"), following.update_files
    with ExitStack() as held:

        def then_another_writes(*given: Any) -> object:
            report = update_files(*given)
            held.enter_context(writer_lock(index_path("al")))
            return report

        monkeypatch.setattr(following, "update_files", then_another_writes)
        assert "index_behind" in found(agent, "ladder", deadline_ms=200)[1]
    monkeypatch.undo()
    set_embedder_factory(lambda: model)
    assert found(agent, "ladder")[0] == [LOG]


def test_what_is_forgotten_leaves_the_indexes_of_all_servers(on: On) -> None:
    note(on("a"), "The alarm code is 9137.")
    assert found(on("b"), "alarm code")[0] == [LOG] and holds("9137")
    forget(agent=on("a"), actor=cast.OWNER, path=LOG)
    assert not holds("9137")
    on("b")
    assert holds("9137")
    follow_all(lambda _: None, threading.Event())  # nobody asks there
    assert not holds("9137")


@pytest.mark.parametrize("moment", ["pruned", "another agent"])
def test_an_index_of_which_it_is_unknown_what_it_holds_is_made_anew(on: On, moment: str) -> None:
    note(on("a"), "The alarm code is 9137.")
    assert found(on("b"), "alarm code")[0] == [LOG]
    if moment == "pruned":
        forget(agent=on("a"), actor=cast.OWNER, path=LOG)
        Change.objects.update(at=timezone.now() - timedelta(days=30))
        prune_changes()
    else:
        agent = on("a")
        delete_agent(actor=cast.OWNER, agent=agent)
        shutil.rmtree(agent.workspace)
        create_agent(actor=cast.OWNER, slug="al")
    assert found(on("b"), "alarm code")[0] == [] and not holds("9137")


@pytest.mark.parametrize("pruned", [False, True])
def test_an_index_of_last_month_put_back_serves_nothing_that_was_forgotten(
    on: On, pruned: bool, tmp_path: Path
) -> None:
    note(on("a"), "The alarm code is 9137.")
    assert found(on("b"), "alarm code")[0] == [LOG]
    shutil.copytree(index_path("al").parent, tmp_path / "last-month")
    forget(agent=on("a"), actor=cast.OWNER, path=LOG)
    note(on("a"), "The ladder is lent to Ivo.")
    assert found(on("b"), "ladder")[0] == [LOG]
    if pruned:
        Change.objects.update(at=timezone.now() - timedelta(days=30))
        prune_changes()
    for path in index_path("al").parent.glob("al.sqlite*"):
        path.unlink()
    shutil.copytree(tmp_path / "last-month", index_path("al").parent, dirs_exist_ok=True)
    assert holds("9137")
    assert found(on("b"), "alarm code")[0] == [] and found(on("b"), "ladder")[0] == [LOG]
    assert not holds("9137")


@pytest.mark.parametrize("length", [0, 5_000, 20_000])
def test_a_half_written_index_is_made_anew_without_embedding_again(on: On, length: int) -> None:
    model = WordEmbedder()
    set_embedder_factory(lambda: model)
    agent = on("a")
    note(agent, "The ladder is lent to Ivo.")
    found(agent, "ladder")
    embed_pending(embedding_spec(agent), model, budget_seconds=9, progress=ignore, cancelled=never)
    tell(agent, what=Change.What.VECTORS)
    agent = on("b")
    assert found(agent, "ladder") == ([LOG], set())
    embedded = len(model.seen)
    for path in index_path("al").parent.glob("al.sqlite-*"):
        path.unlink()
    cut = index_path("al").with_suffix(".cut")
    cut.write_bytes(index_path("al").read_bytes()[:length])
    cut.rename(index_path("al"))
    assert found(on("b"), "ladder") == ([LOG], set())
    assert found(on("a"), "ladder") == ([LOG], set())
    assert len(model.seen) == embedded


def test_a_switch_of_the_model_reaches_the_index_of_the_other_server(on: On) -> None:
    model = WordEmbedder()
    set_embedder_factory(lambda: model)
    agent = on("a")
    note(agent, "The ladder is lent to Ivo.")
    found(agent, "ladder")
    embed_pending(embedding_spec(agent), model, budget_seconds=9, progress=ignore, cancelled=never)
    tell(agent, what=Change.What.VECTORS)
    assert found(on("b"), "ladder") == ([LOG], set())

    other = WordEmbedder("words-2")
    set_embedder_factory(lambda: other)
    assert "stale_vectors" in found(on("b"), "ladder")[1]
    rebuilt = rebuild_index(
        embedding_spec(on("a")), other, budget_seconds=9, progress=ignore, cancelled=never, lanes=1
    )  # fmt: skip
    assert rebuilt.swapped
    generations.note(agent.pk, what=Change.What.REBUILT)
    embedded = len(other.seen)
    for name in "bca":
        assert found(on(name), "ladder") == ([LOG], set()), name
    assert len(other.seen) == embedded


def test_a_file_is_got_by_its_docid_and_listed_on_a_server_that_was_behind(on: On) -> None:
    for name in "ab":
        found(on(name), "spare key")
    note(on("a"), "The ladder is lent to Ivo.")
    agent = on("b")
    docid = hashlib.sha256(Path(agent.workspace, LOG).read_bytes()).hexdigest()[:8]
    with writer_lock(index_path("al")), pytest.raises(Conflict, match="not known here yet"):
        reads.get(agent=on("b"), caller=cast.TRUSTED, session=None, path=f"#{docid}")
    got = reads.get(agent=on("b"), caller=cast.TRUSTED, session=None, path=f"#{docid}")
    assert isinstance(got, GetResult) and (got.status, got.path) == ("ok", LOG)
    note(on("a"), "The drill is with Ana.")
    assert LOG in {entry.path for entry in reads.files(on("b"))}


def test_an_empty_common_table_is_filled_from_an_index_that_has_the_vectors(on: On) -> None:
    model = WordEmbedder()
    set_embedder_factory(lambda: model)
    agent = on("a")
    found(agent, "spare key")
    embed_pending(embedding_spec(agent), model, budget_seconds=9, progress=ignore, cancelled=never)
    embedded, rows = len(model.seen), Embedding.objects.count()
    Embedding.objects.all().delete()  # as `control move` and a restore leave it
    agent = on("a")
    assert following.publish_vectors(agent, embedding_spec(agent), model.identity()) == rows
    assert following.publish_vectors(agent, embedding_spec(agent), model.identity()) == 0
    assert found(on("b"), "spare key") == (["MEMORY.md"], set())
    assert len(model.seen) == embedded


def test_vectors_of_texts_that_no_index_holds_any_more_go(on: On) -> None:
    model = WordEmbedder()
    set_embedder_factory(lambda: model)
    note(on("a"), "The ladder is lent to Ivo.")
    agent = on("a")
    found(agent, "ladder")
    embed_pending(embedding_spec(agent), model, budget_seconds=9, progress=ignore, cancelled=never)
    Embedding.objects.create(agent=agent, fingerprint="former model", hash=b"h", parts=b"p")
    agent = on("b")
    assert drop_stale_vectors(agent) == 0  # no index here: of nothing it is known that it has gone
    found(agent, "ladder")
    note(on("a"), "The drill is with Ana.")
    assert drop_stale_vectors(on("b")) == 0  # behind: the text may be in the other's index
    found(on("b"), "drill")
    assert drop_stale_vectors(on("b")) == 1
    assert not Embedding.objects.filter(hash=b"h").exists() and Embedding.objects.count() == 2


def test_a_text_is_embedded_once_for_all_servers_and_its_vectors_are_forgotten_with_it(on: On) -> None:
    model = WordEmbedder()
    set_embedder_factory(lambda: model)
    note(on("a"), "The ladder is lent to Ivo.")
    found(on("a"), "ladder")
    found(on("b"), "ladder")  # before there are vectors
    agent = on("a")
    embed_pending(embedding_spec(agent), model, budget_seconds=9, progress=ignore, cancelled=never)
    tell(agent, what=Change.What.VECTORS)
    embedded = len(model.seen)
    assert embedded and Embedding.objects.count() == 2
    for name in "bc":  # c has no index yet
        paths, degraded = found(on(name), "ladder")
        assert paths[0] == LOG and not degraded
    assert len(model.seen) == embedded
    forget(agent=on("b"), actor=cast.OWNER, path=LOG)
    assert Embedding.objects.count() == 1


def test_vectors_of_another_agent_are_taken_where_both_share(on: On) -> None:
    agent = on("a")
    other = cast.agent_with("bo", {"MEMORY.md": "# House\n\n- The spare key is under the blue pot.\n"})
    Embedding.objects.create(agent=agent, fingerprint="f", hash=b"h", parts=b"p")
    taken = {}
    for shares in ((), (agent,), (agent, other)):
        for one in shares:
            Agent.objects.filter(pk=one.pk).update(settings={"share_vectors": True})
        common = embedding_spec(Agent.objects.get(pk=other.pk)).common
        assert common is not None
        taken[len(shares)] = list(common.fetch("f", [b"h"]))
    assert taken == {0: [], 1: [], 2: [PackedText(b"h", b"p", None, None)]}


def test_an_index_that_nobody_asks_leaves_the_disk(on: On, monkeypatch: pytest.MonkeyPatch) -> None:
    found(on("a"), "spare key")
    assert drop_unused_indexes(days=30, gigabytes=1) == 0
    now = following.time.time() + 31 * 86400
    monkeypatch.setattr(following.time, "time", lambda: now)
    assert drop_unused_indexes(days=30, gigabytes=1) == 1 and not index_path("al").exists()
    monkeypatch.undo()
    assert found(on("a"), "spare key")[0] == ["MEMORY.md"]
    assert drop_unused_indexes(days=30, gigabytes=0) == 1


def test_a_single_server_pays_nothing(al: Agent, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert following.catch_up(al, lambda: None, seconds=1)
    note(al, "The ladder is lent to Ivo.")
    assert not Change.objects.exists()


@pytest.mark.skipif(not converter(), reason="the extra `documents` is not installed")
def test_a_document_that_another_server_found_is_converted_by_the_worker_and_never_in_a_request(on: On) -> None:
    al = on("a")
    folder = Path(al.workspace) / "books"
    folder.mkdir()
    create_collection(actor=cast.OWNER, agent=al, name="books", path="books", pattern="**/*.pdf")
    run_update(on("a"))
    assert found(on("b"), "spare key")[0] == ["MEMORY.md"]
    (folder / "boiler.pdf").write_bytes(pdf("Bleed the zanzibar radiator first."))
    run_update(on("a"))
    assert found(on("a"), "zanzibar", min_score=0.0)[0] == ["books/boiler.pdf"]
    paths, degraded = found(on("b"), "zanzibar", min_score=0.0)
    assert paths == [] and "index_behind" in degraded
    follow_all(lambda _: None, threading.Event())
    paths, degraded = found(on("b"), "zanzibar", min_score=0.0)
    assert paths == ["books/boiler.pdf"] and "index_behind" not in degraded
