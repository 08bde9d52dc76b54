"""The Python client as its users have it: installed by pip, with the real LangChain, LlamaIndex and mem0 beside it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.clients.conftest import key_for, messages_of
from tests.clients.model_server import Call, ModelServer
from tests.clients.packages import python_environment
from tests.integration.stack.server import ROOT, Server

PROGRAMS = Path(__file__).parent / "programs"
README = ROOT / "integrations" / "python" / "README.md"
SNIPPET = ROOT / "templates" / "first_run" / "snippets" / "python.txt"
DECISION = "We decided to paint the shed green in May."
Blocks = Callable[[str], list[str]]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README.read_text(), re.M | re.S)


@dataclass
class Python:
    """The interpreter of an environment, and what its programs are told by the environment."""

    bin_dir: Path
    told: dict[str, str] = field(default_factory=dict)

    def run(self, *command: str, **told: str) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_", "OPENAI_"))}
        path = {"PATH": f"{self.bin_dir}{os.pathsep}{os.environ['PATH']}", "MEM0_TELEMETRY": "False"}
        return subprocess.run(
            command, cwd=ROOT, env={**clean, **path, **self.told, **told},
            capture_output=True, text=True, timeout=180, check=False,
        )  # fmt: skip

    def program(self, name: str, *arguments: str, **told: str) -> str:
        done = self.run("python", str(PROGRAMS / name), *arguments, **told)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="session")
def python(appliance: Server, model: ModelServer) -> Python:
    python = Python(python_environment("python"))
    line = blocks("sh")[0].splitlines()[0].partition("#")[0]
    assert line.startswith("pip install ")
    done = python.run(*shlex.split(line), "--quiet")
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip(f"the tool that builds the package cannot be fetched from PyPI: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr
    python.told = {
        "MEMORY_URL": f"http://127.0.0.1:{appliance.port}",
        "MEMORY_KEY": key_for(appliance, "python"),
        "MEMORY_AGENT": "main",
        "MODEL_URL": model.url,
    }
    return python


def test_langchain_retrieves_keeps_the_history_and_reads_it_back(
    python: Python, model: ModelServer, appliance: Server
) -> None:
    chat = "agent:main:langchain:direct:anna"
    asked = "langchain, where is the spare key?"
    model.rules[asked] = ("Under the blue pot.",)
    assert python.program("langchain_chat.py", asked, CHAT=chat) == "Under the blue pot.\n"
    said = python.program("langchain_chat.py", f"langchain, {DECISION}", "langchain, and now?", CHAT=chat, CLEAR="1")
    assert said.splitlines() == ["Understood.", "Understood.", "[]"]
    first, _second, third = (model.turn(words)[0] for words in (asked, DECISION, "langchain, and now?"))
    assert "under the blue pot" in first.system and "[MEMORY.md#L" in first.system
    history = [
        f"user: {asked}",
        "assistant: Under the blue pot.",
        f"user: langchain, {DECISION}",
        "assistant: Understood.",
    ]
    assert [f"{role}: {text}" for role, text in third.said] == [*history, "user: langchain, and now?"]
    kept = [*history, "user: langchain, and now?", "assistant: Understood."]
    assert messages_of(appliance, "langchain-direct-anna") == kept


def test_a_langchain_agent_recalls_in_front_of_the_message_and_each_turn_is_kept_once(
    python: Python, model: ModelServer, appliance: Server
) -> None:
    chat = "agent:main:agent:direct:anna"
    asked = "agent, do you remember where the spare key is?"
    model.rules[asked] = (Call("add", {"first": 1, "second": 2}), "Under the blue pot.")
    said = [asked, "away: do you remember anything?", "and are you back, agent?"]
    out = python.program("langchain_agent.py", *said, CHAT=chat).splitlines()
    # The block is seen by the model alone: the conversation does not hold it.
    assert out == ["Under the blue pot. False 0", "Understood. False 0", "Understood. False 0"]
    for request in model.turn(asked):
        assert request.user.startswith('<memory_notes trust="untrusted">') and "under the blue pot" in request.user
    assert len(model.turn(asked)) == 2 and model.turn(asked)[1].results == ["3"]
    assert "memory_notes" not in model.turn("away: do you")[0].user
    kept = [f"user: {asked}", "assistant: Under the blue pot."]
    kept += [line for words in said[1:] for line in (f"user: {words}", "assistant: Understood.")]
    assert messages_of(appliance, "agent-direct-anna") == kept


def test_llama_index_recalls_and_flushes_what_its_short_memory_drops(
    python: Python, model: ModelServer, appliance: Server
) -> None:
    chat = "agent:main:llama:direct:anna"
    asked = "llama, do you remember where the spare key is?"
    said = [f"llama: {DECISION}", "llama, the sky is rather grey today, is it not?", asked]
    out = python.program("llama_index_chat.py", *said, CHAT=chat, ASK="Which pot hides the spare key?")
    assert out.splitlines()[:3] == ["Understood."] * 3 and "MEMORY.md" in out.splitlines()[3]
    (last,) = model.turn(asked)
    assert '<memory_notes trust="untrusted">' in last.user and "under the blue pot" in last.user
    kept = messages_of(appliance, "llama-direct-anna")
    assert kept[:2] == [f"user: llama: {DECISION}", "assistant: Understood."] and len(kept) == len(set(kept)) + 1
    assert "paint the shed green" in Path(appliance.data_dir, "workspaces", "main", "MEMORY.md").read_text()
    assert "blue pot" in model.turn("Which pot hides")[0].everything


def test_a_group_chat_gets_nothing_and_is_told_why(python: Python, model: ModelServer) -> None:
    chat = "agent:main:app:group:7"
    for program in ("langchain_chat.py", "llama_index_chat.py"):
        done = python.run("python", str(PROGRAMS / program), f"{program}: spare key?", CHAT=chat, ASK="spare key")
        assert done.returncode != 0 and "Denied: This chat may not see the memory" in done.stderr
    assert "blue pot" not in "".join(one.everything for one in model.turn("_chat.py: spare key?"))


def test_when_the_appliance_is_away_llama_index_goes_on_and_langchain_says_so(python: Python) -> None:
    away = {"CHAT": "agent:main:app:direct:away", "MEMORY_URL": "http://127.0.0.1:9"}
    done = python.run("python", str(PROGRAMS / "llama_index_chat.py"), "hello?", **away)
    assert done.stdout == "Understood.\n" and "http://127.0.0.1:9 cannot be reached" in done.stderr
    done = python.run("python", str(PROGRAMS / "langchain_chat.py"), "hello?", **away)
    assert done.returncode != 0 and "NoAnswer: http://127.0.0.1:9 cannot be reached" in done.stderr


def test_mem0s_calls_and_answers_have_the_same_shape(python: Python, appliance: Server) -> None:
    admin = {"name": "mem0", "agents": "*", "rights": ["admin"]}
    key = str(appliance.call("POST", "/api/v1/keys", admin)["key"])
    painted = "We painted the shed green."
    assert json.loads(python.program("mem0_shape.py", MEMORY_KEY=key)) == [painted, painted, []]


def test_the_readme_runs_as_it_stands(python: Python, model: ModelServer, appliance: Server, tmp_path: Path) -> None:
    appliance.agent("home")
    admin = {"name": "readme", "agents": "*", "rights": ["admin"]}
    key = str(appliance.call("POST", "/api/v1/keys", admin)["key"])
    for number, block in enumerate(blocks("python")):
        program = tmp_path / f"block{number}.py"
        program.write_text(block)
        told = {
            "MEMORY_AGENT": "home",
            "MEMORY_KEY": key,
            "OPENAI_BASE_URL": f"{model.url}/v1",
            "OPENAI_API_KEY": "dummy",
        }
        done = python.run("python", str(program), **told)
        assert done.returncode == 0, f"{block}\n{done.stderr}"
        assert any(words in done.stdout for words in ("blue door", "shed", "Understood.")), block


def test_the_snippet_of_the_page_connect_runs_as_it_stands(python: Python, appliance: Server) -> None:
    shown = {"server": python.told["MEMORY_URL"], "agent.slug": "main", "key": key_for(appliance, "page", trusted=True)}
    snippet = re.sub(r"{{ ([a-z.]+) }}", lambda name: shown[name[1]], SNIPPET.read_text())
    done = python.run("bash", "-euc", snippet, MEMORY_URL="", MEMORY_KEY="", MEMORY_AGENT="")
    assert done.returncode == 0 and "blue pot" in done.stdout, done.stderr


def test_its_types_fit_those_of_the_packages(python: Python) -> None:
    done = python.run("mypy", "--strict", "--python-version=3.10", "--config-file=", "integrations/python/src")
    assert done.returncode == 0, done.stdout
