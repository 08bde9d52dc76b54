"""The tree: folder by folder, by name, and from a citation straight to its lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.indexes.specs import index_spec
from agents.models import Agent
from search.index.tree import list_folder
from tests import cast
from tests.unit.web.files.browser import person

PAGE = "/agents/al/files"


def names(browser: Client, **query: str) -> list[str]:
    page = browser.get(PAGE, query).content.decode()
    return [name + slash for name, slash in re.findall(r'<th scope="row"><a[^>]*><bdi>([^<]*)</bdi>(/?)</a>', page)]


def test_a_folder_shows_what_lies_in_it_and_the_newest_day_before_older_ones(viewer: Client) -> None:
    assert names(viewer) == ["memory/", "MEMORY.md"]
    assert names(viewer, folder="memory") == ["topics/", "2026-10-03.md", "2026-10-02.md", "2026-10-01.md"]
    assert names(viewer, folder="memory/topics") == ["garden.md", "pond.md"]


def test_files_are_found_by_parts_of_their_names(viewer: Client) -> None:
    assert names(viewer, q="GARD") == ["memory/topics/garden.md"]
    assert names(viewer, q="topics pond") == ["memory/topics/pond.md"]
    assert "No file name matches" in viewer.get(PAGE, {"q": "100%_"}).content.decode()


@pytest.mark.parametrize("typed", ["memory/topics/garden.md#L4-L6", " memory/topics/garden.md#L4-6 "])
def test_a_citation_leads_to_its_lines(viewer: Client, typed: str) -> None:
    target = viewer.get(PAGE, {"q": typed})["Location"]
    assert target == "/agents/al/file?path=memory%2Ftopics%2Fgarden.md&lines=4-6#L4"
    part = viewer.get(PAGE, {"q": typed}, headers={"HX-Request": "true"}).content.decode()
    assert target.replace("&", "&amp;") in part


def test_a_docid_leads_to_its_file(viewer: Client, al: Agent) -> None:
    docid = list_folder(index_spec(al), "memory/topics").files[0].docid
    assert viewer.get(PAGE, {"q": docid})["Location"].endswith("garden.md")
    assert viewer.get(PAGE, {"q": "#abcdef"}).status_code == 200


def test_what_is_not_there_is_said_calmly(admin: Client, viewer: Client) -> None:
    page = viewer.get(PAGE, {"folder": "nowhere/<script>"})
    assert page.status_code == 404 and "Folder not found" in page.content.decode()
    cast.agent_with("fresh", {})
    assert "Nothing is indexed yet" in admin.get("/agents/fresh/files").content.decode()


@pytest.mark.parametrize("offset", ["-1", "abc", "9" * 40, "²"])
def test_an_offset_that_is_none_is_the_beginning(viewer: Client, offset: str) -> None:
    assert names(viewer, folder="memory/topics", offset=offset) == ["garden.md", "pond.md"]


def test_a_list_that_may_be_out_of_date_says_why(viewer: Client, al: Agent) -> None:
    Agent.objects.filter(pk=al.pk).update(last_error="The disk is full.")
    page = viewer.get(PAGE).content.decode()
    assert "may be out of date" in page and "The disk is full." in page and "MEMORY.md" in page


def test_a_file_with_a_problem_says_which(al: Agent) -> None:
    (Path(al.workspace) / "memory").mkdir(exist_ok=True)
    (Path(al.workspace) / "memory/bad.md").write_bytes(b"# Caf\xe9\n")
    cast.index(al)
    assert "not valid UTF-8" in person("view").get(PAGE, {"folder": "memory"}).content.decode()


def test_two_files_cost_as_many_queries_as_hundreds(viewer: Client, al: Agent) -> None:
    few = queries(viewer)
    cast.write_files(al, {f"memory/note-{number:03}.md": f"note {number}\n" for number in range(250)})
    cast.index(al)
    assert queries(viewer) == few
    assert "Next" in viewer.get(PAGE, {"folder": "memory"}).content.decode()


def queries(browser: Client) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert browser.get(PAGE, {"folder": "memory"}).status_code == 200
    return len(asked)
