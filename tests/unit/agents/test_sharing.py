"""A shared collection: read by others under their own rules, written by nobody but its owner, gone when taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.access.scope import Scope
from agents.access.sessions import Session
from agents.access.sharing import share_collection
from agents.core.errors import Conflict, Invalid
from agents.indexes.specs import index_spec
from agents.memory.reads import Denied, Searched, SearchParams, get, search, status
from agents.models import Agent, AuditEvent, Collection
from agents.registry.agents import delete_agent
from agents.registry.collections import create_collection
from agents.registry.scope_rules import set_scope
from agents.registry.selectors import get_agent
from search.get import GetResult
from search.index.reader import list_files, path_of_docid
from search.outcome import Hit
from tests import cast


@pytest.fixture
def house(al: Agent, al_2: Agent) -> Collection:
    """A collection of `al` about the house, shared with `al-2` and indexed by it."""
    cast.write_files(al, {"house/wifi.md": "# Wifi\n\nThe guest network is called Lighthouse.\n"})
    collection = create_collection(actor=cast.OWNER, agent=al, name="house", path="house")
    share_collection(actor=cast.OWNER, collection=collection, readers=["al-2"])
    cast.index(get_agent("al-2"))
    return collection


def hits(query: str, session: Session | None = None) -> tuple[Hit, ...]:
    caller = cast.TRUSTED if session is None else cast.GATEWAY
    found = search(agent=get_agent("al-2"), caller=caller, session=session, params=SearchParams(query))
    assert isinstance(found, Searched)
    return found.outcome.results


def test_the_reader_finds_and_reads_it_by_its_owners_name(house: Collection) -> None:
    hit = hits("guest network")[0]
    assert (hit.path, hit.collection, hit.origin) == ("al.house/wifi.md", "al.house", "untrusted")
    read = get(agent=get_agent("al-2"), caller=cast.TRUSTED, session=None, path=hit.path)
    assert isinstance(read, GetResult) and "Lighthouse" in read.text


def test_the_readers_own_rules_apply(house: Collection) -> None:
    set_scope(actor=cast.OWNER, agent=get_agent("al-2"), scope=Scope("deny"))
    set_scope(actor=cast.OWNER, agent=get_agent("al"), scope=Scope("allow"), confirm_open=True)
    found = search(
        agent=get_agent("al-2"),
        caller=cast.GATEWAY,
        session=Session(key="agent:x:main"),
        params=SearchParams("guest network"),
    )
    assert isinstance(found, Denied)


def test_taken_back_it_is_gone_at_once_and_not_only_after_the_next_update(house: Collection) -> None:
    number = hits("guest network")[0].docid
    share_collection(actor=cast.OWNER, collection=house, readers=[])
    reader = get_agent("al-2")
    assert hits("guest network") == ()
    assert path_of_docid(index_spec(reader), number) is None
    assert all(not file.path.startswith("al.") for file in list_files(index_spec(reader)))
    assert [part.name for part in status(reader).collections] == ["memory"]
    assert reader.update_requested_at is not None


def test_only_what_is_shared_is_shared(house: Collection) -> None:
    assert hits("spare key pot") == ()
    read = get(agent=get_agent("al-2"), caller=cast.TRUSTED, session=None, path="al.memory/MEMORY.md")
    assert isinstance(read, GetResult) and (read.status, read.text) == ("error", "")


def test_the_owners_record_of_who_wrote_a_line_holds_for_the_reader(house: Collection, al: Agent) -> None:
    memory = al.collections.get(name="memory")
    share_collection(actor=cast.OWNER, collection=memory, readers=["al-2"])
    cast.index(get_agent("al-2"))
    assert [(hit.path, hit.origin) for hit in hits("spare key")] == [("al.memory/MEMORY.md", "owner")]


def test_an_owner_that_is_deleted_takes_its_shares_along(house: Collection, al: Agent) -> None:
    delete_agent(actor=cast.OWNER, agent=al)
    assert hits("guest network") == ()


def test_a_share_is_not_passed_on(house: Collection) -> None:
    assert [collection.name for collection in get_agent("al-2").collections.all()] == ["memory"]


def test_transcripts_unknown_agents_and_oneself_are_refused(al: Agent, data_dir: Path) -> None:
    chats = create_collection(actor=cast.OWNER, agent=al, name="chats", path=str(data_dir / "chats"), kind="sessions")
    with pytest.raises(Conflict, match="Transcripts"):
        share_collection(actor=cast.OWNER, collection=chats, readers=["al-2"])
    memory = al.collections.get(name="memory")
    for reader in ("nobody", "al"):
        with pytest.raises(Invalid):
            share_collection(actor=cast.OWNER, collection=memory, readers=[reader])


def test_both_sides_find_it_in_their_log(house: Collection) -> None:
    share_collection(actor=cast.OWNER, collection=house, readers=[])
    events = AuditEvent.objects.filter(action__startswith="collection.share").order_by("id")
    assert [(event.action, event.agent_slug) for event in events] == [
        ("collection.share", "al"), ("collection.shared_in", "al-2"),
        ("collection.share", "al"), ("collection.share_ended", "al-2"),
    ]  # fmt: skip
