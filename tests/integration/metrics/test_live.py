"""Metrics and logs of the whole running server: every process is in them, nothing that was said is."""

from __future__ import annotations

import re
import urllib.request

import pytest

from tests.integration.stack.server import KEY, Server, until

pytestmark = pytest.mark.stack

SEARCHES = 'memory_searches_total{mode="search",outcome="empty"}'
UPDATES = 'memory_jobs_total{kind="update",state="done"}'


def value(server: Server, sample: str) -> float:
    """0 for what was not counted yet."""
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    found = re.search(f"^{re.escape(sample)} (.+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def logs(server: Server) -> str:
    return "".join(path.read_text() for path in (server.data_dir / "logs").glob("*.log"))


def ask(server: Server, path: str, body: bytes, request_id: str) -> str:
    """The id that came back."""
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json", "X-Request-ID": request_id}
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}/api/v1{path}", body, headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return str(answer.headers["X-Request-ID"])


def test_what_all_web_processes_counted_is_added_up_and_outlives_them(server: Server) -> None:
    server.agent("counted")
    before = value(server, SEARCHES)
    for number in range(40):
        server.search("counted", f"nothing {number}")
    # The process that answers may be ahead of what the other one has written down.
    until("all are counted", lambda: value(server, SEARCHES) == before + 40, 15)
    server.kill("granian")
    until("answers again", server.health, 30)
    assert value(server, SEARCHES) == before + 40
    server.search("counted", "nothing more")
    until("goes on counting", lambda: value(server, SEARCHES) == before + 41, 15)


def test_a_counter_never_falls_whoever_answers(server: Server) -> None:
    server.agent("rising")
    seen = []
    for number in range(60):
        server.search("rising", f"nothing {number}")
        seen.append(value(server, SEARCHES))
    assert seen == sorted(seen)


def test_the_workers_jobs_are_counted(server: Server) -> None:
    server.agent("worked")
    before = value(server, UPDATES)
    server.done(server.update("worked"))
    until("counted", lambda: value(server, UPDATES) > before, 15)


def test_the_id_of_a_request_reaches_the_line_of_the_job_it_wanted(server: Server) -> None:
    server.agent("traced")
    assert ask(server, "/agents/traced/update", b"{}", "gateway-4711") == "gateway-4711"
    line = re.compile(r"update of traced: done .*request_id='gateway-4711'")
    until("the worker's line has it", lambda: line.search(logs(server)), 20)


def test_nothing_that_was_written_asked_or_told_is_in_any_log(server: Server) -> None:
    server.agent("discreet")
    server.call("POST", "/api/v1/agents/discreet/notes", {"text": "The quixotree blooms in May."})
    until("found", lambda: server.search("discreet", "quixotree")["results"], 10)
    server.call("POST", "/api/v1/agents/discreet/recall", {"message": "when does the quixotree bloom?"})
    chat = "/api/v1/agents/discreet/transcripts/agent:discreet:telegram:direct:quixotree"
    server.call("POST", f"{chat}/messages", {"messages": [{"role": "user", "text": "Remember the quixotree!"}]})
    server.call("POST", "/api/v1/agents/discreet/flush", {"messages": [{"role": "user", "text": "quixotree, always"}]})
    server.done(server.update("discreet"))
    text = logs(server)
    assert "update of discreet" in text
    assert "quixotree" not in text.lower() and KEY not in text
