"""files_named(): the file that the query names outright, by its path, its name or its name without its ending."""

from __future__ import annotations

import unicodedata

from search.file_types import stem
from search.index.driver import Connection

MAX_CHARS = 200
MAX_WORDS = 6
"""Longer texts are questions, and looking through all names for them would be for nothing."""


def files_named(connection: Connection, query: str, collections: frozenset[int] | None) -> list[int]:
    """First chunks of the files that are named best: a whole path before a file name before a stem.

    Empty for a query that is no name. `./` in front, backslashes, case and Unicode form do not matter.
    """
    wanted = _normal(query)
    if not wanted or len(wanted) > MAX_CHARS or len(wanted.split()) > MAX_WORDS or "\n" in wanted:
        return []
    rows = connection.execute(
        "SELECT id, path, collection FROM files WHERE path LIKE '%' || ? || '%' ESCAPE '\\'",
        (_escaped(wanted.rsplit("/", 1)[-1]),),
    )
    tiers: dict[int, list[int]] = {}
    for file_id, path, collection in rows:
        tier = _tier(wanted, _normal(path))
        if tier and (collections is None or collection in collections):
            tiers.setdefault(tier, []).append(file_id)
    if not tiers:
        return []
    return [
        first
        for file_id in sorted(tiers[max(tiers)])
        if (first := connection.execute("SELECT id FROM chunks WHERE file_id = ? AND ord = 0", (file_id,)).get)
        is not None
    ]


def _tier(wanted: str, path: str) -> int:
    name = path.rsplit("/", 1)[-1]
    return 3 if wanted == path else 2 if wanted == name else 1 if wanted == stem(name) else 0


def _normal(text: str) -> str:
    text = unicodedata.normalize("NFC", text.encode("utf-8", "ignore").decode()).strip().replace("\\", "/")
    return text.removeprefix("./").casefold()


def _escaped(text: str) -> str:
    for sign in "\\%_":
        text = text.replace(sign, "\\" + sign)
    return text
