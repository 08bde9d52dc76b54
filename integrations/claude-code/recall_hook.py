#!/usr/bin/env python3
"""Claude Code `UserPromptSubmit` hook: asks the memory appliance before every prompt and prints the block it gives.

Reads the hook's JSON from stdin; what it prints goes into the context. Needs nothing but Python. Set
MEMORY_URL (default http://127.0.0.1:8765), MEMORY_AGENT, and MEMORY_API_KEY or MEMORY_API_KEY_FILE (a key with right
`read`). A prompt is never held up: any failure is one line on stderr and exit code 1, which Claude Code shows and
passes over.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path

TIMEOUT_MS = int(os.environ.get("MEMORY_RECALL_TIMEOUT_MS", "4000"))
RECENT_LINES = 40
TURNS = 6


def main() -> int:
    try:
        prompt = json.load(sys.stdin)
        context = recall(prompt)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"memory recall failed: {error}", file=sys.stderr)
        return 1
    if context:
        print(context)
    return 0


def recall(prompt: dict) -> str:
    agent = os.environ["MEMORY_AGENT"]
    body = {
        "message": str(prompt["prompt"]),
        "session": {"key": f"agent:{agent}:claude-code:direct:{prompt.get('session_id') or 'main'}"},
        "history": history(prompt.get("transcript_path")),
        "timeout_ms": TIMEOUT_MS,
    }
    request = urllib.request.Request(  # noqa: S310 - the owner's own address
        f"{os.environ.get('MEMORY_URL', 'http://127.0.0.1:8765').rstrip('/')}/api/v1/agents/{agent}/recall",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {api_key()}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_MS / 1000 + 3) as answer:  # noqa: S310
            return str(json.load(answer)["context"])
    except urllib.error.HTTPError as error:
        told = json.loads(error.read() or b"{}").get("error", {})
        raise OSError(f"{error.code} {told.get('message', '')} {told.get('hint', '')}".strip()) from error


def api_key() -> str:
    file = os.environ.get("MEMORY_API_KEY_FILE")
    return Path(file).read_text(encoding="utf-8").strip() if file else os.environ["MEMORY_API_KEY"]


def history(transcript: object) -> list[dict[str, str]]:
    """The last turns of the conversation, as far as the transcript can be read: they only help short prompts."""
    try:
        lines = Path(str(transcript)).read_text(encoding="utf-8", errors="replace").splitlines()[-RECENT_LINES:]
    except OSError:
        return []
    turns = []
    for line in lines:
        try:
            message = json.loads(line)["message"]
            role, content = message["role"], message["content"]
        except (ValueError, KeyError, TypeError):
            continue
        if not isinstance(content, str):
            content = "\n".join(part["text"] for part in content if isinstance(part, dict) and "text" in part)
        if role in ("user", "assistant") and content.strip():
            turns.append({"role": role, "text": content})
    return turns[-TURNS:]


if __name__ == "__main__":
    sys.exit(main())
