"""Pages through the wrong node, and who may knock at the door between nodes."""

from __future__ import annotations

import http.cookiejar
import re
import time
import urllib.parse
import urllib.request
from typing import Any

import pytest
from pydantic import SecretStr

from agents.nodes import signature
from agents.nodes.signature import HEADER, Hop
from tests.integration.nodes.fleet import SECRET, Fleet, Node
from tests.integration.stack.server import KEY


class Browser:
    """One person's, with cookies: they are the same on both nodes because the web secret is."""

    def __init__(self) -> None:
        jar = http.cookiejar.CookieJar()
        self._open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar)).open

    def get(self, node: Node, path: str) -> str:
        return str(self._open(node.url + path, timeout=30).read().decode())

    def post(self, node: Node, address: str, form: str, **fields: str) -> str:
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)
        assert token is not None
        data = urllib.parse.urlencode({"csrfmiddlewaretoken": token[1], **fields}).encode()
        request = urllib.request.Request(node.url + address, data, {"Origin": node.url})
        return str(self._open(request, timeout=30).read().decode())


@pytest.fixture
def browser(fleet: Fleet) -> Browser:
    browser = Browser()
    form = browser.get(fleet.b, "/accounts/login/")
    browser.post(fleet.b, "/accounts/login/", form, username="admin", password="correct horse battery")
    return browser


def without_tokens(page: str) -> str:
    return re.sub(r'csrfmiddlewaretoken" value="[^"]+"|"X-CSRFToken": "[^"]+"', "", page)


def test_a_page_and_a_form_go_through_the_wrong_node(fleet: Fleet, agent: str, browser: Browser) -> None:
    for text in ("- one\n", "- two\n"):
        now = fleet.a.call("GET", f"/api/v1/agents/{agent}/files/content?path=MEMORY.md")
        body = {"path": "MEMORY.md", "text": text, "expected_hash": now["hash"]}
        fleet.a.call("PUT", f"/api/v1/agents/{agent}/files/content", body)
    page = f"/agents/{agent}/history?path=MEMORY.md"
    assert without_tokens(browser.get(fleet.a, page)) == without_tokens(browser.get(fleet.b, page))
    versions = fleet.a.call("GET", f"/api/v1/agents/{agent}/files/history?path=MEMORY.md")["items"]
    first = versions[-1]["version"]
    form = browser.get(fleet.b, f"{page}&version={first}")
    browser.post(fleet.b, f"/agents/{agent}/history", form, path="MEMORY.md", version=first)
    assert (fleet.a.data_dir / "workspaces" / agent / "MEMORY.md").read_text() == "- one\n"
    actor = fleet.a.call("GET", f"/api/v1/agents/{agent}/files/history?path=MEMORY.md")["items"][0]["actor"]
    assert actor == "user:admin"


@pytest.fixture
def node_settings(settings: Any) -> None:
    """This process signs as the nodes do."""
    settings.MEMORY_NODE_SECRET = SecretStr(SECRET)


PATH = "/nodes/v1/moves/1/inventory"


def test_the_door_opens_for_signed_requests_of_nodes_alone(fleet: Fleet, node_settings: None) -> None:
    signed = signature.sign(Hop("b", "a"), "GET", PATH)
    assert fleet.a.ask("GET", PATH).status == 404
    for_a_client = signature.sign(Hop("b", "a", peer="10.0.0.9"), "GET", PATH)
    assert fleet.a.ask("GET", PATH, **{HEADER: for_a_client}).status == 404
    assert fleet.a.ask("GET", PATH, **{HEADER: signed}).json["error"]["code"] == "conflict"  # no such move, but let in
    for wrong in (
        signature.sign(Hop("b", "b"), "GET", PATH),
        signature.sign(Hop("b", "a"), "GET", PATH.replace("1", "2")),
        signature.sign(Hop("b", "a"), "GET", PATH, now=time.time() - 120),
        signed[:-4] + "0000",
        "nonsense",
    ):
        assert fleet.a.ask("GET", PATH, **{HEADER: wrong}).status == 403


def test_a_client_cannot_pass_for_a_node(fleet: Fleet, agent: str) -> None:
    forged = "sender=a&to=b&peer=10.9.9.9&scheme=http&waited_ms=0&at=1&mac=00"
    assert fleet.b.ask("GET", f"/api/v1/agents/{agent}", **{HEADER: forged}).status == 403


def test_the_client_keeps_its_own_address(fleet: Fleet, agent: str) -> None:
    fleet.b.ask("PATCH", f"/api/v1/agents/{agent}", {"name": "Through the other"})
    event = fleet.a.call("GET", f"/api/v1/audit?agent={agent}&limit=1")["items"][0]
    assert (event["action"], event["address"]) == ("agent.update", "127.0.0.1")


def test_what_is_handed_on_is_not_handed_on_again(fleet: Fleet, agent: str, node_settings: None) -> None:
    path = f"/api/v1/agents/{agent}"
    signed = signature.sign(Hop("a", "b", peer="127.0.0.1"), "GET", path)
    answer = fleet.b.ask("GET", path, key=KEY, **{HEADER: signed})
    assert (answer.status, answer.json["error"]["code"]) == (503, "agent_moving")
