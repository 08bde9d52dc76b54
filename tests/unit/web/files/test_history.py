"""The versions of a file as people look at them, compare them and bring one back."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

import pytest
from django.test import Client

from agents.files import history
from agents.models import Agent, AuditEvent
from agents.workspace.reading import read_content
from memory_appliance.web.diff import LONGEST_LINE, MOST_COMPARED, MOST_SHOWN, line_changes, visible
from tests import cast
from tests.unit.web.files.browser import INLINE_OR_FOREIGN, person

PAGE = "/agents/al/history"
FIRST = "the pond is deep\nthe heron likes koi\n"
SECOND = "the pond is shallow\nthe heron likes koi\n"


def save(agent: Agent, text: str, path: str = "memory/pond.md") -> None:
    now = read_content(agent, path).hash
    history.save_file(agent=agent, caller=cast.TRUSTED, path=path, text=text, expected_hash=now)


def version(text: str) -> str:
    return sha256(text.encode()).hexdigest()


@pytest.fixture
def pond(al: Agent) -> Path:
    save(al, FIRST)
    save(al, SECOND)
    return Path(al.workspace) / "memory/pond.md"


def test_files_with_versions_lead_to_them(admin: Client, al: Agent) -> None:
    assert "This server hasn't written a file yet" in admin.get(PAGE).content.decode()
    save(al, FIRST)
    assert f'href="{PAGE}?path=memory%2Fpond.md"' in admin.get(PAGE).content.decode()


def test_versions_are_told_with_who_how_when_and_size(pond: Path) -> None:
    text = re.sub(r"\s+", " ", person("view").get(PAGE, {"path": "memory/pond.md"}).content.decode())
    assert text.count('<bdi>user:owner</bdi> changed it</td> <td data-label="Via">web</td>') == 2
    assert "current text" in text and "37 bytes" in text and "40 bytes" in text and f"version={version(FIRST)}" in text


def test_an_edit_on_the_disk_is_told_as_such(pond: Path) -> None:
    pond.write_text("an editor was here\n")
    text = person("view").get(PAGE, {"path": "memory/pond.md"}).content.decode()
    assert "an editor, on disk" in text


def test_a_version_is_compared_with_the_present_text(pond: Path) -> None:
    page = person("view").get(PAGE, {"path": "memory/pond.md", "version": version(FIRST)}).content.decode()
    assert "<del>the pond is shallow</del>" in page and "<ins>the pond is deep</ins>" in page
    assert '<li class="same" dir="auto">the heron likes koi</li>' in page
    assert "Restore this version" not in page and "edit role" in page


def test_an_editor_restores_a_version_and_the_present_text_is_kept(pond: Path, al: Agent) -> None:
    browser = person("edit", csrf=True)
    page = browser.get(PAGE, {"path": "memory/pond.md", "version": version(FIRST)}).content.decode()
    assert "The current text is kept as a version" in page
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    after = browser.post(PAGE, fields, follow=True).content.decode()
    assert pond.read_text() == FIRST and "Version restored." in after and version(SECOND) in after
    assert AuditEvent.objects.filter(action="file.restore", actor="user:edit", agent_slug="al").exists()


def test_a_viewer_and_a_form_from_elsewhere_restore_nothing(pond: Path) -> None:
    form = {"path": "memory/pond.md", "version": version(FIRST)}
    assert person("view").post(PAGE, form).status_code == 403
    assert person("edit", csrf=True).post(PAGE, form).status_code == 403
    assert pond.read_text() == SECOND


@pytest.mark.parametrize(
    ("path", "chosen", "status"),
    [
        ("memory/pond.md", "0" * 64, 404),
        ("memory/pond.md", "<script>", 404),
        ("memory/other.md", version(FIRST), 404),
        ("../etc/passwd", version(FIRST), 422),
        ("memory/<script>\u202e\x00.md", version(FIRST), 422),
    ],
)
def test_what_there_is_not_is_a_calm_page(pond: Path, path: str, chosen: str, status: int) -> None:
    browser, form = person("edit"), {"path": path, "version": chosen}
    for page in (browser.get(PAGE, form), browser.post(PAGE, form)):
        assert page.status_code == status and "Go to overview" in page.content.decode()
        assert "<script>" not in page.content.decode() and "\u202e" not in page.content.decode()


def test_hostile_text_stays_text(al: Agent) -> None:
    evil = (
        '</ol></article><script>alert(1)</script><img src=x onerror="a()"> \u202egnp.exe\u2066 {{ agent.workspace }}\n'
    )
    path = 'memory/"><script>\u202e.md'
    save(al, evil, path)
    save(al, "fine\n", path)
    browser = person("edit")
    for query in ({}, {"path": path}, {"path": path, "version": version(evil)}):
        text = browser.get(PAGE, query).content.decode()
        assert "<script>alert" not in text and "<img" not in text and al.workspace not in text
        assert not INLINE_OR_FOREIGN.search(re.sub(r"<li .*</li>|<input[^>]*>", "", text))
    assert "&lt;script&gt;alert(1)" in text and "⟨U+202E⟩gnp.exe⟨U+2066⟩ {{ agent.workspace }}" in text
    assert "\u202e" not in re.sub(r"<input[^>]*>", "", text)


def test_long_differences_are_cut_and_that_is_said() -> None:
    many = "\n".join(f"line {number}" for number in range(MOST_COMPARED * 3))
    changes = line_changes("", many)
    assert len(changes.lines) == MOST_SHOWN
    assert "more lines are not shown" in changes.cut and f"more than {MOST_COMPARED:,} lines" in changes.cut
    long = line_changes("", "x" * (LONGEST_LINE + 1_000))
    assert "(1,000 more characters)" in long.lines[-1].text and not long.cut


def test_a_change_deep_in_a_long_text_is_shown_with_what_is_around_it() -> None:
    lines = [f"line {number}" for number in range(20_000)]
    changes = line_changes("\n".join(lines), "\n".join([*lines[:9_000], "new", *lines[9_000:]]))
    assert [line.text for line in changes.lines if line.kind == "added"] == ["new"]
    assert len(changes.lines) == 7 and not changes.cut


def test_signs_without_a_shape_are_written_out() -> None:
    assert visible("a\u202eb\x1b\tc é 池") == "a⟨U+202E⟩b⟨U+001B⟩\tc é 池"


def test_what_joins_emoji_stays_and_what_hides_between_latin_letters_does_not() -> None:
    family, persian = "👨\u200d👩\u200d👧", "می\u200cخواهم"
    assert visible(family) == family and visible(persian) == persian
    assert visible("pay\u200dpal \u200d") == "pay⟨U+200D⟩pal ⟨U+200D⟩"
