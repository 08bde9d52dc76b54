"""Resources: an agent's files, for those whom the scope rules allow without a chat."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from django.test import Client

from agents.models import Agent
from agents.registry.agents import update_agent
from memory_appliance.mcp import resources
from tests import cast
from tests.unit.mcp.conftest import Mcp


def _listed(mcp: Mcp) -> list[str]:
    found: list[str] = []
    params: dict[str, str] = {}
    while True:
        page = mcp.send("resources/list", params)
        found += [item["uri"] for item in page["resources"]]
        if "nextCursor" not in page:
            return found
        params = {"cursor": page["nextCursor"]}


def test_what_is_listed_can_be_read(as_gateway: Mcp, al: Agent) -> None:
    odd = "memory/50% off? #1 é.md"
    Path(al.workspace, odd).write_text("Boots at the market.\n")
    cast.index(al)
    assert _listed(as_gateway) == ["memory://al/MEMORY.md", f"memory://al/{quote(odd)}"]
    contents = as_gateway.send("resources/read", {"uri": f"memory://al/{quote(odd)}"})["contents"]
    assert contents[0]["text"] == "Boots at the market."


def test_the_template_says_how_addresses_look(as_gateway: Mcp) -> None:
    templates = as_gateway.send("resources/templates/list")["resourceTemplates"]
    assert [item["uriTemplate"] for item in templates] == ["memory://{agent}/{+path}"]


def test_every_page_goes_on_where_the_last_one_ended(
    as_owner: Mcp, al: Agent, al_2: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast.write_files(al, {f"memory/{number}.md": f"Note {number}.\n" for number in range(5)})
    cast.index(al)
    monkeypatch.setattr(resources, "PAGE", 2)
    monkeypatch.setattr(resources, "AGENTS_LOOKED_AT", 1)
    listed = _listed(as_owner)
    assert len(listed) == len(set(listed)) == 7
    assert listed[-1] == "memory://al-2/MEMORY.md"


def test_without_a_chat_an_untrusted_key_sees_no_file(as_helper: Mcp) -> None:
    assert _listed(as_helper) == []
    assert "chat" in as_helper.send("resources/read", {"uri": "memory://al/MEMORY.md"})["error"]["message"]


def test_a_memory_that_is_off_lists_nothing_and_reads_nothing(as_gateway: Mcp, al: Agent) -> None:
    update_agent(actor=cast.OWNER, agent=al, settings={"memory_enabled": False})
    assert _listed(as_gateway) == []
    error = as_gateway.send("resources/read", {"uri": "memory://al/MEMORY.md"})["error"]
    assert error["data"]["code"] == "memory_disabled"


def test_without_the_right_to_read_there_is_nothing(client: Client, al: Agent) -> None:
    writer = Mcp(client, cast.person("writer", agents=["al"], rights=["write"]).headers)
    for method, params in (("resources/list", {}), ("resources/read", {"uri": "memory://al/MEMORY.md"})):
        assert "right read" in writer.send(method, params)["error"]["message"]


@pytest.mark.parametrize(
    "uri",
    [
        "memory://al/memory/none.md",
        "memory://al/../al-2/MEMORY.md",
        "memory://al/%2e%2e/al-2/MEMORY.md",
        "memory://al//etc/passwd",
        "memory://al-2/MEMORY.md",
        "memory://AL/MEMORY.md",
        "memory://al",
        "memory:",
        "file:///etc/passwd",
        "http://[bad/MEMORY.md",
        "",
    ],
)
def test_an_address_that_leads_nowhere_is_an_error_that_explains(as_gateway: Mcp, al_2: Agent, uri: str) -> None:
    error = as_gateway.send("resources/read", {"uri": uri})["error"]
    assert error["code"] == -32602
    assert error["data"]["hint"]


def test_a_foreign_agent_is_as_absent_as_one_that_does_not_exist(as_gateway: Mcp, al_2: Agent) -> None:
    foreign, absent = (as_gateway.send("resources/read", {"uri": f"memory://{slug}/x.md"}) for slug in ("al-2", "no"))
    assert str(foreign).replace("al-2", "no") == str(absent)


@pytest.mark.parametrize("cursor", ["", "al", "al:-1", "../x:0", "al:99999999999", "\ud800"])
def test_a_cursor_of_no_page_of_ours_is_refused(as_gateway: Mcp, cursor: str) -> None:
    assert as_gateway.send("resources/list", {"cursor": cursor})["error"]["data"]["field"] == "cursor"
