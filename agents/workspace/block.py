"""From a note's text to the lines that are appended: one form for lists, annotations where the chunker reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt

from agents.core.errors import Invalid
from search.documents.importance import LEAST, MOST
from search.documents.lines import split_lines
from search.documents.outline import read_outline, still_open
from search.marks import says_something
from search.sentences import sentence

MAX_TEXT_CHARS = 100_000
MAX_TRIGGERS = 20
MAX_TRIGGER_CHARS = 100
CURATED = frozenset({"MEMORY.md", "USER.md"})
"""Cut per entry; only their triggers count."""
_STRUCTURE = re.compile(r"\A\s*(?:[-*+]\s|\d+[.)]\s|#{1,6}\s|```|~~~|>|\|)")
_LIST_LINE = re.compile(r"\A(?:\s*(?:[-*+]|\d+[.)])\s|\s+\S)")
_HTML_LINE = re.compile(r"^ {0,3}</?[a-z]", re.IGNORECASE | re.MULTILINE)
"""Begins a block of HTML that only an empty line ends."""
_CODE_OR_HTML = re.compile(r"^[ \t]*+(?:(?:[-*+>]|[0-9]{1,9}+[.)])[ \t]++)*+(?:```|~~~|<)", re.MULTILINE)
_MARKDOWN = MarkdownIt()
_HTML_ENDS = ("-->", "?>", "]]>", ">", "</pre>")
_RAW = frozenset({"fence", "html_block", "code_block"})
MOST_PARSED = 200_000
"""Characters of a file that are parsed to see where a note stands; longer ones are judged by `still_open` alone."""
_ANNOTATION = re.compile(r"<!--(?=\s*(?:importance|trigger|project)\s*[:：])", re.IGNORECASE)
_UNSEEN: dict[int, str | None] = {code: None for code in (*range(32), *range(127, 160)) if code not in (9, 10)}
_UNSEEN |= dict.fromkeys((11, 12, 28, 29, 30, 31, 0x85, 0x2028, 0x2029), "\n")
"""Control characters go; those that end a line, a page or a record somewhere end a line."""


@dataclass(frozen=True, slots=True)
class Block:
    """`lines` are what is written; `text` lines of them, without the annotations, are what a duplicate is judged by."""

    lines: tuple[str, ...]
    text: tuple[str, ...]


def make_block(text: str, *, path: str, importance: int | None, triggers: Sequence[str]) -> Block:
    """Raises `Invalid` for an empty or overlong text, and for annotations that the chunker would not read.

    A text of one line becomes a list item. A text of several stays as it is, except that in a curated file it becomes
    one entry: there an entry ends at the next line that is not indented. Annotations inside the text are only text:
    whoever is quoted in a note must not be able to give it weight, triggers or a project.
    """
    clean = _ANNOTATION.sub("&lt;!--", _clean(text))
    lines = clean.split("\n")
    if not _STRUCTURE.match(lines[0]) and (len(lines) == 1 or path in CURATED):
        lines = ["- " + lines[0], *(f"  {line}" if line else "" for line in lines[1:])]
    comments = _comments(importance, triggers)
    written = list(lines)
    if comments and len(lines) == 1:
        written[0] += f" {comments}"
    elif comments:
        written.append(f"  {comments}")
    return Block(tuple(written), tuple(lines))


def joined(block: Block, *, before: str, heading: str = "", section: str = "") -> tuple[str, int]:
    """The text to append to `before`, and how many of its lines come before the block's own.

    A list item follows a list directly; everything else is set off by an empty line. `heading` opens an empty file.
    Code or a comment that `before` leaves open is closed, or the note would be part of it.
    `section` is opened where the file's last heading is another one than it or `heading`.
    """
    opens = bool(section) and _last_heading(before) not in (section, heading)
    closing = still_open(split_lines(before))
    found = _after(before, block, closing, heading=heading, section=section, opens=opens)
    if len(before) <= MOST_PARSED and _CODE_OR_HTML.search(before) and _is_raw(before, found[0], block):
        # Code within lists and HTML within text end in more ways than `still_open` knows: the parser decides.
        for other in ("", *dict.fromkeys(_fences(before)), *_HTML_ENDS):
            tried = _after(before, block, other, heading=heading, section=section, opens=opens)
            if not _is_raw(before, tried[0], block):
                return tried
    return found


def _is_raw(before: str, addition: str, block: Block) -> bool:
    """Whether a Markdown reader takes the block for a part of code or HTML that begins before it."""
    text = before + addition
    first = text.count("\n") - len(block.lines)
    tokens = _MARKDOWN.parse(text)
    return any(token.type in _RAW and token.map and token.map[0] < first < token.map[1] for token in tokens)


def _fences(before: str) -> Iterator[str]:
    """The marks of fenced code, those of the last first."""
    for token in reversed(_MARKDOWN.parse(before)):
        if token.type == "fence":
            yield token.markup


def _after(before: str, block: Block, closing: str, *, heading: str, section: str, opens: bool) -> tuple[str, int]:
    """`joined`, where `closing` ends what `before` leaves open; "" for nothing."""
    lead = ""
    if not before.strip():
        # Five blanks and more in front of a note would make it code.
        lead = "\n" if before and not before.endswith("\n") else f"{heading}\n\n" if heading and not before else ""
        opens = bool(section) and not heading
    elif closing:
        lead = ("" if before.endswith("\n") else "\n") + f"{closing}\n\n"
    else:
        lead = "" if before.endswith("\n") else "\n"
        paragraph = before.rstrip("\n").rpartition("\n\n")[2]
        in_list = _LIST_LINE.match(paragraph.rpartition("\n")[2]) and not _HTML_LINE.search(paragraph)
        adjoining = in_list and _LIST_LINE.match(block.lines[0]) and not opens
        if not adjoining and not before.endswith("\n\n"):
            lead += "\n"
    if opens:
        lead += f"{section}\n\n"
    # The first newline of a lead after an unfinished line ends that line; it opens none.
    opened = lead.count("\n") - (1 if before and not before.endswith("\n") else 0)
    return lead + "\n".join(block.lines) + "\n", opened


def _last_heading(text: str) -> str:
    """The last heading outside of code fences; "" when there is none."""
    lines = split_lines(text)
    headings = read_outline(lines).lines
    return lines[headings[-1] - 1].strip() if headings else ""


def _clean(text: str) -> str:
    clean = text.replace("\r\n", "\n").replace("\r", "\n").translate(_UNSEEN)
    clean = "\n".join(line.rstrip() for line in clean.split("\n")).strip("\n")
    if not says_something(clean):
        raise Invalid(sentence("The note is empty."), hint=sentence("Give it a text."), field="text")
    if len(clean) > MAX_TEXT_CHARS:
        raise Invalid(
            sentence("The note has more than {max_text_chars:,} characters.", max_text_chars=MAX_TEXT_CHARS),
            hint=sentence("Split it, or put a file into the workspace."),
            field="text",
        )
    return clean.lstrip(" \t") if "\n" not in clean else clean


def _comments(importance: int | None, triggers: Sequence[str]) -> str:
    parts = []
    if importance is not None:
        if not LEAST <= importance <= MOST:
            raise Invalid(
                sentence("importance is not between {least} and {most}.", least=LEAST, most=MOST),
                hint=sentence("5 is neutral."),
                field="importance",
            )
        parts.append(f"<!-- importance: {importance} -->")
    words = [_trigger(trigger, place) for place, trigger in enumerate(triggers)]
    if len(words) > MAX_TRIGGERS:
        raise Invalid(
            sentence("There are more than {max_triggers} triggers.", max_triggers=MAX_TRIGGERS),
            hint=sentence("Use fewer."),
            field="triggers",
        )
    if words:
        parts.append(f"<!-- trigger: {', '.join(dict.fromkeys(words))} -->")
    return " ".join(parts)


def _trigger(text: str, place: int) -> str:
    words = " ".join(text.split())
    if not words or len(words) > MAX_TRIGGER_CHARS or "--" in words or re.search(r"[<>,;，；、]", words):
        raise Invalid(
            sentence("A trigger is a phrase without commas, semicolons, angle brackets and double hyphens."),
            hint=sentence(
                "At most {max_trigger_chars} characters, such as spare key.", max_trigger_chars=MAX_TRIGGER_CHARS
            ),
            field=f"triggers.{place}",
        )
    return words
