"""Either node is killed at the end of every step of a move, and lost as a whole: nothing is lost, nothing is double."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.integration.nodes.barriers import STEPS, barriers
from tests.integration.nodes.fleet import Fleet, Node, contents
from tests.integration.stack.server import until

WORKER, WEB = "-A memory_appliance worker", "granian"


def kill(node: Node, what: str) -> None:
    until(f"{what} of {node.name} runs", lambda: node.processes(what), 30)
    node.kill(what)


@pytest.mark.parametrize("victim", ["target", "source"])
def test_a_killed_process_delays_a_move_and_harms_nothing(fleet: Fleet, agent: str, victim: str) -> None:
    before = contents(fleet.a.data_dir / "workspaces" / agent)
    with barriers(fleet.postgres, *STEPS) as at:
        fleet.a.manage("nodes", "move", agent, "--to", "b", "--no-wait")
        for step in STEPS:
            at.reached(step)
            if victim == "target" and step != "aside":
                kill(fleet.b, WORKER)
                at.drop_who_waits(step)  # else the database would finish what the dead process had sent
                at.reached(step)
            elif victim == "source" and step in ("freeze", "copy", "verify", "aside"):
                kill(fleet.a, WORKER)
                kill(fleet.a, WEB)
            at.open(step)
    until("it has arrived", lambda: "done" in moves_of(fleet.b, agent), 60)
    assert contents(fleet.b.data_dir / "workspaces" / agent) == before
    assert not (fleet.a.data_dir / "workspaces" / agent).exists()
    until("a answers", fleet.a.health, 30)
    for node in (fleet.a, fleet.b):
        assert node.search(agent, "winter coats")["results"]
    lines = Counter("".join(path.read_text() for path in note_files(fleet.b, agent)).splitlines())
    assert [lines[f"- Box {number} holds the winter coats."] for number in range(3)] == [1, 1, 1]
    assert fleet.a.ask("POST", f"/api/v1/agents/{agent}/notes", {"text": "Written again."}).status == 201


def test_a_node_that_is_lost_in_the_middle_of_a_move_takes_only_its_own_agents_along(fleet: Fleet, agent: str) -> None:
    fleet.b.agent(f"b-{agent}")
    before = contents(fleet.a.data_dir / "workspaces" / agent)
    with barriers(fleet.postgres, "copy") as at:
        fleet.a.manage("nodes", "move", agent, "--to", "b", "--no-wait")
        at.reached("copy")
        fleet.b.kill_all()
        at.drop_who_waits("copy")
    assert fleet.a.search(agent, "winter coats")["results"]
    lost = fleet.a.ask("POST", f"/api/v1/agents/b-{agent}/search", {"query": "anything"})
    assert (lost.status, lost.json["error"]["code"], lost.header("Retry-After")) == (503, "node_lost", "2")
    assert fleet.a.ask("GET", f"/api/v1/agents/b-{agent}", key="maa_" + "x" * 32).status == 401
    assert {row["slug"] for row in fleet.a.call("GET", "/api/v1/agents")["items"]} >= {agent, f"b-{agent}"}
    fleet.b.up()
    until("it is back", lambda: fleet.a.ask("GET", f"/api/v1/agents/b-{agent}").status == 200, 30)
    until("the move has gone on by itself", lambda: "done" in moves_of(fleet.a, agent), 60)
    assert contents(fleet.b.data_dir / "workspaces" / agent) == before
    fleet.a.call("DELETE", f"/api/v1/agents/b-{agent}")


def moves_of(node: Node, slug: str) -> str:
    return "".join(line for line in node.manage("nodes", "moves").stdout.splitlines() if line.startswith(f"{slug}:"))


def note_files(node: Node, slug: str) -> list[Path]:
    return sorted((node.data_dir / "workspaces" / slug / "memory").glob("*.md"))
