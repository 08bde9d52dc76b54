"""Watching the index come, the first question, the models, and the snippet with its key."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.access.secrets import find_key
from agents.indexes.specs import index_spec
from agents.models import Agent, ApiKey, ProviderChoice, Run
from agents.providers.embedding import set_embedder_factory
from agents.registry.agents import update_agent
from memory_appliance.web.first_run.connect import GATEWAYS, Gateway
from search.index.embed import embed_pending
from search.index.update import update_index
from tests import cast
from tests.engine import WordEmbedder, ignore, never

ROOT = Path(__file__).resolve().parents[4]


def test_a_question_finds_its_lines_and_says_what_was_missing(admin: Client, al: Agent) -> None:
    page = admin.get("/start/index", {"agent": "al", "q": "spare key"})
    text = page.content.decode()
    assert "under the blue pot" in text and "MEMORY.md" in text and page.context["answered"].degraded


def test_a_question_without_an_answer_says_what_to_do(admin: Client, al: Agent) -> None:
    assert "Nothing found" in admin.get("/start/index", {"q": "zebra"}).content.decode()


def test_what_comes_nearest_is_shown_as_such_where_nothing_is_sure_enough(admin: Client, al: Agent) -> None:
    embedder = WordEmbedder()
    set_embedder_factory(lambda: embedder)
    update_index(index_spec(al), identity=embedder.identity(), progress=ignore, cancelled=never, lock_timeout=5)
    embed_pending(index_spec(al), embedder, budget_seconds=60, progress=ignore, cancelled=never)
    update_agent(actor=cast.OWNER, agent=al, settings={"min_score": 0.99})
    page = admin.get("/start/index", {"q": "zebra piano thunder"}).content.decode()
    assert "Closest results" in page and "The spare key" in page


def test_a_running_job_is_watched_closely(admin: Client, al: Agent) -> None:
    Run.objects.create(agent=al, kind="update", state="running", done=3, total=9, unit="files")
    text = admin.get("/start/index").content.decode()
    assert 'value="3" max="9"' in text and 'data-poll="2"' in text


def test_an_empty_memory_begins_with_a_note(admin: Client, data_dir: Path) -> None:
    agent = cast.agent_with("new", {})
    assert "No notes yet" in admin.get("/start/index").content.decode()
    admin.post("/start/index?agent=new", {"text": "The boat is called Möwe."})
    assert "Möwe" in (Path(agent.workspace) / "MEMORY.md").read_text()
    assert "Möwe" in admin.get("/start/index", {"q": "boat"}).content.decode()


def test_a_note_that_says_nothing_is_refused_in_words(admin: Client, data_dir: Path) -> None:
    cast.agent_with("new", {})
    page = admin.post("/start/index?agent=new", {"text": " "}, follow=True)
    assert 'role="alert"' in page.content.decode()


@pytest.mark.parametrize("address", ["/start/index", "/start/connect"])
def test_without_an_agent_one_is_made_first(admin: Client, data_dir: Path, address: str) -> None:
    assert admin.get(address)["Location"] == "/start/agent"
    assert admin.get(address, {"agent": "none"})["Location"] == "/start/agent"


@pytest.mark.parametrize("gateway", GATEWAYS, ids=lambda gateway: gateway.name)
def test_a_key_is_shown_once_in_its_snippet(admin: Client, al: Agent, gateway: Gateway) -> None:
    address = f"/start/connect?agent=al&gateway={gateway.name}"
    assert "…" in admin.get(address).content.decode().partition('id="snippet"')[2].partition("</pre>")[0]
    page = admin.post(address)
    key = ApiKey.objects.get()
    assert find_key(page.context["key"]) == key and page.context["key"] in page.content.decode()
    assert (key.agents, key.rights, key.trusted) == (["al"], list(gateway.rights), gateway.trusted)
    assert "admin" not in key.rights and page["Cache-Control"] == "no-store"


@pytest.mark.parametrize(("gateway", "folder"), [("openclaw", "openclaw"), ("claude-code-hook", "claude-code")])
def test_a_snippet_has_the_lines_that_the_tests_of_the_client_run(
    admin: Client, al: Agent, gateway: str, folder: str
) -> None:
    page = admin.post(f"/start/connect?agent=al&gateway={gateway}").content.decode()
    shown = unescape(page.partition('id="snippet"')[2].partition(">")[2].partition("</pre>")[0])
    readme = (ROOT / "integrations" / folder / "README.md").read_text()
    lines = re.findall(r"^```sh\n(.*?)^```", readme, re.M | re.S)[0].splitlines()
    key = re.findall(r"ma[rwa]_[\w-]+", shown)[0]
    values = {"MEMORY_URL": "http://testserver", "MEMORY_AGENT": "al", "MEMORY_KEY": key}
    for line in lines:
        filled = re.sub(r"\$(MEMORY_\w+)", lambda name: values[name[1]], line)
        assert _words(filled) <= _words(shown), line


def _words(text: str) -> set[str]:
    """Without quotes: the shell's, around variables, are not those around plain values."""
    return set(re.findall(r"[^\s\"'\\,{}]+", text))


def test_looking_makes_no_key(admin: Client, al: Agent) -> None:
    admin.get("/start/connect", {"gateway": "none"})
    assert not ApiKey.objects.exists()


def test_a_set_of_models_is_downloaded(admin: Client, data_dir: Path) -> None:
    admin.post("/start/models", {"set": "home-8"})
    assert Run.objects.filter(kind="pull").count() == 3
    text = admin.get("/start/models").content.decode()
    assert "downloading" in text and 'data-poll="2"' in text


def test_the_bundled_models_are_put_in_use(admin: Client, data_dir: Path) -> None:
    admin.post("/start/models", {"set": "bundled"})
    assert ProviderChoice.objects.get().model == "local" and not Run.objects.exists()
    admin.post("/start/models", {"set": "no such set"})
    assert ProviderChoice.objects.count() == 1


@pytest.mark.parametrize("address", ["models", "agent", "index", "connect"])
def test_only_owners_go_on(al: Agent, address: str) -> None:
    browser = Client()
    browser.force_login(User.objects.create_user("bob"))
    assert browser.get(f"/start/{address}").status_code == 403
    assert browser.post(f"/start/{address}", {"name": "X", "set": "bundled", "text": "x"}).status_code == 403
    assert not ApiKey.objects.exists() and not ProviderChoice.objects.exists()
