"""The reader: lines of a citation marked, links between notes, the raw text; and notes that mean no good."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.test import Client

from agents.models import Agent
from agents.registry.collections import create_collection
from agents.transcripts import store_turns
from search.documents.transcripts import Turn
from tests import cast
from tests.unit.web.files.browser import INLINE_OR_FOREIGN, person

PAGE = "/agents/al/file"
PATH = "memory/topics/garden.md"


def read(browser: Client, path: str = PATH, **query: str) -> str:
    page = browser.get(PAGE, {"path": path, **query})
    assert page.status_code == 200
    return page.content.decode()


def rendered(text: str) -> str:
    return text.split('<div class="markdown">')[1].split("</article>")[0]


def test_a_note_is_rendered_and_its_blocks_know_their_lines(viewer: Client) -> None:
    text = rendered(read(viewer))
    assert '<h3 id="L4" dir="auto">Garden</h3>' in text and '<p id="L6" dir="auto">Plant tulips' in text
    assert "title: Garden" in text.split("<h3")[0]


def test_cited_lines_are_marked_in_both_views_without_script(viewer: Client) -> None:
    assert '<p class="cited" id="L7" dir="auto">Plant tulips' in read(viewer, lines="7-9")
    source = read(viewer, lines="6-7", look="source")
    assert re.findall(r'<p id="(L\d+)" class="cited"', source) == ["L6", "L7"]


def test_lines_that_are_no_longer_there_are_said(viewer: Client) -> None:
    assert "Line 90 was cited, but the file now has 7 lines" in read(viewer, lines="90-92")
    assert "was cited" not in read(viewer, lines="x-y") and "was cited" not in read(viewer, lines="9-2")


def test_links_between_notes_work_here_and_others_are_named_as_foreign(viewer: Client, al: Agent) -> None:
    assert 'href="/agents/al/file?path=memory%2Ftopics%2Fpond.md&amp;lines=2#L2"' in read(viewer)
    cast.write_files(al, {"memory/links.md": "[a](https://example.org) [b](/accounts/logout/) [c](../../etc/x.md)\n"})
    text = rendered(read(viewer, "memory/links.md"))
    assert '<a href="https://example.org" rel="noopener noreferrer nofollow">a</a> <a>b</a> <a>c</a>' in text


EVIL = (
    "# <script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n[x](javascript:alert(1)) [y](data:text/html,a)"
    ' ![p](https://evil.example/p.png "t") <https://ok.example>\n\n```"><script>\n</code></pre><script>b()</script>\n'
    "```\n\n\u202egnp.exe\u2066 \x1b[31mred\n\n<!-- importance: 3 --><!-- --><svg onload=a()>\n\n"
    "[z]: https://hidden.example\n\n<div id=content class=top style=x>\n"
)


@pytest.mark.parametrize("look", ["read", "source"])
def test_a_note_that_means_no_good_stays_text(viewer: Client, al: Agent, look: str) -> None:
    cast.write_files(al, {"memory/evil.md": EVIL})
    text = read(viewer, "memory/evil.md", look=look).split('id="file"')[1].split("</article>")[0]
    assert not re.search(r"<(script|img|svg|iframe|form|input|style|object)\b", text)
    assert not re.search(r'href="(?!https://ok\.example|[/?#])', text)
    assert not INLINE_OR_FOREIGN.search(re.sub(r"<p .*?</p>|<h3.*?</h3>", "", text, flags=re.DOTALL))
    assert "\u202e" not in text and "\x1b" not in text and "⟨U+202E⟩" in text
    assert "https://hidden.example" in text and "&lt;script&gt;alert(1)" in text


def test_what_cannot_be_rendered_in_time_is_shown_as_source(viewer: Client, al: Agent) -> None:
    table = "|a|b|\n|-|-|\n" + "".join(f"|{row}|{row}|\n" for row in range(10_000))
    cast.write_files(al, {"memory/table.md": table, "memory/deep.md": ">" * 500 + " at the bottom\n"})
    text = read(viewer, "memory/table.md")
    assert "too long or too deeply nested" in text and "Lines 1 to 500 of 10,002" in text and "Lines after" in text
    assert "at the bottom" in read(viewer, "memory/deep.md")
    assert 'id="L9000" class="cited"' in read(viewer, "memory/table.md", lines="9000")


def test_a_line_of_a_million_characters_is_cut_and_that_is_said(viewer: Client, al: Agent) -> None:
    cast.write_files(al, {"memory/long.md": "y" * 1_000_000 + "\nsecond\n"})
    page = viewer.get(PAGE, {"path": "memory/long.md"})
    assert "996,000 more characters" in page.content.decode() and len(page.content) < 60_000
    assert "second" in page.content.decode()


def test_bytes_that_are_no_text_are_shown_as_far_as_they_go(editor: Client, garden: Path) -> None:
    (garden / "memory/bad.md").write_bytes(b"caf\xe9 \0 end\n")
    text = read(editor, "memory/bad.md")
    assert "caf� � end" in text and "are not UTF-8" in text and "/file/edit?" not in text


def test_the_raw_text_can_do_nothing(viewer: Client, garden: Path) -> None:
    (garden / "memory/raw.md").write_bytes(b"<script>alert(1)</script>\xff")
    page = viewer.get(f"{PAGE}/raw", {"path": "memory/raw.md"})
    assert page.content == b"<script>alert(1)</script>\xff" and page["Content-Type"] == "text/plain; charset=utf-8"
    assert page["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert page["X-Content-Type-Options"] == "nosniff" and page["Content-Disposition"].startswith("inline")


@pytest.mark.parametrize(
    ("path", "status"),
    [("memory/none.md", 404), ("../secret.md", 422), ("/etc/passwd", 422), ("memory", 422), ("", 422), ("a\0.md", 422)],
)
def test_a_path_that_leads_nowhere_is_a_calm_page(viewer: Client, path: str, status: int) -> None:
    for address in (PAGE, f"{PAGE}/raw"):
        page = viewer.get(address, {"path": path})
        assert page.status_code == status and "Go to overview" in page.content.decode()


def test_a_link_out_of_the_folder_is_not_followed(viewer: Client, garden: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("7731")
    (garden / "memory/link.md").symlink_to(tmp_path / "secret.md")
    page = viewer.get(PAGE, {"path": "memory/link.md"})
    assert page.status_code == 422 and "7731" not in page.content.decode()


def test_a_viewer_sees_no_controls_that_would_be_refused(viewer: Client, editor: Client) -> None:
    assert "/file/edit" not in read(viewer) and "/file/forget" not in read(viewer)
    assert "/file/edit" in read(editor) and "/file/forget" in read(editor)


def test_files_of_other_collections_are_read_and_not_edited(al: Agent) -> None:
    folder = Path(al.workspace) / "house"
    folder.mkdir()
    (folder / "boiler.md").write_text("Serviced in May. See [gas](gas.md) and [out](../MEMORY.md).\n")
    create_collection(actor=cast.OWNER, agent=al, name="house", path=str(folder))
    text = read(person("edit"), "house/boiler.md")
    assert "Edit it at its source" in text and "/file/edit" not in text
    assert "path=house%2Fgas.md" in text and "<a>out</a>" in text


def test_a_conversation_is_read_and_not_edited(al: Agent) -> None:
    store_turns(agent=al, session_key="agent:al:telegram:direct:42", turns=[Turn("user", "The plumber comes at nine.")])
    al.refresh_from_db()
    browser = person("edit")
    page = browser.get("/agents/al/files", {"q": "sessions"}).content.decode()
    path = re.search(r"path=(sessions%2F[^\"&]+)", page)
    assert path is not None
    text = read(browser, unquote(path[1]))
    assert "The plumber comes at nine." in text and "a chat" in text and "/file/edit" not in text
