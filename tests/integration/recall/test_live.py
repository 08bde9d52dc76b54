"""Recall over HTTP on the running server: all lanes, what survives a restart of nothing, and many turns at once."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

from bench.recall_http import burst, silent_endpoint
from tests.integration.recall.conftest import NOTES
from tests.integration.stack.server import Server, free_port, until

CHAT = {"key": "agent:home:telegram:direct:42"}


def recall(home: Server, message: str, **more: Any) -> dict[str, Any]:
    body = {"message": message, "session": CHAT, **more}
    return dict(home.call("POST", "/api/v1/agents/home/recall", body))


def test_every_lane_answers(home: Server) -> None:
    assert recall(home, "where is the spare key?")["lane"] == "fast"
    deep = recall(home, "do you remember which boiler valve we have?")
    assert (deep["status"], deep["lane"], deep["intent"]["verdict"]) == ("ok", "deep", "recall")
    assert "BV-210" in deep["summary"]


def test_a_toggle_is_kept_for_every_process(home: Server) -> None:
    address = "/api/v1/agents/home/recall/toggle"
    home.call("POST", address, {"session": CHAT, "enabled": False})
    try:
        reasons = {recall(home, "where is the spare key?")["reason"] for _ in range(8)}
    finally:
        home.call("POST", address, {"session": CHAT, "enabled": True})
    assert reasons == {"session_disabled"}


def test_a_crowd_on_a_writer_that_never_answers_is_answered_in_time(tmp_path: Path) -> None:
    with silent_endpoint() as address:
        server = Server(tmp_path / "data", free_port()).start(
            MEMORY_GENERATE_MODEL="openai:stalled", MEMORY_OPENAI_BASE_URL=address, MEMORY_OPENAI_API_KEY="none"
        )
        try:
            server.knows("crowd", NOTES, "boiler valve")
            crowd = burst(server, "crowd", 40, 4_000)
        finally:
            server.stop()
    assert len(crowd.seconds) == 40 and max(crowd.seconds) < 4 + 3, crowd.told()
    assert ("ok", "breaker_open") in crowd.answers, crowd.told()


def _embedded(home: Server) -> bool:
    status = home.call("GET", "/api/v1/agents/home/status")
    return bool(status["embedded"] > 0 and status["pending"] == 0)


def test_two_hundred_turns_on_a_stalled_models_process_all_answer_in_time(home: Server) -> None:
    until("vectors", lambda: _embedded(home), 60)
    models = home.processes("workers.process")
    for pid in models:
        os.kill(pid, signal.SIGSTOP)
    took: list[float] = []
    statuses: list[str] = []

    def ask(number: int) -> None:
        started = time.monotonic()
        statuses.append(recall(home, f"which boiler valve, question {number}", mode="always")["status"])
        took.append(time.monotonic() - started)

    try:
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        for pid in models:
            os.kill(pid, signal.SIGCONT)
    assert len(models) == 1 and len(took) == 200 and max(took) < 15 + 3
    assert set(statuses) == {"ok"}
