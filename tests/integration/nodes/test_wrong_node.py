"""A request to the node that does not have the agent's files is answered as by the one that has."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from tests.integration.nodes.fleet import Answer, Fleet, Node

OWN_TO_EACH_ANSWER = frozenset({"date", "server", "x-request-id", "connection", "content-length"})
OWN_TO_EACH_BODY = frozenset({"took_ms", "timings_ms", "elapsed_ms", "event_id", "last_used_at"})


def same(fleet: Fleet, method: str, path: str, body: Any = None, **more: str) -> Answer:
    """The answer, which is the same from both nodes: status, headers, and all of the body but times and numbers."""
    here, there = (node.ask(method, path, body, **more) for node in (fleet.a, fleet.b))
    assert here.status == there.status
    assert _lasting(here.json) == _lasting(there.json)
    seen = [[pair for pair in sorted(answer.headers) if pair[0] not in OWN_TO_EACH_ANSWER] for answer in (here, there)]
    assert seen[0] == seen[1]
    return there


def _lasting(value: Any) -> Any:
    if isinstance(value, list):
        return [_lasting(item) for item in value]
    if isinstance(value, dict):
        return {name: _lasting(item) for name, item in value.items() if name not in OWN_TO_EACH_BODY}
    return value


def test_searches_and_reads(fleet: Fleet, agent: str) -> None:
    api = f"/api/v1/agents/{agent}"
    found = same(fleet, "POST", f"{api}/search", {"query": "winter coats", "mode": "search", "min_score": 0})
    path = found.json["results"][0]["path"]
    assert same(fleet, "POST", f"{api}/get", {"path": path}).json["status"] == "ok"
    assert same(fleet, "GET", f"{api}/files/content?path={path}").status == 200
    assert same(fleet, "POST", f"{api}/context", {}).status == 200
    assert same(fleet, "GET", f"{api}/status").json["files"] > 0
    assert same(fleet, "GET", api).json["slug"] == agent


def test_recall_has_its_outcome(fleet: Fleet, agent: str) -> None:
    body = {"message": "Which box holds the winter coats?", "session": {"key": f"agent:{agent}:main"}}
    assert same(fleet, "POST", f"/api/v1/agents/{agent}/recall", body).status == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [({"query": "x", "max_results": 999}, 422), (b"{", 400), (b'{"query": "' + b"x" * 1_100_000 + b'"}', 413)],
)
def test_what_is_wrong_is_as_wrong_there(fleet: Fleet, agent: str, body: Any, status: int) -> None:
    assert same(fleet, "POST", f"/api/v1/agents/{agent}/search", body).status == status


def test_keys_are_looked_at_where_the_agent_is(fleet: Fleet, agent: str) -> None:
    made = {"name": f"for {agent}", "agents": [agent], "rights": ["write"]}
    writer = fleet.b.call("POST", "/api/v1/keys", made)["key"]
    search = f"/api/v1/agents/{agent}/search"
    assert same(fleet, "POST", search, {"query": "coats"}, key="maa_" + "x" * 32).status == 401
    assert same(fleet, "POST", search, {"query": "coats"}, key=writer).status == 403
    assert same(fleet, "GET", "/api/v1/agents/nobody-here", key=writer).status == 403


def test_a_note_written_through_the_wrong_node_is_in_the_right_folder(fleet: Fleet, agent: str) -> None:
    body = {"text": "The gnomon stands on the lawn.", "idempotency_key": "n1"}
    first, again = (node.ask("POST", f"/api/v1/agents/{agent}/notes", body) for node in (fleet.b, fleet.a))
    assert (first.status, again.json["duplicate"]) == (201, True)
    assert "gnomon" in (fleet.a.data_dir / "workspaces" / agent / first.json["path"]).read_text()
    assert not (fleet.b.data_dir / "workspaces" / agent).exists()


def test_an_export_and_a_long_upload_pass_through(fleet: Fleet, agent: str) -> None:
    export = fleet.b.ask("GET", f"/api/v1/agents/{agent}/export")
    assert "agent.json" in zipfile.ZipFile(io.BytesIO(export.body)).namelist()
    assert "filename" in export.header("Content-Disposition")
    line = json.dumps({"type": "message", "message": {"role": "user", "content": "word " * 300}}).encode()
    lines = b"\n".join(line[:-1] + b', "id": "l%d"}' % number for number in range(1500))
    assert len(lines) > 2_000_000
    stored = fleet.b.ask("POST", f"/api/v1/agents/{agent}/transcripts/agent:{agent}:long/jsonl", lines)
    assert (stored.status, stored.json["stored"]) == (200, 1500)


def test_lists_are_the_same_everywhere(fleet: Fleet, agent: str) -> None:
    assert agent in {row["slug"] for row in same(fleet, "GET", "/api/v1/agents").json["items"]}
    first = [node.call("GET", f"/api/v1/runs?agent={agent}")["items"][-1]["id"] for node in (fleet.a, fleet.b)]
    assert first[0] == first[1]


def rpc(node: Node, method: str, key: str, **params: Any) -> Any:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = node.ask("POST", "/mcp", message, key=key, Accept="application/json, text/event-stream")
    assert answer.status == 200, answer.body
    return answer.json["result"]


def test_mcp_goes_to_the_agent_that_is_named_or_meant(fleet: Fleet, agent: str) -> None:
    made = {"name": f"mcp {agent}", "agents": [agent], "rights": ["read", "write"], "trusted": True}
    key = fleet.a.call("POST", "/api/v1/keys", made)["key"]
    for named in ({}, {"agent": agent}):
        call = {"name": "memory_search", "arguments": {"query": "winter coats", **named}}
        here, there = (rpc(node, "tools/call", key, **call) for node in (fleet.a, fleet.b))
        assert there["structuredContent"]["results"] == here["structuredContent"]["results"] != []
    assert rpc(fleet.a, "tools/list", key) == rpc(fleet.b, "tools/list", key)
    here, there = (rpc(node, "resources/list", key)["resources"] for node in (fleet.a, fleet.b))
    assert here == there != []
    texts = [rpc(node, "resources/read", key, uri=here[0]["uri"])["contents"] for node in (fleet.a, fleet.b)]
    assert texts[0] == texts[1]


def test_the_list_of_resources_goes_over_both_nodes(fleet: Fleet, agent: str) -> None:
    slug = f"zz-{agent}"
    fleet.b.agent(slug)
    fleet.b.call("POST", f"/api/v1/agents/{slug}/notes", {"text": "On the other node."})
    made = {"name": f"both {agent}", "agents": [agent, slug], "rights": ["read"], "trusted": True}
    key = fleet.a.call("POST", "/api/v1/keys", made)["key"]
    for node in (fleet.a, fleet.b):
        page = rpc(node, "resources/list", key)
        uris = [one["uri"] for one in page["resources"]]
        while "nextCursor" in page:
            page = rpc(node, "resources/list", key, cursor=page["nextCursor"])
            uris += [one["uri"] for one in page["resources"]]
        assert {uri.split("/")[2] for uri in uris} == {agent, slug}
    fleet.a.call("DELETE", f"/api/v1/agents/{slug}")
