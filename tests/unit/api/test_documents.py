"""A collection of documents at every door: searched and read with its pages, and never written."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from agents.models import Agent
from agents.registry.collections import create_collection
from search.documents.conversion.convert import converter
from tests import cast
from tests.real_documents import pdf
from tests.unit.api.conftest import Api
from tests.unit.mcp.conftest import Mcp
from tests.unit.web.files.browser import person

pytestmark = pytest.mark.skipif(not converter(), reason="the extra `documents` is not installed")
BOILER = "books/boiler.pdf"


@pytest.fixture
def books(al: Agent) -> Path:
    folder = Path(al.workspace) / "books"
    folder.mkdir()
    (folder / "boiler.pdf").write_bytes(pdf("Made in 2019.", "Bleed the zanzibar radiator first."))
    (folder / "torn.pdf").write_bytes(b"%PDF-1.4 torn")
    create_collection(actor=cast.OWNER, agent=al, name="books", path="books", pattern="**/*.pdf")
    cast.index(al)
    return folder


def test_the_api_cites_the_page_and_says_that_the_text_is_derived(as_owner: Api, books: Path) -> None:
    hit = as_owner.post("/agents/al/search", {"query": "zanzibar radiator", "min_score": 0}).json()["results"][0]
    assert (hit["path"], hit["pages"], hit["origin"]) == (BOILER, [1, 2], "untrusted")
    assert hit["citation"].startswith(f"{BOILER}#page=1-2&L")
    answer = as_owner.post("/agents/al/get", {"path": f"{BOILER}#page=2"}).json()
    assert (answer["derived"], answer["pages"], answer["total_pages"]) == (True, [2, 2], 2)
    assert "zanzibar" in answer["text"] and "2019" not in answer["text"]
    note = as_owner.post("/agents/al/get", {"path": "MEMORY.md"}).json()
    assert note["derived"] is False and "pages" not in note


def test_what_cannot_be_read_is_named_in_the_status_and_by_get(as_owner: Api, books: Path) -> None:
    collections = as_owner.get("/agents/al/status").json()["collections"]
    problems = [problem for one in collections for problem in one.get("problems", [])]
    assert [one["path"] for one in problems] == ["books/torn.pdf"] and "cannot be converted" in problems[0]["problem"]
    answer = as_owner.post("/agents/al/get", {"path": "books/torn.pdf"}).json()
    assert (answer["status"], answer["code"]) == ("error", "read_failed")


def test_a_model_is_told_page_and_derivation(client: Client, owner: cast.Person, books: Path) -> None:
    mcp = Mcp(client, owner.headers)
    hit = mcp.answer("memory_search", query="zanzibar radiator", minScore=0)["results"][0]
    assert (hit["path"], hit["pages"]) == (BOILER, "1-2")
    text = mcp.text("memory_get", path=f"{BOILER}#page=2")
    assert f"of {BOILER} (text derived from the document, page 2 of 2)" in text


def test_the_page_shows_the_text_and_offers_no_edit(books: Path) -> None:
    browser = person("edit")
    page = browser.get("/agents/al/file", {"path": BOILER}).content.decode()
    assert "Bleed the zanzibar radiator" in page and "derived from the document" in page
    assert "zanzibar" in browser.get("/agents/al/file/raw", {"path": BOILER}).content.decode()
    torn = browser.get("/agents/al/file", {"path": "books/torn.pdf"})
    assert torn.status_code < 500 and "cannot be converted" in torn.content.decode()


@pytest.mark.parametrize("path", [BOILER, "memory/boiler.pdf", "memory/list.txt"])
def test_a_document_is_never_written(as_owner: Api, books: Path, path: str) -> None:
    before = {file: file.read_bytes() for file in books.iterdir()}
    for call, body in (
        ("notes", {"text": "x", "target": path}),
        ("forget", {"path": path}),
    ):
        assert as_owner.post(f"/agents/al/{call}", body).status_code in (404, 409, 422), call
    saved = as_owner.put("/agents/al/files/content", {"path": path, "text": "x", "expected_hash": ""})
    assert saved.status_code in (403, 404, 405, 422)
    assert {file: file.read_bytes() for file in books.iterdir()} == before
