"""An agent moves with everything that is its own; while it moves it is read and not written."""

from __future__ import annotations

from pathlib import Path

from tests.integration.nodes.barriers import barriers
from tests.integration.nodes.fleet import Fleet, Node, contents
from tests.integration.stack.server import until


def kept(node: Node, slug: str) -> dict[str, dict[str, str]]:
    """What there is of the agent on a node, by its parts."""
    names = ("workspaces", "transcripts", "history")
    return {name: contents(node.data_dir / name / slug) for name in names if (node.data_dir / name / slug).exists()}


def versions(node: Node, slug: str) -> list[str]:
    path = f"/api/v1/agents/{slug}/files/history?path=MEMORY.md"
    return [row["version"] for row in node.call("GET", path)["items"]]


def test_everything_is_there_afterwards_and_the_old_copy_is_named(fleet: Fleet, agent: str) -> None:
    for text in ("- one\n", "- two\n"):
        now = fleet.a.call("GET", f"/api/v1/agents/{agent}/files/content?path=MEMORY.md")
        body = {"path": "MEMORY.md", "text": text, "expected_hash": now["hash"]}
        assert fleet.a.ask("PUT", f"/api/v1/agents/{agent}/files/content", body).status == 200
    Path(fleet.a.data_dir, "workspaces", agent, "notes.txt").write_text("not Markdown, and yet the agent's\n")
    before, told = kept(fleet.a, agent), versions(fleet.a, agent)
    moved = fleet.a.manage("nodes", "move", agent, "--to", "b")
    assert moved.returncode == 0, moved.stdout + moved.stderr
    assert kept(fleet.b, agent) == before
    assert kept(fleet.a, agent) == {}
    old = next(line.partition(": ")[2] for line in moved.stdout.splitlines() if "/workspaces/" in line)
    assert contents(Path(old)) == before["workspaces"]
    assert versions(fleet.b, agent) == versions(fleet.a, agent) == told
    assert fleet.a.finds(agent, "winter coats", fleet.b.search(agent, "winter coats")["results"][0]["path"])
    assert fleet.a.search(agent, "where is coat", corpus="sessions")["results"]
    assert fleet.a.call("GET", f"/api/v1/agents/{agent}")["workspace"] == str(fleet.b.data_dir / "workspaces" / agent)


def test_a_file_on_disk_is_noticed_where_the_agent_lives_now(fleet: Fleet, agent: str) -> None:
    assert fleet.b.manage("nodes", "move", agent, "--to", "b").returncode == 0
    (fleet.b.data_dir / "workspaces" / agent / "MEMORY.md").write_text("- The sundial is called gnomon.\n")
    until("found through the other node", lambda: fleet.a.finds(agent, "gnomon", "MEMORY.md"), 30)
    back = fleet.a.manage("nodes", "move", agent, "--to", "a")
    assert back.returncode == 0, back.stdout + back.stderr
    assert fleet.b.finds(agent, "gnomon", "MEMORY.md")


def test_meanwhile_it_is_read_and_not_written(fleet: Fleet, agent: str) -> None:
    api = f"/api/v1/agents/{agent}"
    with barriers(fleet.postgres, "copy") as at:
        fleet.a.manage("nodes", "move", agent, "--to", "b", "--no-wait")
        at.reached("copy")
        for node in (fleet.a, fleet.b):
            refused = node.ask("POST", f"{api}/notes", {"text": "Too late for the old place."})
            assert (refused.status, refused.json["error"]["code"]) == (503, "agent_moving")
            assert int(refused.header("Retry-After")) > 0
            assert node.search(agent, "winter coats")["results"]
        assert fleet.a.ask("PATCH", api, {"name": "Other"}).json["error"]["code"] == "agent_moving"
    until(
        "it can be written again", lambda: fleet.a.ask("POST", f"{api}/notes", {"text": "At last."}).status == 201, 30
    )


def test_a_move_that_is_cancelled_leaves_everything_as_it_was(fleet: Fleet, agent: str) -> None:
    before = kept(fleet.a, agent)
    with barriers(fleet.postgres, "verify") as at:
        fleet.a.manage("nodes", "move", agent, "--to", "b", "--no-wait")
        at.reached("verify")
        at.drop_who_waits("verify")
        assert fleet.a.manage("nodes", "cancel", agent).returncode == 0
    assert fleet.b.ask("POST", f"/api/v1/agents/{agent}/notes", {"text": "Still at home."}).status == 201
    until("nothing is left", lambda: not list(fleet.b.data_dir.glob(f"*/.moving/{agent}-*")), 30)
    now = kept(fleet.a, agent)
    assert kept(fleet.b, agent) == {} and before["transcripts"] == now["transcripts"]


def test_files_that_lie_where_it_is_to_go_are_not_overwritten(fleet: Fleet, agent: str) -> None:
    place = fleet.b.data_dir / "workspaces" / agent
    place.mkdir()
    (place / "mine.md").write_text("- somebody else's\n")
    refused = fleet.a.manage("nodes", "move", agent, "--to", "b")
    assert refused.returncode == 1 and f"there are files in {place} already" in refused.stderr
    assert (place / "mine.md").read_text() == "- somebody else's\n"
    assert fleet.a.ask("POST", f"/api/v1/agents/{agent}/notes", {"text": "Still here."}).status == 201


def test_a_collection_that_the_other_node_does_not_have_is_named(fleet: Fleet, agent: str) -> None:
    path = fleet.a.data_dir / "workspaces" / f"books-{agent}"
    path.mkdir()
    fleet.a.call("POST", f"/api/v1/agents/{agent}/collections", {"name": "books", "path": str(path)})
    refused = fleet.a.manage("nodes", "move", agent, "--to", "b")
    assert refused.returncode == 1 and str(path) in refused.stderr + refused.stdout
