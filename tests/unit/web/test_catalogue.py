"""The Chinese catalogue holds every sentence of the pages, with the same placeholders, and is the one that is read."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import polib
import pytest
from django.core.management import call_command
from django.test import Client

ROOT = Path(__file__).resolve().parents[3]
CATALOGUE = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
SPEAKING = ("search", "agents", "memory_appliance", "templates", "workers")

HELD = re.compile(r"%\(\w+\)[sd]|</?\w+>|\{[^{}]*\}")


@pytest.fixture(scope="module")
def entries() -> list[polib.POEntry]:
    return list(polib.pofile(str(CATALOGUE)))


def _texts(entry: polib.POEntry) -> list[str]:
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


def test_every_sentence_is_translated(entries: list[polib.POEntry]) -> None:
    assert len(entries) > 1000
    assert [entry.msgid for entry in entries if entry.fuzzy or not all(_texts(entry))] == []


def test_placeholders_and_markup_are_kept(entries: list[polib.POEntry]) -> None:
    for entry in entries:
        wanted = set(HELD.findall(entry.msgid)) | set(HELD.findall(entry.msgid_plural))
        assert all(set(HELD.findall(text)) == wanted for text in _texts(entry)), entry.msgid


def test_the_catalogue_that_is_read_is_made_of_this_one(entries: list[polib.POEntry]) -> None:
    read = {entry.msgid: _texts(entry) for entry in polib.mofile(str(CATALOGUE.with_suffix(".mo")))}
    assert read == {entry.msgid: _texts(entry) for entry in entries}, "run scripts/messages"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("xgettext") is None, reason="no xgettext here: apt-get install -y gettext")
def test_no_sentence_is_missing_and_none_is_left_over(
    entries: list[polib.POEntry], tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in SPEAKING:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "static"))
    (tmp_path / "locale").mkdir()
    settings.LOCALE_PATHS = [tmp_path / "locale"]
    monkeypatch.chdir(tmp_path)
    call_command("makemessages", locale=["zh_Hans"], verbosity=0)
    found = {entry.msgid for entry in polib.pofile(str(tmp_path / "locale" / CATALOGUE.relative_to(ROOT / "locale")))}
    assert found - {entry.msgid for entry in entries} == set(), "run scripts/messages and translate"
    assert {entry.msgid for entry in entries} - found == set(), "run scripts/messages"


def test_a_page_speaks_chinese(admin: Client) -> None:
    page = admin.get("/keys", headers={"accept-language": "zh-CN"}).content.decode()
    assert "新建密钥" in page and "New key" not in page
