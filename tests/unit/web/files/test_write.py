"""Editing, new notes, forgetting: by the rules of every other door, and without losing anybody's text."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from agents.files import history
from agents.models import Agent, AuditEvent
from tests import cast
from tests.unit.web.files.browser import person

EDIT, NEW, FORGET = "/agents/al/file/edit", "/agents/al/files/new", "/agents/al/file/forget"
PATH = "memory/topics/pond.md"


def form(browser: Client, address: str = EDIT, **query: str) -> dict[str, str]:
    """The hidden fields of the page's form and, where there is one, its text."""
    page = browser.get(address, query).content.decode()
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page)) | {"text": field(page)}


def field(page: str) -> str:
    found = re.search(r'name="text"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
    return unescape(found[1]) if found else ""


def test_an_edit_is_saved_kept_and_logged(editor: Client, garden: Path) -> None:
    given = form(editor, path=PATH)
    page = editor.post(EDIT, given | {"text": given["text"].replace("koi", "carp")}, follow=True)
    assert "Saved. The previous version is kept." in page.content.decode()
    assert (garden / PATH).read_text() == "# Pond\nThe heron likes carp.\n"
    assert AuditEvent.objects.filter(action="file.save", actor="user:edit").exists()


def test_who_comes_second_sees_both_texts_and_may_save_over_the_other(editor: Client, garden: Path) -> None:
    given = form(editor, path=PATH)
    (garden / PATH).write_text("# Pond\nThe heron likes frogs.\n")
    page = editor.post(EDIT, given | {"text": "# Pond\r\nThe heron likes newts.\r\n"})
    text = page.content.decode()
    assert page.status_code == 409 and field(text) == "# Pond\nThe heron likes newts.\n"
    assert "<del>The heron likes frogs.</del>" in text and "<ins>The heron likes newts.</ins>" in text
    again = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', text))
    editor.post(EDIT, again | {"text": "# Pond\nThe heron likes newts.\n"})
    assert "newts" in (garden / PATH).read_text()


def test_what_was_overwritten_knowingly_can_be_restored(editor: Client, garden: Path, al: Agent) -> None:
    given = form(editor, path=PATH)
    editor.post(EDIT, given | {"text": "all gone"})
    found = history.versions(agent=al, caller=cast.TRUSTED, path=PATH)
    assert not isinstance(found, history.Denied)
    assert [version.restorable for version in found] == [True, True]


@pytest.mark.parametrize(
    "before", [b"one\r\ntwo\r\n", b"\xef\xbb\xbfone\ntwo\n", b"one\r\ntwo\n", b"one", b"\n\none\n"]
)
def test_an_unchanged_text_leaves_the_bytes_as_they_are(editor: Client, garden: Path, before: bytes) -> None:
    (garden / PATH).write_bytes(before)
    given = form(editor, path=PATH)
    sent = given["text"].replace("\n", "\r\n")  # what a browser makes of a field
    editor.post(EDIT, given | {"text": sent + "more"})
    after = (garden / PATH).read_bytes()
    assert after.removesuffix(b"more") == before


@pytest.mark.parametrize("path", ["../secret.md", "memory/none.md", "", "memory/topics"])
def test_what_cannot_be_edited_says_why(editor: Client, path: str) -> None:
    page = editor.get(EDIT, {"path": path})
    assert page.status_code in (404, 422) and "Go to overview" in page.content.decode()
    assert editor.post(EDIT, {"path": path, "text": "x", "hash": "0" * 64}).status_code in (409, 422)


def test_a_viewer_and_a_form_from_elsewhere_write_nothing(viewer: Client, garden: Path) -> None:
    before, strict = (garden / PATH).read_text(), person("admin", csrf=True)
    for address in (EDIT, NEW, FORGET):
        assert viewer.get(address, {"path": PATH}).status_code == 403
        assert viewer.post(address, {"path": PATH, "text": "x", "confirmed": "yes"}).status_code == 403
        assert strict.post(address, {"path": PATH, "text": "x", "confirmed": "yes"}).status_code == 403
    assert (garden / PATH).read_text() == before


def test_a_new_note_goes_into_todays_log_and_is_shown_where_it_stands(editor: Client) -> None:
    given = form(editor, NEW) | {"text": "The gate squeaks.", "target": "daily"}
    page = editor.post(NEW, given, follow=True)
    text = page.content.decode()
    assert "Search finds its words now" in text and re.search(r'class="cited"[^>]*>The gate squeaks', text)
    again = editor.post(NEW, given | {"text": "The gate squeaks."}, follow=True).content.decode()
    assert "Already noted" in again


def test_a_note_for_a_file_of_its_own_needs_a_name(editor: Client, garden: Path) -> None:
    given = form(editor, NEW) | {"text": "Mow in May.", "target": "file"}
    assert "Name the file" in editor.post(NEW, given).content.decode()
    refused = editor.post(NEW, given | {"path": "../lawn.md"})
    assert refused.status_code == 422 and field(refused.content.decode()).strip() == "Mow in May."
    editor.post(NEW, given | {"path": "memory/lawn.md", "importance": "7"})
    assert "Mow in May." in (garden / "memory/lawn.md").read_text()


@pytest.mark.parametrize("wrong", [{"importance": "11"}, {"importance": "x"}, {"target": "nowhere"}, {"text": " "}])
def test_wrong_fields_are_told_beside_them(editor: Client, garden: Path, wrong: dict[str, str]) -> None:
    given = form(editor, NEW) | {"text": "Fine.", "target": "daily"} | wrong
    page = editor.post(NEW, given)
    assert page.status_code == 422 and 'class="errorlist"' in page.content.decode()


def test_forgetting_asks_first_says_what_stays_and_then_does_it(editor: Client, garden: Path) -> None:
    page = editor.get(FORGET, {"path": PATH}).content.decode()
    assert "The file is deleted, with its 2 lines." in page and "Backups that were made before." in page
    assert (garden / PATH).exists()
    after = editor.post(FORGET, {"path": PATH, "confirmed": "yes"}, follow=True).content.decode()
    assert not (garden / PATH).exists() and "memory/topics/pond.md forgotten." in after
