"""YAML front matter: the block between `---` lines at the very top of a file. Known keys act, all of it is searched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import frontmatter
import yaml

from search.documents.importance import parse_importance
from search.sentences import sentence

MAX_LINES = 200
MAX_CHARS = 16 * 1024
MAX_TITLE_CHARS = 200

_YAML = frontmatter.YAMLHandler()
_KEY = re.compile(r"[ \t]{0,8}[^\s#:-][^:\n]{0,80}:(?:[ \t]|\Z)")
_DEEPEST = 50
_BRACKETS = re.compile(r"[][{}]")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`lines` is how many lines the block takes, both `---` included; 0 when there is none."""

    lines: int = 0
    title: str = ""
    importance: int | None = None
    session: str = ""
    """Session key of the conversation that a transcript holds."""
    says_more: bool = field(default=False, compare=False)
    """Whether the block holds words that neither the title nor the importance carries."""
    problem: str = field(default="", compare=False)
    """Why a block that looks like front matter is none, in words for the owner."""


class _Broken(Exception):
    """The block is no YAML; the message says where."""


def read_front_matter(lines: Sequence[str]) -> FrontMatter:
    """The front matter of a file's lines.

    A block that is unclosed, broken, too long, no mapping, or nothing but comments is ordinary text: no front matter.
    """
    if not lines or lines[0].rstrip() != "---":
        return FrontMatter()
    end = next((at for at, line in enumerate(lines) if at and line.rstrip() in ("---", "...")), None)
    if end is None:
        return FrontMatter()
    block = [_spaced(line) for line in lines[1 : min(end, MAX_LINES)]]
    meant = any(map(_KEY.match, block))
    if end >= MAX_LINES or sum(map(len, block)) + len(block) > MAX_CHARS:
        meant = end > 1 and _KEY.match(lines[1]) is not None
        return _text(
            sentence(
                "it has more than {max_lines} lines or {max_chars} kB", max_lines=MAX_LINES, max_chars=MAX_CHARS // 1024
            )
            if meant
            else ""
        )
    try:
        fields = _load("\n".join(block))
    except _Broken as error:
        return _text(str(error) if meant else "")
    if fields is None:
        return FrontMatter()
    return _front_matter(fields, block)


def _spaced(line: str) -> str:
    """Tabs after the first word part a key from its value like spaces, as YAML has it and this reader does not."""
    words = line.lstrip()
    return line if "\t" not in words else line[: len(line) - len(words)] + words.replace("\t", " ")


def _text(reason: str) -> FrontMatter:
    if not reason:
        return FrontMatter()
    return FrontMatter(
        problem=sentence("the front matter does not count, its text is searched: {reason}", reason=reason)
    )


def _load(block: str) -> dict[object, object] | None:
    """The fields; None when the block holds something else than keys and values."""
    if not block.strip():
        return {}
    depths = accumulate(1 if sign in "[{" else -1 for sign in _BRACKETS.findall(block))
    if max(depths, default=0) > _DEEPEST:  # what the reader's time grows with
        raise _Broken(sentence("it is nested too deeply"))
    try:
        # BaseLoader builds nothing but strings, lists and mappings: no dates, no numbers, no objects to trip over.
        fields = _YAML.load(block, Loader=yaml.BaseLoader)
    except RecursionError as error:
        raise _Broken(sentence("it is nested too deeply")) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        # The `---` above is line 1 of the file.
        raise _Broken(
            sentence("no valid YAML (line {line})", line=mark.line + 2) if mark else sentence("no valid YAML")
        ) from error
    except yaml.YAMLError as error:
        raise _Broken(sentence("no valid YAML")) from error
    return fields if isinstance(fields, dict) else None


def _front_matter(fields: dict[object, object], block: list[str]) -> FrontMatter:
    title, importance, session = fields.get("title"), fields.get("importance"), fields.get("session")
    name = " ".join(_whole(title).split())[:MAX_TITLE_CHARS] if isinstance(title, str) else ""
    rank = parse_importance(importance) if isinstance(importance, str) else None
    carried = {f"title: {name}", f'title: "{name}"', f"title: '{name}'", f"importance: {rank}"}
    said = [" ".join(line.split()) for line in block if line.strip()]
    return FrontMatter(
        lines=len(block) + 2,
        title=name,
        importance=rank,
        session=_whole(session).strip() if isinstance(session, str) else "",
        says_more=not carried.issuperset(said) or len(said) > len(fields),
    )


def _whole(text: str) -> str:
    """Two escapes that name one character together are that character; half of one, which no index takes, is U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
