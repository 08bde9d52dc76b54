"""One file, whichever Unicode form of its name is asked for: read, written, listed, forgotten and restored."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from agents.core.actors import Caller
from agents.files import history
from agents.files.documents import open_document
from agents.files.notes import note
from agents.indexes.specs import index_spec
from agents.memory import reads
from agents.models import Agent
from agents.registry.agents import create_agent
from agents.upkeep.forget import forget
from search.get import get_document, multi_get
from tests.cast import OWNER

NAMES = ("memory/schlüssel.md", "memory/Ångström/größe.md", "memory/한국/메모.md", "memory/dấu.md")
CALLER = Caller(OWNER, trusted=True)


@pytest.fixture
def agent(db: None, data_dir: Path) -> Agent:
    return create_agent(actor=OWNER, slug="alpha")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("disk", ["NFC", "NFD"])
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
def test_one_file_in_either_form(agent: Agent, name: str, disk: str, asked: str) -> None:
    there, path = (unicodedata.normalize(form, name) for form in (disk, asked))  # type: ignore[arg-type]
    file = Path(agent.workspace, there)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("first line\n")
    spec = index_spec(Agent.objects.get(pk=agent.pk))
    assert get_document(spec, path).text == "first line"
    assert [one.text for one in multi_get(spec, paths=[path])] == ["first line"]
    assert [one.text for one in multi_get(spec, glob=path)] == ["first line"]
    noted = note(agent=agent, caller=CALLER, text="The key is under the mat.", target=path)
    assert noted.appended.path == there
    assert "under the mat" in file.read_text()
    content = history.read_file(agent=agent, caller=CALLER, path=path)
    assert not isinstance(content, reads.Denied)
    history.save_file(agent=agent, caller=CALLER, path=path, text="saved\n", expected_hash=content.hash)
    assert file.read_text() == "saved\n"
    versions = history.versions(agent=agent, caller=CALLER, path=path)
    assert not isinstance(versions, reads.Denied) and len(versions) == 3
    file.unlink()
    history.restore(agent=agent, actor=OWNER, path=path, version=content.hash)
    assert "under the mat" in file.read_text()
    assert [found.name for found in file.parent.iterdir()] == [file.name]
    forgotten = forget(agent=agent, actor=OWNER, path=path)
    assert [text.path for text in forgotten.removed.texts] == [there]
    assert not file.exists()


def test_the_owner_opens_a_file_by_its_citation(agent: Agent) -> None:
    Path(agent.workspace, "MEMORY.md").write_text("first\n")
    content = history.read_file(agent=agent, caller=CALLER, path="MEMORY.md#L1-L2")
    opened = open_document(agent=agent, caller=CALLER, path="MEMORY.md#L1")
    assert not isinstance(content, reads.Denied) and not isinstance(opened, reads.Denied)
    assert (content.path, opened.path, content.text, opened.text) == ("MEMORY.md", "MEMORY.md", "first\n", "first\n")


def test_where_both_are_there_the_exact_name_wins(agent: Agent) -> None:
    for form in ("NFC", "NFD"):
        Path(agent.workspace, unicodedata.normalize(form, NAMES[0])).write_text(form)  # type: ignore[arg-type]
    spec = index_spec(Agent.objects.get(pk=agent.pk))
    for form in ("NFC", "NFD"):
        assert get_document(spec, unicodedata.normalize(form, NAMES[0])).text == form  # type: ignore[arg-type]
