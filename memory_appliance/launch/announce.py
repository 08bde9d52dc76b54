"""Tell the owner when the server answers, how the model part comes along, and when it has joined."""

from __future__ import annotations

import http.client
import json
import threading
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

from memory_appliance.boot.say import say
from memory_appliance.launch.layout import Layout
from memory_appliance.launch.models_setup import STATE_FILE

POLL_SECONDS = 0.5
LATER_POLL_SECONDS = 2.0
SLOW_START_SECONDS = 60.0
PROGRESS_SECONDS = 15.0


def announce_in_background(layout: Layout) -> None:
    threading.Thread(target=_announce, args=(layout,), name="announce", daemon=True).start()


def _announce(layout: Layout) -> None:
    started = time.monotonic()
    warned = False
    while ask(layout) is None:
        if not warned and time.monotonic() - started > SLOW_START_SECONDS:
            warned = True
            say(f"  … the server does not answer yet; see {layout.log_dir}/web.log")
        time.sleep(POLL_SECONDS)
    say(f"\nready: {layout.url}  (search by words; {time.monotonic() - started:.0f} s)   logs: {layout.log_dir}")
    say("Ctrl-C stops everything.\n")
    _announce_models(layout)


def _announce_models(layout: Layout) -> None:
    said, said_at, started = "", 0.0, time.monotonic()
    while True:
        checks = ask(layout)
        if checks is not None and checks.get("models", {}).get("status") == "ok":
            say(f"models ready: search by meaning too  ({time.monotonic() - started:.0f} s)")
            return
        state = _setup_state(layout.run_dir / STATE_FILE)
        if state.get("state") == "failed":
            text = f"local models: {state.get('step')}. {state.get('detail')}. The server searches by words."
        else:
            text = f"local models: {state.get('step', 'waiting')} {state.get('detail', '')}".rstrip()
        now = time.monotonic()
        changed = text.split(" ")[2:3] != said.split(" ")[2:3] or state.get("state") == "failed"
        if text != said and (changed or now - said_at >= PROGRESS_SECONDS):
            said, said_at = text, now
            say(f"  ▸ {text}")
        time.sleep(LATER_POLL_SECONDS)


def ask(layout: Layout) -> Mapping[str, Any] | None:
    """The checks of /health/ready, or None while the server does not answer or is not ready."""
    try:
        with urllib.request.urlopen(f"{layout.url}/health/ready", timeout=5) as answer:  # noqa: S310 - our own address
            checks = json.load(answer).get("checks", {})
    except (HTTPError, URLError, OSError, http.client.HTTPException, ValueError):
        return None
    return checks if isinstance(checks, dict) else None


def _setup_state(path: Path) -> Mapping[str, Any]:
    try:
        state = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}
