"""The hooks of Claude Code's plugin, each run as Claude Code runs it, against a live server.

The clients themselves are run in tests/clients.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.stack.server import KEY, ROOT, Server

HOOK = ROOT / "integrations" / "claude-code" / "plugin" / "hooks" / "memory_hook.py"


def claude(home: Server, event: str, **fields: Any) -> dict[str, Any]:
    """What the hook says. `options` beside the fields of the event overrule the plugin's."""
    own = {"URL": f"http://127.0.0.1:{home.port}", "AGENT": "home", "API_KEY": KEY, **fields.pop("options", {})}
    options = {f"CLAUDE_PLUGIN_OPTION_{name}": value for name, value in own.items()}
    done = subprocess.run(
        [sys.executable, str(HOOK)], input=json.dumps({"hook_event_name": event, "session_id": "s1", **fields}),
        capture_output=True, text=True, timeout=30, check=True, env={"PATH": os.environ["PATH"], **options},
    )  # fmt: skip
    return dict(json.loads(done.stdout))


def _transcript(folder: Path, *said: tuple[str, str]) -> str:
    lines: list[dict[str, Any]] = [
        {"type": role, "uuid": f"u{place}", "timestamp": "2026-11-30T08:00:00Z", "message": {"content": text}}
        for place, (role, text) in enumerate(said)
    ]
    lines.append({"type": "api-request-blob", "message": {"role": "user", "content": "all of it once more"}})
    file = folder / "transcript.jsonl"
    file.write_text("not json\n" + "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(file)


def test_a_prompt_gets_the_block_as_context(home: Server) -> None:
    said = claude(home, "UserPromptSubmit", prompt="where is the spare key?")["hookSpecificOutput"]
    assert said["hookEventName"] == "UserPromptSubmit"
    assert said["additionalContext"].startswith("<memory_notes") and "blue pot" in said["additionalContext"]


def test_nothing_is_said_when_nothing_is_remembered(home: Server) -> None:
    assert claude(home, "UserPromptSubmit", prompt="write a haiku about rain") == {}


def test_a_chat_starts_with_the_curated_files(home: Server) -> None:
    said = claude(home, "SessionStart", source="startup")["hookSpecificOutput"]
    assert "The spare key is under the blue pot." in said["additionalContext"]


def test_the_conversation_helps_a_short_prompt(home: Server, tmp_path: Path) -> None:
    claude(home, "UserPromptSubmit", prompt="and?", transcript_path=_transcript(tmp_path, ("user", "the spare key")))
    event = home.call("GET", "/api/v1/agents/home/recall_events?limit=1")["items"][0]
    assert "spare" in event["query"]


def test_a_turn_is_kept_once_however_often_it_is_sent(home: Server, tmp_path: Path) -> None:
    file = _transcript(tmp_path, ("user", "the heron looked at me"), ("assistant", "herons do"))
    for event in ("Stop", "Stop", "PreCompact", "SessionEnd"):
        assert claude(home, event, transcript_path=file, session_id="kept") == {}
    folder = home.data_dir / "transcripts" / "home" / "turns"
    lines = [line for kept in folder.glob("*kept*/*.jsonl") for line in kept.read_text().splitlines()]
    assert [json.loads(line)["text"] for line in lines] == ["the heron looked at me", "herons do"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"API_KEY": "wrong"}, "401"),
        ({"URL": "http://127.0.0.1:9"}, "cannot be reached"),
        ({"API_KEY": ""}, "configure"),
    ],
)
def test_a_failure_is_told_to_the_user_and_holds_nothing_up(home: Server, options: dict[str, str], reason: str) -> None:
    said = claude(home, "UserPromptSubmit", prompt="where is the spare key?", options=options)
    assert said["systemMessage"].startswith("Memory is not available: ") and reason in said["systemMessage"]
    assert "hookSpecificOutput" not in said
