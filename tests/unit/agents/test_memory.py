"""search(), get() and their siblings: gate first, then the engine."""

from __future__ import annotations

import pytest
from pytest_django.fixtures import DjangoAssertNumQueries

from agents.access.sessions import Session
from agents.core.errors import Invalid, MemoryDisabled
from agents.memory import reads
from agents.memory.reads import Denied, Searched, SearchParams
from agents.models import Agent, AuditEvent
from agents.registry.agents import update_agent
from agents.registry.selectors import get_agent
from tests.cast import GATEWAY, OWNER, TRUSTED

DIRECT = Session(key="agent:main:telegram:direct:42")
GROUP = Session(key="agent:main:telegram:group:-100")


def found(agent: Agent, session: Session | None = DIRECT, **params: object) -> Searched:
    answer = reads.search(
        agent=agent,
        caller=GATEWAY,
        session=session,
        params=SearchParams("spare key", **params),  # type: ignore[arg-type]
    )
    assert isinstance(answer, Searched)
    return answer


def test_a_direct_chat_finds_the_note(al: Agent) -> None:
    hits = found(al).outcome.results
    assert [hit.path for hit in hits] == ["MEMORY.md"]
    assert "blue pot" in hits[0].snippet


def test_a_look_alike_agent_finds_nothing_of_it(al: Agent, al_2: Agent) -> None:
    assert found(al_2).outcome.outcome == "empty"


def test_a_group_is_denied_by_the_default_and_it_is_written_down(al: Agent) -> None:
    answer = reads.search(agent=al, caller=GATEWAY, session=GROUP, params=SearchParams("spare key"))
    assert isinstance(answer, Denied)
    assert answer.decision.rule is None and "default is deny" in answer.decision.reason
    event = AuditEvent.objects.get(action="search.denied")
    assert event.detail["chat_type"] == "group" and "spare" not in str(event.detail)


def test_get_of_a_denied_chat_is_denied_too(al: Agent) -> None:
    assert isinstance(reads.get(agent=al, caller=GATEWAY, session=GROUP, path="MEMORY.md"), Denied)
    assert isinstance(reads.multi_get(agent=al, caller=GATEWAY, session=GROUP, glob="**"), Denied)


def test_without_a_session_only_a_trusted_caller_sees(al: Agent) -> None:
    params = SearchParams("spare key")
    assert isinstance(reads.search(agent=al, caller=TRUSTED, session=None, params=params), Searched)
    assert isinstance(reads.search(agent=al, caller=GATEWAY, session=None, params=params), Denied)


def test_a_memory_that_is_off_has_no_tools(al: Agent) -> None:
    off = update_agent(actor=OWNER, agent=al, settings={"memory_enabled": False})
    for call in (
        lambda: reads.search(agent=off, caller=TRUSTED, session=None, params=SearchParams("key")),
        lambda: reads.get(agent=off, caller=TRUSTED, session=None, path="MEMORY.md"),
        lambda: reads.multi_get(agent=off, caller=TRUSTED, session=None, paths=["MEMORY.md"]),
    ):
        with pytest.raises(MemoryDisabled) as refused:
            call()
        assert refused.value.code == "memory_disabled"


def test_an_unknown_collection_is_named(al: Agent) -> None:
    with pytest.raises(Invalid, match="recipes") as refused:
        found(al, collections=("memory", "recipes"))
    assert refused.value.field == "collections" and "memory" in refused.value.hint


@pytest.mark.parametrize("bad", [{"max_results": 0}, {"max_results": 101}, {"min_score": -0.1}, {"min_score": 1.5}])
def test_numbers_out_of_range_are_refused(al: Agent, bad: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        found(al, **bad)


def test_citations_auto_hide_in_a_group_that_is_allowed(al: Agent) -> None:
    Agent.objects.filter(pk=al.pk).update(scope_default="allow")
    al.refresh_from_db()
    shown = [
        found(al, session, **asked).outcome.results[0].citation
        for session, asked in ((DIRECT, {}), (GROUP, {}), (GROUP, {"citations": "on"}), (DIRECT, {"citations": "off"}))
    ]
    assert [bool(citation) for citation in shown] == [True, False, True, False]
    assert str(shown[0]).startswith("MEMORY.md#L")


def test_get_reads_lines_by_path_and_by_docid(al: Agent) -> None:
    docid = found(al).outcome.results[0].docid
    for path in ("MEMORY.md", docid if docid.startswith("#") else f"#{docid}"):
        result = reads.get(agent=al, caller=GATEWAY, session=DIRECT, path=path, from_line=3, lines=1)
        assert not isinstance(result, Denied) and result.status == "ok"
        assert "blue pot" in result.text


def test_multi_get_wants_paths_or_a_glob(al: Agent) -> None:
    for both in ({}, {"paths": ["MEMORY.md"], "glob": "**"}):
        with pytest.raises(Invalid):
            reads.multi_get(agent=al, caller=TRUSTED, session=None, **both)


def test_status_and_files_tell_what_is_indexed(al: Agent) -> None:
    status = reads.status(al)
    assert (status.files, status.chunks > 0, status.exists) == (1, True, True)
    assert [entry.path for entry in reads.files(al)] == ["MEMORY.md"]


def test_a_search_reads_five_row_sets_whatever_the_rules(
    al: Agent, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(5):
        found(get_agent("al"))
