"""The examples in integrations/, each run as its gateway runs it, against a live server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.stack.server import KEY, ROOT, Server

HOOK = ROOT / "integrations" / "claude-code" / "recall_hook.py"
PLUGIN = ROOT / "integrations" / "openclaw" / "index.js"

GATEWAY = """
const said = [];
const logger = { info: (line) => said.push(line), warn: (line) => said.push(line) };
const { config, event, ctx } = JSON.parse(process.argv[1]);
const plugin = (await import(process.argv[2])).default;
let hook;
const on = (name, run) => { if (name === "before_prompt_build") hook = run; };
plugin.register({ pluginConfig: config, logger, on });
console.log(JSON.stringify({ result: (await hook(event, ctx)) ?? null, said }));
"""


def claude(home: Server, prompt: dict[str, Any], **environment: str) -> subprocess.CompletedProcess[str]:
    values = {"MEMORY_URL": f"http://127.0.0.1:{home.port}", "MEMORY_AGENT": "home", "MEMORY_API_KEY": KEY}
    return subprocess.run(
        [sys.executable, str(HOOK)], input=json.dumps(prompt), capture_output=True, text=True, timeout=30, check=False,
        env={"PATH": os.environ["PATH"], **values, **environment},
    )  # fmt: skip


def openclaw(home: Server, prompt: str, ctx: dict[str, str], messages: Any = (), key: str = KEY) -> dict[str, Any]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js, which OpenClaw runs on, is not installed")
    config = {"url": f"http://127.0.0.1:{home.port}", "apiKey": key, "agent": "home"}
    call = json.dumps({"config": config, "event": {"prompt": prompt, "messages": list(messages)}, "ctx": ctx})
    done = subprocess.run(
        [node, "--input-type=module", "-e", GATEWAY, call, PLUGIN.as_uri()],
        capture_output=True, text=True, timeout=30, check=True,
    )  # fmt: skip
    return dict(json.loads(done.stdout))


def test_claude_code_gets_the_block_in_its_context(home: Server) -> None:
    done = claude(home, {"prompt": "where is the spare key?", "session_id": "s1"})
    assert done.returncode == 0 and "blue pot" in done.stdout and done.stdout.startswith("<memory_notes")


def test_claude_code_goes_on_without_a_word_when_nothing_is_remembered(home: Server) -> None:
    done = claude(home, {"prompt": "write a haiku about rain", "session_id": "s1"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_claude_code_uses_the_conversation_for_a_short_prompt(home: Server, tmp_path: Path) -> None:
    transcript = tmp_path / "transcript.jsonl"
    said = {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "the spare key"}]}}
    transcript.write_text(f"not json\n{json.dumps(said)}\n", encoding="utf-8")
    done = claude(home, {"prompt": "and?", "session_id": "s1", "transcript_path": str(transcript)})
    assert done.returncode == 0
    event = home.call("GET", "/api/v1/agents/home/recall_events?limit=1")["items"][0]
    assert "spare" in event["query"]


@pytest.mark.parametrize(
    "environment",
    [{"MEMORY_API_KEY": "wrong"}, {"MEMORY_URL": "http://127.0.0.1:9"}, {"MEMORY_API_KEY_FILE": "/nowhere"}],
)
def test_claude_code_is_told_what_is_wrong_and_not_held_up(home: Server, environment: dict[str, str]) -> None:
    done = claude(home, {"prompt": "where is the spare key?"}, **environment)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("memory recall failed: ") and len(done.stderr.splitlines()) == 1


def test_openclaw_prepends_the_block(home: Server) -> None:
    answer = openclaw(home, "where is the spare key?", {"sessionKey": "agent:home:telegram:direct:42"})
    assert "blue pot" in answer["result"]["prependContext"]
    assert answer["said"][0].startswith("recall: ok strong_fast_hit event=")


def test_openclaw_in_a_group_gets_nothing_and_says_why(home: Server) -> None:
    answer = openclaw(home, "where is the spare key?", {"sessionKey": "agent:home:telegram:group:-100"})
    assert answer["result"] is None and "denied chat_type_not_allowed" in answer["said"][0]


def test_openclaw_goes_on_when_the_key_is_wrong(home: Server) -> None:
    answer = openclaw(home, "where is the spare key?", {"sessionKey": "agent:home:main"}, key="wrong")
    assert answer["result"] is None and answer["said"][0].startswith("recall failed: 401 ")
