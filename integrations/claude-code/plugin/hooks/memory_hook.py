#!/usr/bin/env python3
"""Claude Code's hooks: what a chat starts with, recall before each prompt, the transcript, a flush before a compaction.

Reads the hook's JSON from stdin and prints JSON. Needs nothing but Python 3.9. The plugin's options arrive in the
environment (CLAUDE_PLUGIN_OPTION_URL, …_AGENT, …_API_KEY). No turn is held up: a failure is a message that Claude
Code shows to the user, and exit code 0. Messages carry Claude Code's own ids, so that sending one again stores
nothing twice; what could not be sent goes with the next turn, or at the latest when the chat is resumed, compacted or
ended.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote

RECALL_MS = 4000
PATIENCE_SECONDS = 8.0
FLUSH_SECONDS = 60.0
TURNS = 6
"""Of the conversation, for a recall."""
LATEST = 100
"""Messages that are sent again at a turn's end, in case the appliance was away."""
BATCH = 500


def main() -> None:
    said: dict[str, Any] = {}
    try:
        hook = json.load(sys.stdin)
        said = HOOKS[hook["hook_event_name"]](hook)
    except (OSError, ValueError, KeyError, TypeError) as error:
        said = {"systemMessage": f"Memory is not available: {error}"}
    print(json.dumps(said))


def session_start(hook: dict[str, Any]) -> dict[str, Any]:
    """The curated files and the last days; after a compaction or a resumption also what is not sent yet."""
    if hook.get("source") in ("resume", "compact"):
        send(hook, everything=True)
    return added(hook, str(ask("context", {"session": session(hook)})["text"]))


def user_prompt_submit(hook: dict[str, Any]) -> dict[str, Any]:
    turns = [{"role": one["role"], "text": one["text"]} for one in messages(hook)[-TURNS:]]
    body = {"message": str(hook["prompt"]), "session": session(hook), "history": turns, "timeout_ms": RECALL_MS}
    return added(hook, str(ask("recall", body)["context"]))


def stop(hook: dict[str, Any]) -> dict[str, Any]:
    send(hook, everything=False)
    return {}


def pre_compact(hook: dict[str, Any]) -> dict[str, Any]:
    send(hook, everything=True)
    ask("flush", {"session_key": session(hook)["key"]}, seconds=FLUSH_SECONDS)
    return {}


def session_end(hook: dict[str, Any]) -> dict[str, Any]:
    send(hook, everything=True)
    return {}


HOOKS = {
    "SessionStart": session_start,
    "UserPromptSubmit": user_prompt_submit,
    "Stop": stop,
    "PreCompact": pre_compact,
    "SessionEnd": session_end,
}


def added(hook: dict[str, Any], text: str) -> dict[str, Any]:
    if not text:
        return {}
    return {"hookSpecificOutput": {"hookEventName": hook["hook_event_name"], "additionalContext": text}}


def session(hook: dict[str, Any]) -> dict[str, str]:
    return {"key": f"agent:{option('AGENT')}:claude-code:direct:{hook.get('session_id') or 'main'}"}


def send(hook: dict[str, Any], *, everything: bool) -> None:
    place = f"transcripts/{quote(session(hook)['key'], safe='')}/messages"
    said = messages(hook) if everything else messages(hook)[-LATEST:]
    for start in range(0, len(said), BATCH):
        ask(place, {"messages": said[start : start + BATCH]})


def messages(hook: dict[str, Any]) -> list[dict[str, str]]:
    """What person and model said to each other, from Claude Code's own file; no calls of tools, no side chains."""
    try:
        lines = Path(str(hook.get("transcript_path"))).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            entry = json.loads(line)
            role, uuid, message = entry["type"], entry["uuid"], entry["message"]
            content, made = message["content"], message.get("model") == "<synthetic>"
        except (ValueError, KeyError, TypeError):
            continue  # among other things requests, which repeat the whole conversation
        if made or entry.get("isSidechain") or entry.get("isMeta") or role not in ("user", "assistant"):
            continue
        text = content if isinstance(content, str) else "\n".join(part["text"] for part in content if "text" in part)
        if text.strip():
            found.append({"id": str(uuid), "role": role, "text": text, "at": str(entry.get("timestamp") or "")})
    return found


def ask(place: str, body: dict[str, Any], *, seconds: float = PATIENCE_SECONDS) -> dict[str, Any]:
    """The answer. Raises `OSError` with the address and the reason."""
    address = option("URL").rstrip("/")
    request = urllib.request.Request(  # noqa: S310 - the owner's own address
        f"{address}/api/v1/agents/{quote(option('AGENT'))}/{place}",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {option('API_KEY')}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=seconds) as answer:  # noqa: S310
            return dict(json.load(answer))
    except urllib.error.HTTPError as error:
        raise OSError(f"{address}: {error.code} {_told(error)}".strip()) from error
    except urllib.error.URLError as error:
        raise OSError(f"{address} cannot be reached: {error.reason}") from error


def _told(error: urllib.error.HTTPError) -> str:
    try:
        told = json.loads(error.read())["error"]
        return f"{told['message']} {told['hint']}"
    except (ValueError, KeyError, TypeError):
        return ""


def option(name: str) -> str:
    value = os.environ.get(f"CLAUDE_PLUGIN_OPTION_{name}")
    if not value:
        raise OSError(
            f"the option {name.lower()} is not set; run `claude plugin configure memory-appliance@memory-appliance`"
        )
    return value


if __name__ == "__main__":
    main()
