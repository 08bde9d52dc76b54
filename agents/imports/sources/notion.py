"""Notion's export as "Markdown & CSV": a zip of pages, in larger ones with further zips inside.

Names end with the page's id (`Garden 0123…cdef.md`); it is taken off, in the links between pages too.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from urllib.parse import quote, unquote

from agents.imports.archive import Archive
from agents.imports.found import Document, Found
from agents.imports.given import Given, read_given
from agents.imports.reading import named, no_export, others
from agents.imports.vault import attachment
from agents.workspace.reading import MAX_BYTES
from search.documents.lines import decode
from search.file_types import MARKDOWN
from search.sentences import sentence

_ID = re.compile(r"(?: |^)([0-9a-f]{32})$")
_WRAPPER = re.compile(r"Export-[0-9a-f-]{36}")
_LINK = re.compile(r"\]\(((?:[^()\s]|\([^()\s]*\)){1,2000})\)")
_INNER = r"(?i)Export(Block)?-.+\.zip"


def read(given: Given) -> Iterator[Found]:
    with ExitStack() as stack:
        parts: list[Given] = [given]
        opened = named(given, _INNER) if isinstance(given, Archive) else []
        if isinstance(given, Archive):
            parts += [stack.enter_context(given.inner(name)) for name in opened]
        files = {name: part for part in parts for name in part.names}
        pages = sorted(name for name in files if name.endswith(MARKDOWN))
        if not pages:
            raise no_export(given, "Notion", sentence("Export the workspace as Markdown & CSV, and name the zip file."))
        places = _places(pages)
        for name in pages:
            yield Document(name, places[name], partial(_page, files[name], name, places))
        for part in parts:
            yield from others(part, {*pages, *opened}, attachment)


def _places(pages: list[str]) -> dict[str, str]:
    """Each page's own path without ids; where two would be one, all of them keep eight signs of theirs."""
    plain = {name: "/".join(_plain(part) for part in _parts(name)) for name in pages}
    times = Counter(place.lower() for place in plain.values())
    return {name: place if times[place.lower()] == 1 else _with_id(name, place) for name, place in plain.items()}


def _parts(name: str) -> list[str]:
    parts = name.split("/")
    return parts[1:] if len(parts) > 1 and _WRAPPER.fullmatch(parts[0]) else parts


def _plain(part: str) -> str:
    stem, ending = (part[:-3], MARKDOWN) if part.endswith(MARKDOWN) else (part, "")
    return (_ID.sub("", stem) or stem) + ending


def _with_id(name: str, place: str) -> str:
    found = _ID.search(name.removesuffix(MARKDOWN))
    return f"{place.removesuffix(MARKDOWN)} {found[1][:8]}.md" if found else place


def _page(given: Given, name: str, places: dict[str, str]) -> bytes:
    data = read_given(given, name, MAX_BYTES)
    said, lossy = decode(data)
    if lossy:
        return data
    here = posixpath.dirname(name)

    def renamed(link: re.Match[str]) -> str:
        target = places.get(posixpath.normpath(posixpath.join(here, unquote(link[1]))))
        return f"]({quote(posixpath.relpath(target, posixpath.dirname(places[name]) or '.'))})" if target else link[0]

    return _LINK.sub(renamed, said).encode("utf-8", "replace")
