"""Two servers, one memory: what is done to one of them, and what the other says."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.servers.two import Member, Two, Writers, two_servers
from tests.integration.stack.next_version import next_version
from tests.integration.stack.server import until
from tests.postgres import why_not

pytestmark = [
    pytest.mark.skipif(bool(why_not()), reason=why_not()),
    pytest.mark.timeout(1200),
]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    with two_servers(tmp_path_factory.mktemp("two")) as servers:
        yield servers


def workspace(member: Member, slug: str) -> Path:
    return Path(member.call("POST", "/api/v1/agents", {"slug": slug})["workspace"])


def facts(folder: Path) -> Counter[str]:
    """How often each fact stands in the agent's files."""
    texts = (path.read_text() for path in folder.rglob("*.md"))
    return Counter(re.findall(r"Fact \S+ holds\.", "\n".join(texts)))


def test_what_one_writes_the_other_finds_and_both_answer_alike(two: Two) -> None:
    workspace(two.a, "alike")
    for number in range(6):
        writer, reader = two.both if number % 2 else reversed(two.both)
        writer.call("POST", "/api/v1/agents/alike/notes", {"text": f"Parcel zebra{number} is in the garage."})
        found = reader.search("alike", f"zebra{number}")
        assert f"zebra{number}" in found["results"][0]["snippet"]
        assert "index_behind" not in {one["code"] for one in found["degraded"]}
    first, second = (member.search("alike", "parcel garage")["results"] for member in two.both)
    assert first and first == second
    assert all((member.local_dir / "indexes" / "alike.sqlite").exists() for member in two.both)


def test_a_thousand_notes_to_one_agent_through_both_and_none_is_lost_or_doubled(two: Two) -> None:
    folder = workspace(two.a, "busy")
    writers = [Writers((member,), "busy", name, most=250) for name, member in zip("pqrs", two.both * 2, strict=True)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    confirmed = [text for writer in writers for text in writer.confirmed]
    assert len(confirmed) == 1000
    assert facts(folder) == Counter(confirmed)


def test_what_comes_round_is_done_once(two: Two) -> None:
    names = {path.parent.parent.name: path.read_text() for path in two.a.local_dir.parent.glob("*/run/server_name")}
    assert len(set(names.values())) == 2
    with two.postgres.connected() as database:
        beats = dict(
            database.execute("SELECT name, at FROM agents_workerheartbeat WHERE name LIKE 'worker@%'").fetchall()
        )
        assert {f"worker@{name}" for name in names.values()} <= set(beats)
        rounds = dict(database.execute("SELECT name, next_at FROM agents_round").fetchall())
    assert {"sweep"} <= set(rounds)
    for member in two.both:
        assert member.call("GET", "/health/ready")["checks"]["workers"]["status"] == "ok"


def test_a_revoked_key_and_a_changed_rule_count_everywhere_at_the_next_request(two: Two) -> None:
    workspace(two.a, "strict")
    made = two.a.call("POST", "/api/v1/keys", {"name": "k", "agents": ["strict"], "rights": ["read"]})
    ask = ("POST", "/api/v1/agents/strict/search", {"query": "anything"})
    assert [member.ask(*ask, key=made["key"])[0] for member in two.both] == [200, 200]
    two.b.call("DELETE", f"/api/v1/keys/{made['id']}")
    assert [member.ask(*ask, key=made["key"])[0] for member in two.both] == [401, 401]


def test_postgresql_restarts_under_both(two: Two) -> None:
    folder = workspace(two.a, "steady")
    writer = Writers(two.both, "steady", "t", most=10_000)
    writer.start()
    until("notes come in", lambda: len(writer.confirmed) >= 5, 60)
    two.postgres.stop()
    time.sleep(3)
    before = len(writer.confirmed)
    assert {status for status, _ in writer.refused} <= {503, 409}, writer.refused[-5:]
    two.postgres.go_on()
    until("notes come in again", lambda: len(writer.confirmed) >= before + 5, 60)
    writer.over.set()
    writer.join()
    assert all(count == 1 for count in facts(folder).values())
    assert set(writer.confirmed) <= set(facts(folder))


def test_without_a_broker_both_answer_and_updates_go_on_when_it_is_back(two: Two) -> None:
    folder = workspace(two.a, "patient")
    two.broker.kill()
    (folder / "MEMORY.md").write_text("- The ladder is borrowed from Mrs. Okafor.\n")
    for member in two.both:
        assert member.ask("POST", "/api/v1/agents/patient/search", {"query": "ladder"})[0] == 200
        assert member.ask("POST", "/api/v1/agents/patient/notes", {"text": f"Written on {member.port}."})[0] == 201
    two.broker.start()
    until("found", lambda: all(member.finds("patient", "ladder Okafor", "MEMORY.md") for member in two.both), 120)


def test_a_share_that_is_gone_is_said_and_comes_back(two: Two) -> None:
    folder = workspace(two.a, "remote")
    (folder / "MEMORY.md").write_text("- The ladder is borrowed from Mrs. Okafor.\n")
    until("found", lambda: all(member.finds("remote", "ladder Okafor", "MEMORY.md") for member in two.both), 120)
    away = folder.with_name("remote.away")
    folder.rename(away)
    for member in two.both:
        status, answer = member.ask("POST", "/api/v1/agents/remote/notes", {"text": "This is refused."})
        assert status in (409, 503) and answer["error"]["code"] != "internal_error", answer
    assert any(member.finds("remote", "ladder Okafor", "MEMORY.md") for member in two.both)  # an index still knows
    away.rename(folder)
    for member in two.both:
        body = {"text": f"Written on {member.port}.", "idempotency_key": str(member.port)}
        until("written", lambda m=member, b=body: m.ask("POST", "/api/v1/agents/remote/notes", b)[0] in (200, 201), 60)


def test_the_whole_share_is_gone_for_ten_seconds(two: Two) -> None:
    folder = workspace(two.a, "ashore")
    (folder / "MEMORY.md").write_text("- The ladder is borrowed from Mrs. Okafor.\n")
    until("found", lambda: all(member.finds("ashore", "ladder Okafor", "MEMORY.md") for member in two.both), 120)
    data = two.a.data_dir
    away = data.with_name("data.away")
    data.rename(away)
    ends = time.monotonic() + 10
    try:
        while time.monotonic() < ends:
            for member in two.both:
                status, answer = member.ask("POST", "/api/v1/agents/ashore/notes", {"text": "This is refused."})
                assert status in (409, 503) and answer["error"]["code"] != "internal_error", answer
                assert member.ask("POST", "/api/v1/agents/ashore/search", {"query": "ladder Okafor"})[0] == 200
                said = {"messages": [{"role": "user", "text": "Hello there."}]}
                status, answer = member.ask(
                    "POST", "/api/v1/agents/ashore/transcripts/agent:ashore:main/messages", said
                )
                assert status in (409, 503) and answer["error"]["code"] != "internal_error", answer
            time.sleep(1)
    finally:
        made = data.exists()
        if not made:
            away.rename(data)
    assert not made, "something was put in the place of the share, and would hide it when it comes back"
    for member in two.both:
        body = {"text": f"Written on {member.port}.", "idempotency_key": str(member.port)}
        until("written", lambda m=member, b=body: m.ask("POST", "/api/v1/agents/ashore/notes", b)[0] in (200, 201), 60)
        until("found", lambda m=member: m.finds("ashore", "ladder Okafor", "MEMORY.md"), 60)


def test_one_is_killed_under_load_and_the_other_goes_on(two: Two) -> None:
    folder = workspace(two.a, "brave")
    writers = [Writers(two.both, "brave", name, most=10_000) for name in "uv"]
    for writer in writers:
        writer.start()
    until("notes come in", lambda: min(len(writer.confirmed) for writer in writers) >= 5, 60)
    two.a.kill_all()
    began = time.monotonic()
    status, _ = two.b.ask("POST", "/api/v1/agents/brave/search", {"query": "Fact"})
    answered = time.monotonic() - began
    assert status == 200
    print(f"the other answered after {answered:.2f} s")
    before = [len(writer.confirmed) for writer in writers]
    until(
        "both writers go on", lambda: all(len(w.confirmed) >= n + 5 for w, n in zip(writers, before, strict=True)), 60
    )
    for writer in writers:
        writer.over.set()
        writer.join()
    found = facts(folder)
    assert all(count == 1 for count in found.values())
    assert {text for writer in writers for text in writer.confirmed} <= set(found)
    two.a.go()
    until("it is back", lambda: two.a.health() is not None, 240)


def test_an_old_and_a_new_version_serve_side_by_side(two: Two, tmp_path: Path) -> None:
    folder = workspace(two.a, "skew")
    writer = Writers(two.both, "skew", "w", most=10_000)
    writer.start()
    until("notes come in", lambda: len(writer.confirmed) >= 5, 60)
    two.b.kill_all()
    two.b.root = next_version(tmp_path)
    two.b.go()
    until(f"the new version serves\n{two.b.said()}", lambda: two.b.health() is not None, 240)
    before = len(writer.confirmed)
    until("notes come in through both", lambda: len(writer.confirmed) >= before + 20, 120)
    writer.over.set()
    writer.join()
    assert all(count == 1 for count in facts(folder).values())
    assert set(writer.confirmed) <= set(facts(folder))
    for member in two.both:
        slug = f"made-{member.port}"
        member.call("POST", "/api/v1/agents", {"slug": slug})
        member.call("PATCH", f"/api/v1/agents/{slug}", {"name": "New"})
        member.call("POST", f"/api/v1/agents/{slug}/notes", {"text": "The ladder is lent."})
        assert [other.search(slug, "ladder")["results"][0]["path"] for other in two.both]

    two.a.kill_all()
    two.a.go()
    assert two.a.process.wait(timeout=120) != 0
    assert "newer version" in two.a.said(), two.a.said()[-2000:]
    assert two.b.health() is not None
