"""Of two servers one is ill: its share takes 200 ms a write, its clock is a day ahead. The other is none the worse."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.faults import clock
from bench.faults.libraries import compiled
from tests.integration.servers.test_two import facts, workspace
from tests.integration.servers.two import Two, Writers, two_servers
from tests.integration.stack.server import until
from tests.postgres import why_not

pytestmark = [
    pytest.mark.skipif(bool(why_not()), reason=why_not()),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="the slow share and the other clock are compiled"),
    pytest.mark.timeout(1200),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ill")


@pytest.fixture(scope="module")
def two(folder: Path) -> Iterator[Two]:
    wrong = clock.options(folder)
    slow = {"SLOW_MS": "200", "SLOW_BELOW": str(folder / "data")}
    libraries = f"{wrong['LD_PRELOAD']}:{compiled('slow_disk.c', folder)}"
    with two_servers(folder, of_b={**wrong, **slow, "LD_PRELOAD": libraries}) as servers:
        clock.set_to(folder, clock.DAY)
        yield servers


def test_both_write_one_agent_and_nothing_is_lost_or_doubled(two: Two) -> None:
    place = workspace(two.a, "slow")
    writers = [Writers((member,), "slow", name, most=20) for name, member in zip("mn", two.both, strict=True)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    confirmed = [text for writer in writers for text in writer.confirmed]
    assert len(confirmed) == 40 and facts(place) == Counter(confirmed)


def test_no_job_is_taken_away_and_both_are_known_to_live(two: Two) -> None:
    place = workspace(two.a, "timely") / "memory"
    place.mkdir(exist_ok=True)
    for number in range(30):
        (place / f"{number}.md").write_text(f"- The ladder {number} is borrowed from Mrs. Okafor.\n")
    run = two.a.update("timely")
    assert two.a.done(run, 240)["state"] == "done"
    with two.postgres.connected() as database:
        attempts = database.execute("SELECT max(attempts) FROM agents_run").fetchone()
        ahead = database.execute("SELECT count(*) FROM agents_workerheartbeat WHERE at > now() + interval '1 minute'")
        assert ahead.fetchone() == (0,)
    assert attempts is not None and attempts[0] <= 1
    for member in two.both:
        ready = member.call("GET", "/health/ready")["checks"]
        assert ready["workers"]["status"] == "ok", ready
    until("found", lambda: all(member.finds("timely", "ladder 7", "memory/7.md") for member in two.both), 60)
