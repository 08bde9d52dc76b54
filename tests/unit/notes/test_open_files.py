"""Files as other programs leave them: line ends, marks, open code, encodings. A note fits in, a save keeps them."""

from __future__ import annotations

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agents.core.errors import Invalid
from agents.models import WorkspaceWrite
from agents.upkeep.forget import forget
from agents.workspace.block import joined, make_block
from agents.workspace.line_ends import last_end, written_back
from search.documents.lines import decode, split_lines
from search.documents.outline import read_outline, still_open
from tests import cast
from tests.unit.notes.conftest import PLANS, Desk

PIECES = [
    "text", "", "     ", "# h", "---", "- item", "  code", "1. two", "> quote", "```", "~~~", "````", "  ```py",
    "    ```", "``` a`b", "- ```", "  ```", "1. ~~~", "   ~~~", "> ```", "<!--", "-->", "<!-- a -->",
    "<pre>", "</pre>", "<script>", "<?x", "?>", "<![CDATA[", "]]>", "<!X", "<div>", "</b>",
]  # fmt: skip
BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"- a\r\n- b\r\n", b"- a\r\n- b\r\n- note\r\n"),
        (b"- a\r\n- b", b"- a\r\n- b\r\n- note\r\n"),
        (b"- a\r- b\r", b"- a\r- b\r- note\r"),
        (b"- a\r- b", b"- a\r- b\r- note\r"),
        (b"- a\n- b\r\n", b"- a\n- b\r\n- note\r\n"),
        (b"- a\r\n- b\n", b"- a\r\n- b\n- note\n"),
        (BOM + b"- a\r\n", BOM + b"- a\r\n- note\r\n"),
        (BOM, BOM + b"- note\n"),
        (b"text", b"text\n\n- note\n"),
        (b"text  \n", b"text  \n\n- note\n"),
        (b"- a\n\n\n", b"- a\n\n\n- note\n"),
        (b"```\ncode\n", b"```\ncode\n```\n\n- note\n"),
        (b"```py\r\ncode", b"```py\r\ncode\r\n```\r\n\r\n- note\r\n"),
        (b"~~~\ncode\n```\n", b"~~~\ncode\n```\n~~~\n\n- note\n"),
        (b"````\n```\ncode\n```\n", b"````\n```\ncode\n```\n````\n\n- note\n"),
        (b"```\ncode\n    ```\n", b"```\ncode\n    ```\n```\n\n- note\n"),
        (b"- a\n  ```\n  code\n", b"- a\n  ```\n  code\n  ```\n\n- note\n"),
        (b"```\ncode\n```\n", b"```\ncode\n```\n\n- note\n"),
        (b"- ```\n  code\n", b"- ```\n  code\n  ```\n\n- note\n"),
        (b"1. a\n2. ~~~ sh\n   code\n   ~~~\n", b"1. a\n2. ~~~ sh\n   code\n   ~~~\n- note\n"),
        (b"- ```\n  code\n\ntext\n", b"- ```\n  code\n\ntext\n\n- note\n"),
        (b"<!-- draft\n", b"<!-- draft\n-->\n\n- note\n"),
        (b"<!-- a --> b\n", b"<!-- a --> b\n\n- note\n"),
        (b"<!--\n```\n-->\n", b"<!--\n```\n-->\n\n- note\n"),
        (b"```\n<!-- a\n```\n", b"```\n<!-- a\n```\n\n- note\n"),
        (b"<PRE>\na\n", b"<PRE>\na\n</pre>\n\n- note\n"),
        (b"<script src=a>\nx\n", b"<script src=a>\nx\n</script>\n\n- note\n"),
        (b"<?php\nx", b"<?php\nx\n?>\n\n- note\n"),
        (b"<prefix\n", b"<prefix\n\n- note\n"),
        (b"</pre>\n- a\n", b"</pre>\n- a\n\n- note\n"),
        (b"- a\n\n<div>\n- b\n", b"- a\n\n<div>\n- b\n\n- note\n"),
        (b"<div>\n\n- a\n", b"<div>\n\n- a\n- note\n"),
        (b"     ", b"     \n- note\n"),
        (b"\t", b"\t\n- note\n"),
        (b"``` in `a` line\n", b"``` in `a` line\n\n- note\n"),
    ],
)
def test_a_note_fits_into_the_file(desk: Desk, before: bytes, after: bytes) -> None:
    desk.file().parent.mkdir(exist_ok=True)
    desk.file().write_bytes(before)
    noted = desk.note("note", session_key="agent:home:telegram:direct:1")
    assert desk.file().read_bytes() == after
    lines = split_lines(decode(after)[0])
    assert lines[noted.start_line - 1 : noted.end_line] == ["- note"]
    assert not still_open(lines)
    row = WorkspaceWrite.objects.get()
    assert (row.start_line, row.end_line) == (noted.start_line, noted.end_line)
    forget(agent=desk.agent, actor=cast.OWNER, session_key="agent:home:telegram:direct:1")
    assert b"note" not in desk.file().read_bytes()


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6), st.sampled_from(["", "\n", "\n\n"]))
def test_a_note_is_never_part_of_what_the_file_leaves_open(pieces: list[str], end: str) -> None:
    """As a Markdown reader sees it."""
    before = "\n".join(pieces) + end
    addition, _ = joined(make_block("note", path=PLANS, importance=None, triggers=()), before=before)
    shown = [token.type for token in MarkdownIt().parse(before + addition) if "note" in token.content]
    assert shown == ["inline"], before


def test_headings_of_later_notes_are_headings_again() -> None:
    block = make_block("## Later\ntext", path=PLANS, importance=None, triggers=())
    before = "# Plans\n\n```\ncode\n"
    addition, _ = joined(block, before=before)
    assert read_outline(split_lines(before + addition)).paths[-1] == "Plans > Later"


@pytest.mark.parametrize(
    "data",
    [
        "- Schlüssel\n".encode("utf-16"), "- Schlüssel\n".encode("utf-16-le"), "- key\n".encode("utf-16-be"),
        "- Schlüssel\n".encode("latin-1"), "- Schlüssel\n".encode("utf-32"), "- 钥匙\n".encode("gb18030"),
        "- 鍵\n".encode("shift-jis"), b"- key\0\n", b"- \xc3\n",
    ],
)  # fmt: skip
def test_another_encoding_is_refused_with_a_code(desk: Desk, data: bytes) -> None:
    desk.file().parent.mkdir(exist_ok=True)
    desk.file().write_bytes(data)
    with pytest.raises(Invalid) as refused:
        desk.note("note")
    assert (refused.value.code, desk.file().read_bytes()) == ("not_utf8", data)
    assert not WorkspaceWrite.objects.exists()


@pytest.mark.parametrize("sign", ["\x0b", "\x0c", "\x1c", "\x1e", "\x85", "\u2028", "\u2029", "\r", "\r\n"])
def test_what_ends_a_line_somewhere_ends_one_here(desk: Desk, sign: str) -> None:
    noted = desk.note(f"one{sign}two")
    assert (desk.text(), noted.start_line, noted.end_line) == ("one\ntwo\n", 1, 2)


ODD = [
    b"a\r\nb\nc\rd", b"a\rb\r", BOM + b"a\r\nb\r\n", BOM + b"a", b"\n\n# a\n", b"\r\n\r\n", b"a\x0cb\n", BOM,
    "a\u2028b\u0085c\n".encode(), b"a\0b\n", b"  a  \n\n\n", b"a", BOM + BOM + b"a\n", "é\r\ne\u0301\n".encode(),
    b"\t\n",
]  # fmt: skip


@pytest.mark.parametrize("data", [*ODD, b"\xff\xfea\0\n\0", b"caf\xe9\r\n"], ids=repr)
def test_an_unchanged_save_by_the_api_is_byte_identical(
    desk: Desk, owner: cast.Person, client: Client, data: bytes
) -> None:
    desk.file().parent.mkdir(exist_ok=True)
    desk.file().write_bytes(data)
    address = "/api/v1/agents/al/files/content"
    got = client.get(address, {"path": PLANS}, **owner.headers).json()
    body = {"path": PLANS, "text": got["text"], "expected_hash": got["hash"]}
    put = client.put(address, body, "application/json", **owner.headers)
    assert put.status_code == 200, put.content
    assert desk.file().read_bytes() == data


@pytest.mark.parametrize("data", ODD, ids=repr)
def test_an_unchanged_save_in_the_browser_is_byte_identical(desk: Desk, data: bytes) -> None:
    from agents.files.documents import edit_document
    from agents.workspace.reading import digest_of, read_content

    desk.file().parent.mkdir(exist_ok=True)
    desk.file().write_bytes(data)
    sent = read_content(desk.agent, PLANS).text.replace("\n", "\r\n")
    edit_document(agent=desk.agent, caller=cast.TRUSTED, path=PLANS, text=sent, expected_hash=digest_of(data))
    assert desk.file().read_bytes() == data


ENDS = st.sampled_from(["\n", "\r\n", "\r"])
LINES = st.lists(st.tuples(st.text("ab é\x0c\u2028", max_size=4), ENDS), max_size=8)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(LINES, st.text("ab", max_size=3), st.booleans(), st.integers(0, 8))
def test_other_lines_keep_their_bytes_when_one_is_changed(
    lines: list[tuple[str, str]], tail: str, mark: bool, place: int
) -> None:
    before = (BOM if mark else b"") + "".join(map("".join, lines)).encode() + tail.encode()
    shown = decode(before)[0]
    assert written_back(shown, before) == before
    texts = split_lines(shown)
    place = min(place, len(texts) - 1)
    texts[place] = "changed"
    after = written_back("\n".join(texts), before)
    assert decode(after)[0] == "\n".join(texts)
    assert after.startswith(BOM) == mark or not before
    kept = [line + end for line, end in lines]
    if lines and place < len(lines) and not any(line.endswith("\r") for line, _ in lines):
        pair = [end for _, end in lines]
        if "\r" not in pair:  # else two ends of neighbours may be one
            assert all(line.encode() in after for number, line in enumerate(kept) if number != place)


def test_the_last_end_is_the_files_own() -> None:
    assert [last_end(data) for data in (b"", b"a", b"a\n", b"a\r\n", b"a\r", b"a\n\r", b"a\r\nb")] == [
        "\n", "\n", "\n", "\r\n", "\r", "\r", "\r\n",
    ]  # fmt: skip
