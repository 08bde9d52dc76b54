"""What sources share: finding files by their names, JSON of any length, and what a refusal says."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Container, Iterator
from datetime import UTC, datetime
from typing import Any

from agents.core.errors import Invalid
from agents.imports.archive import Refused
from agents.imports.found import LeftOut
from agents.imports.given import Given, read_given
from search.documents.contain import FileTooLarge, PathNotAllowed
from search.documents.transcripts import Turn
from search.sentences import Sentence, filled, sentence, together

MAX_JSON_BYTES = 64 * 1024 * 1024
"""Of a file that is read as a whole, and of one conversation in a list of any length."""
BLOCK = 1024 * 1024
"""Bytes read at once."""
MAX_TEXT_CHARS = 200_000
"""Of one message. A line of a transcript that has more than 256 KiB is passed over when the chat is read."""

Json = dict[str, Any]


def named(given: Given, pattern: str) -> list[str]:
    """The files whose last part is `pattern` (a regular expression), in whatever folder."""
    wanted = re.compile(pattern)
    return [name for name in given.names if wanted.fullmatch(name.rpartition("/")[2])]


def no_export(given: Given, title: str, hint: str) -> Invalid:
    return Invalid(
        sentence("There is no export of {title} in {path}.", title=title, path=given.path), hint=hint, field="path"
    )


def objects(given: Given, name: str) -> Iterator[Json]:
    """The objects of a file that is one JSON list, one at a time. Raises `Refused` for a file that is none."""
    try:
        with given.open(name) as file:
            yield from listed_in(codecs.getreader("utf-8-sig")(file).read)
    except (ValueError, OSError, PathNotAllowed, RecursionError) as error:
        raise _unreadable(given, name, error) from error


def listed_in(read: Callable[[int], str]) -> Iterator[Json]:
    """The objects of a JSON list of any length. Raises `ValueError` and `RecursionError`.

    At most `MAX_JSON_BYTES` characters of one object are held; ijson has no such bound, and takes memory by the square
    of the nesting: 100,000 brackets ended the process.
    """
    more = BLOCK
    held = read(more).lstrip()
    if not held.startswith("["):
        raise ValueError("it is not a list")
    at = 1
    while True:
        at = next(_ITEM.finditer(held, at)).start()
        if held.startswith("]", at):
            return
        try:
            item, at = _decode(held, at)
        except ValueError:  # it is broken, or goes on in the next block
            block = read(more) if len(held) - at < MAX_JSON_BYTES else ""
            if not block:
                raise
            held, at, more = held[at:] + block, 0, 2 * more
            continue
        more = BLOCK
        if isinstance(item, dict):
            yield item


_decode = json.JSONDecoder().raw_decode
_ITEM = re.compile(r"[^\s,]|\Z")


def whole(given: Given, name: str) -> Any:
    """A JSON file that is not long. Raises `Refused`."""
    try:
        return json.loads(read_given(given, name, MAX_JSON_BYTES))
    except (ValueError, OSError, PathNotAllowed, FileTooLarge, RecursionError) as error:
        raise _unreadable(given, name, error) from error


def _unreadable(given: Given, name: str, error: Exception) -> Refused:
    return Refused(
        given.path.name, sentence("{name} is no JSON that can be read ({error})", name=name, error=str(error)[:200])
    )


def others(given: Given, used: Container[str], why: Callable[[str], str]) -> Iterator[LeftOut]:
    """Everything that is given and not used."""
    for name in given.names:
        if name not in used:
            yield LeftOut(name, why(name))
    for name, reason in given.passed:
        yield LeftOut(name, reason)


def listed(value: Any) -> list[Json]:
    """The objects of what should be a list of objects."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def iso(seconds: Any) -> str:
    """Seconds since 1970 as ISO 8601; "" for what is none."""
    try:
        return datetime.fromtimestamp(float(seconds), UTC).isoformat(timespec="seconds")
    except (TypeError, ValueError, OverflowError, OSError):
        return ""


def turn(*, id: str, role: str, said: str, at: str) -> Turn | None:
    """None for a message without words, or with more than a transcript shows."""
    said = said.strip()
    return Turn(role, said, id[:200], at[:64]) if said and len(said) <= MAX_TEXT_CHARS else None


def branch(last: str, parents: dict[str, str]) -> list[str]:
    """The messages from the first to the last one, of a conversation that was edited or regenerated on the way."""
    way: list[str] = []
    seen: set[str] = set()
    while last in parents and last not in seen:
        seen.add(last)
        way.append(last)
        last = parents[last]
    return way[::-1]


def tally(**counts: int) -> str:
    """What was left out of a conversation, in words; "" for nothing."""
    return together([filled(_TALLY[name], count=count) for name, count in counts.items() if count])


_TALLY: dict[str, Sentence | str] = {
    "replaced": sentence("messages edited or regenerated later: {count}"),
    "other": sentence("messages of tools, hidden or without text: {count}"),
    "attachments": sentence("attachments: {count}"),
}
