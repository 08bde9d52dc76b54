"""YAML front matter: the block between `---` lines at the very top of a file, kept out of the indexed text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import frontmatter
import yaml

from search.documents.importance import parse_importance

MAX_LINES = 200
MAX_CHARS = 16 * 1024
MAX_TITLE_CHARS = 200

_YAML = frontmatter.YAMLHandler()


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`lines` is how many lines the block takes, both `---` included; 0 when there is none."""

    lines: int = 0
    title: str = ""
    importance: int | None = None
    session: str = ""
    """Session key of the conversation that a transcript holds."""


def read_front_matter(lines: Sequence[str]) -> FrontMatter:
    """The front matter of a file's lines. Unclosed, malformed or overlong blocks are ordinary text: no front matter."""
    if not lines or lines[0].rstrip() != "---":
        return FrontMatter()
    for end, line in enumerate(lines[1:MAX_LINES], start=1):
        if line.rstrip() in ("---", "..."):
            fields = _load("\n".join(lines[1:end]))
            return FrontMatter() if fields is None else _front_matter(fields, end + 1)
    return FrontMatter()


def _load(block: str) -> dict[object, object] | None:
    if len(block) > MAX_CHARS:
        return None
    try:
        # BaseLoader builds nothing but strings, lists and mappings: no dates, no numbers, no objects to trip over.
        fields = _YAML.load(block, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError):
        return None
    if not fields:
        return {}
    return fields if isinstance(fields, dict) else None


def _front_matter(fields: dict[object, object], lines: int) -> FrontMatter:
    title, importance, session = fields.get("title"), fields.get("importance"), fields.get("session")
    return FrontMatter(
        lines=lines,
        title=" ".join(_whole(title).split())[:MAX_TITLE_CHARS] if isinstance(title, str) else "",
        importance=parse_importance(importance) if isinstance(importance, str) else None,
        session=_whole(session).strip() if isinstance(session, str) else "",
    )


def _whole(text: str) -> str:
    """Two escapes that name one character together are that character; half of one, which no index takes, is U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
