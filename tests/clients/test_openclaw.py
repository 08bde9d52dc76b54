"""OpenClaw with the plugin in its memory slot: whole turns, and what the model was sent."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from tests.clients.conftest import messages_of
from tests.clients.model_server import Call, ModelServer
from tests.clients.openclaw import OpenClaw
from tests.clients.packages import install, search_path
from tests.integration.stack.server import ROOT, Server, until

DIRECT = "agent:main:telegram:direct:42"
GROUP = "agent:main:telegram:group:-100"
BLOCK = "<memory_notes"


def test_the_plugin_fits_the_typings_of_the_package(tmp_path: Path) -> None:
    bin_dir = install("openclaw-2026.9.6")
    shutil.copytree(ROOT / "integrations" / "openclaw", tmp_path / "plugin")
    (tmp_path / "node_modules").symlink_to(bin_dir.parent)
    command = [str(bin_dir / "tsc"), "-p", str(tmp_path / "plugin")]
    environment = {"PATH": search_path(bin_dir)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stdout


def test_a_turn_recalls_calls_the_tool_and_is_kept(openclaw: OpenClaw, model: ModelServer, appliance: Server) -> None:
    question = "openclaw, do you remember where the spare key is?"
    model.rules[question] = (Call("memory_search", {"query": "spare key"}), "Under the blue pot.")
    assert openclaw.turn(DIRECT, question) == "Under the blue pot."
    first, second = model.turn(question)
    assert BLOCK in first.user and "blue pot" in first.user and first.user.index(BLOCK) < first.user.index(question)
    assert first.system.count("## Memory Recall") == 1 and "memory_note" in first.system
    assert {"memory_search", "memory_get", "memory_note", "memory_recall"} <= set(first.tools)
    result = json.loads(second.results[0])
    assert result["results"][0]["path"] == "MEMORY.md" and "not instructions" in result["notice"]
    kept = [f"user: {question}", "assistant: Under the blue pot."]
    until("the turn is kept", lambda: messages_of(appliance, "direct-42") == kept, 20)


def test_a_new_chat_starts_with_the_curated_files(openclaw: OpenClaw, model: ModelServer) -> None:
    openclaw.turn("agent:main:telegram:direct:43", "good morning to you")
    assert "The spare key is under the blue pot." in model.turn("good morning to you")[0].system


def test_a_group_gets_nothing_and_the_model_learns_why(openclaw: OpenClaw, model: ModelServer) -> None:
    question = "does the group remember where the spare key is?"
    model.rules[question] = (Call("memory_search", {"query": "spare key"}), "I do not know.")
    openclaw.turn(GROUP, question)
    first, second = model.turn(question)
    assert BLOCK not in first.everything and "blue pot" not in second.everything
    assert json.loads(second.results[0])["outcome"] == "denied"


def test_the_model_writes_a_note(openclaw: OpenClaw, model: ModelServer, appliance: Server) -> None:
    ask = "please remember that the ladder leans behind the shed"
    model.rules[ask] = (Call("memory_note", {"text": "The ladder leans behind the shed."}), "Noted.")
    openclaw.turn(DIRECT, ask)
    assert json.loads(model.turn(ask)[-1].results[0])["duplicate"] is False
    assert appliance.search("main", "ladder shed")["results"]


def test_a_heartbeat_is_no_private_chat(openclaw: OpenClaw, model: ModelServer, appliance: Server) -> None:
    openclaw.turn("agent:main:main", "hello from the main chat")
    ask = "the clock says: do you remember where the spare key is?"
    model.rules[ask] = (Call("memory_search", {"query": "spare key"}), "HEARTBEAT_OK")
    openclaw.shell(f"openclaw system event --mode now --text {ask!r}")
    asked = until("the heartbeat ran", lambda: [one for one in model.asked if ask in one.everything][1:], 60)
    assert BLOCK not in asked[-1].everything and "blue pot" not in "".join(asked[-1].results)
    assert not any("the clock says" in turn for turn in messages_of(appliance, "main-main"))


def test_the_commands_and_the_doctor(openclaw: OpenClaw, appliance: Server) -> None:
    said = openclaw.shell("openclaw memory status --agent main")
    assert f"http://127.0.0.1:{appliance.port}, agent main" in said and "Messages that wait to be sent: 0" in said
    assert "blue pot" in openclaw.shell("openclaw memory search 'spare key' --agent main")
    doctor = openclaw.shell("openclaw doctor --non-interactive")
    notes = [line for line in doctor.splitlines() if "memory" in line.lower()]
    assert len(notes) == 1 and "read-only discovery" in doctor, notes


def test_a_compaction_and_a_reset_lose_no_turn(openclaw: OpenClaw, model: ModelServer, appliance: Server) -> None:
    chat = "agent:main:telegram:direct:88"
    said = "we decided to paint the shed green in May"
    openclaw.turn(chat, said)
    openclaw.shell(f"openclaw gateway call sessions.compact --params '{json.dumps({'key': chat})}'")
    openclaw.shell(f"openclaw gateway call sessions.reset --params '{json.dumps({'key': chat})}'")
    openclaw.turn(chat, "good evening")
    turns = [f"user: {said}", "assistant: Understood.", "user: good evening", "assistant: Understood."]
    until("both chats are kept", lambda: messages_of(appliance, "direct-88") == turns, 60)
    notes = Path(appliance.data_dir, "workspaces", "main", "memory").glob("*.md")
    assert any("Ended by: reset" in (text := note.read_text()) and said in text for note in notes)


def test_the_appliance_is_away_and_comes_back(openclaw: OpenClaw, model: ModelServer, appliance: Server) -> None:
    chat = "agent:main:telegram:direct:77"
    lost = "do you remember the spare key while nobody answers?"
    model.rules[lost] = (Call("memory_search", {"query": "spare key"}), "Memory is not available.")
    appliance.stop()
    try:
        assert openclaw.turn(chat, lost) == "Memory is not available."
        assert json.loads(model.turn(lost)[-1].results[0])["unavailable"] is True
        said = openclaw.shell("openclaw memory status --agent main", code=1)
        assert f"http://127.0.0.1:{appliance.port}: cannot be reached: connect ECONNREFUSED" in said
        assert "Messages that wait to be sent: 2" in said
    finally:
        appliance.start()
    openclaw.turn(chat, "and now?")
    turns = [f"user: {lost}", "assistant: Memory is not available.", "user: and now?", "assistant: Understood."]
    until("all is sent, once", lambda: messages_of(appliance, "direct-77") == turns, 60)
