"""A folder of one agent becomes a symlink to another's, then every door is tried: nothing is read there or written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from agents.jobs.runs import request_run
from agents.models import Agent, Run
from agents.upkeep.consolidation import consolidate_all
from agents.workspace import append
from agents.workspace.leftovers import all_leftovers
from tests import cast
from workers.tasks.update import update

SECRET = "quartermaster 4711"
FILES = {
    "MEMORY.md": f"- {SECRET} is the code.\n",
    "memory/2026-09-01.md": f"- {SECRET} was told.\n",
    "memory/deep/plan.md": f"- {SECRET} is the plan.\n",
    "users/mum/USER.md": f"- {SECRET} is her code.\n",
}
OWN = {name: text.replace(SECRET, "gardener 1234") for name, text in FILES.items()}
NOW: dict[str, str] = {}
"""Digests of alpha's files as `made` left them."""


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


EMPTY = digest_of("")

Ask = Callable[..., HttpResponse]


def made() -> Agent:
    """Agent `alpha`, indexed, with a version of each file, and a folder beside it to import from."""
    alpha = cast.agent_with("alpha", OWN)
    for path in OWN:
        append(agent=alpha, actor=cast.OWNER, path=path, text="More.", origin="agent")
        NOW[path] = digest_of(Path(alpha.workspace, path).read_text())
        other = Path(f"{alpha.workspace}.import", path)
        other.parent.mkdir(parents=True, exist_ok=True)
        other.write_text("- Imported.\n")
    cast.index(alpha)
    return alpha


def filled(body: Any) -> str:
    text = json.dumps(body).replace("WORKSPACE", Agent.objects.get(slug="alpha").workspace)
    for path, digest in NOW.items():
        text = text.replace(f"NOW({path})", digest)
    return text


@pytest.fixture(params=["memory", "memory/deep", "users", "users/mum", ""])
def alpha(request: pytest.FixtureRequest, db: None, data_dir: Path) -> Agent:
    """A folder of `alpha` is a symlink to the same of `beta`."""
    beta = cast.agent_with("beta", FILES)
    alpha = made()
    folder = Path(alpha.workspace, request.param)
    folder.rename(Path(f"{alpha.workspace}.before"))
    folder.symlink_to(Path(beta.workspace, request.param))
    return alpha


def tree(slug: str) -> Mapping[str, tuple[bytes, int]]:
    root = Path(Agent.objects.get(slug=slug).workspace)
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in root.rglob("*") if path.is_file()}


def api(method: str, call: str, body: Any = None) -> Ask:
    return lambda client, headers: client.generic(
        method, f"/api/v1/agents/alpha/{call}", filled(body), "application/json",
        **headers,
    )  # fmt: skip


def mcp(tool: str, **arguments: Any) -> Ask:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    accept = {"HTTP_ACCEPT": "application/json, text/event-stream"}
    return lambda client, headers: client.generic(
        "POST", "/mcp", json.dumps(call), "application/json", **headers, **accept
    )


def page(method: str, place: str, **form: str) -> Ask:
    return lambda client, _: client.generic(
        method, f"/agents/alpha/{place}", "&".join(f"{name}={quote(value)}" for name, value in form.items()),
        "application/x-www-form-urlencoded",
    )  # fmt: skip


MUM = {"session": {"key": "agent:alpha:telegram:direct:mum", "user": "mum"}}
DOORS = {
    "search": [api("POST", "search", {"query": SECRET, "mode": "search", "min_score": 0})],
    "recall": [api("POST", "recall", {"message": f"What is the {SECRET}?"})],
    "get": [api("POST", "get", {"path": path}) for path in FILES],
    "multi_get": [api("POST", "multi_get", {"glob": "**/*.md"}), api("POST", "multi_get", {"paths": list(FILES)})],
    "read": [api("GET", f"files/content?path={path}") for path in FILES],
    "list": [api("GET", "files"), api("GET", "status")],
    "history": [api("GET", f"files/history?path={path}") for path in FILES],
    "save": [api("PUT", "files/content", {"path": path, "text": "x\n", "expected_hash": digest})
             for path, text in FILES.items() for digest in ("", EMPTY, digest_of(text), f"NOW({path})")],
    "save new": [api("PUT", "files/content", {"path": path, "text": "x\n", "expected_hash": ""})
                 for path in ("memory/new.md", "memory/deep/new.md", "users/mum/USER.md", "users/dad/USER.md")],
    "notes": [api("POST", "notes", {"text": "New.", "target": target})
              for target in ("daily", "memory", "user", *FILES)],
    "notes of mum": [api("POST", "notes", {"text": "New.", "target": "user", **MUM})],
    "restore": [api("POST", "files/restore", {"path": path, "version": digest_of(text)})
                for path in FILES for text in (FILES[path], OWN[path])],
    "forget": [api("POST", "forget", {"path": path, "dry_run": dry}) for path in FILES for dry in (True, False)],
    "context": [api("POST", "context", {**MUM, "now": "2026-09-01T12:00:00Z"}), api("POST", "context", {})],
    "export": [api("GET", "export")],
    "import": [api("POST", "import", {"tool": "openclaw", "path": path, "dry_run": dry})
               for path in ("WORKSPACE", "WORKSPACE.import") for dry in (True, False)],
    "flush": [api("POST", "flush", {"session_key": "agent:alpha:telegram:direct:mum", "messages": [
        {"role": "user", "text": "I decided that we paint the shed blue. Remember that."}]})],
    "consolidate": [api("POST", "consolidate", {})],
    "mcp": [mcp("memory_search", query=SECRET, agent="alpha"), mcp("memory_note", text="New.", agent="alpha"),
            mcp("memory_recall", message=SECRET, agent="alpha"), mcp("memory_status", agent="alpha"),
            *(mcp("memory_get", path=path, agent="alpha") for path in FILES)],
    "pages": [page("GET", "files"), page("GET", "files?folder=memory"), page("GET", "files?folder=users"),
              *(page("GET", f"{place}?path={path}") for path in FILES
                for place in ("file", "file/raw", "file/edit", "file/forget", "history"))],
    "pages that write": [page("POST", "file/edit", path=path, text="x", expected_hash=EMPTY) for path in FILES]
                        + [page("POST", f"file/forget?path={path}", path=path, confirm="on") for path in FILES],
}  # fmt: skip


@pytest.mark.parametrize("door", DOORS)
def test_each_door_is_open_without_a_symlink(owner: cast.Person, client: Client, data_dir: Path, door: str) -> None:
    """Or the tests below would prove nothing."""
    made()
    client.force_login(User.objects.create_superuser("boss", password="a long password"))
    answers = [ask(client, owner.headers).status_code for ask in DOORS[door]]
    assert min(answers) < 400, answers


@pytest.mark.parametrize("door", DOORS)
def test_no_door_leads_to_the_other_agent(alpha: Agent, owner: cast.Person, client: Client, door: str) -> None:
    before = tree("beta")
    client.force_login(User.objects.create_superuser("boss", password="a long password"))
    for ask in DOORS[door]:
        answer = ask(client, owner.headers)
        content = b"".join(answer) if answer.streaming else answer.content
        assert answer.status_code != 500, content
        for text in FILES.values():
            assert text.strip("- \n").encode() not in content, (ask, answer.status_code)
        assert tree("beta") == before, answer.status_code


def test_no_job_leads_to_the_other_agent(alpha: Agent, owner: cast.Person, client: Client) -> None:
    before = tree("beta")
    with suppress(Exception):  # Celery logs it
        update.run(request_run(agent=alpha, kind=Run.Kind.UPDATE, reason="change").pk)
    consolidate_all()
    answer = DOORS["search"][0](client, owner.headers)
    assert SECRET.encode() not in answer.content.replace(b'"query"', b"")
    assert list(all_leftovers(Path(alpha.workspace))) == []
    assert tree("beta") == before
