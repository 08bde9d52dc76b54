"""KeptTexts: derived texts of one agent's documents, beside its index, by the digest that its files have there.

They may be deleted at any time: the next update makes them again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Collection
from pathlib import Path

from search.documents.conversion.convert import Derived, converter
from search.sentences import packed, unpacked

FOLDER_SUFFIX = ".documents"
_WRITTEN_SECONDS = 3600.0


def texts_folder(index: Path) -> Path:
    """Of an index, and of the build beside it."""
    return index.with_name(index.name.partition(".sqlite")[0] + FOLDER_SUFFIX)


def document_digest(data: bytes) -> bytes:
    """Of a document and of the converter: another version may make another text of the same bytes."""
    return hashlib.sha256(converter().encode() + b"\0" + data).digest()


class KeptTexts:
    """Of the converter that is installed now: texts of another version count as missing."""

    def __init__(self, index: Path) -> None:
        self._folder = texts_folder(index)
        self._ending = f"-{converter()}"

    def get(self, digest: bytes) -> Derived | None:
        try:
            head, _, body = self._place(digest).read_bytes().partition(b"\n")
            said = json.loads(head)
            return Derived(body.decode(), tuple(said["pages"]), unpacked(said["problem"]))
        except (OSError, ValueError, KeyError):
            return None

    def has(self, digest: bytes) -> bool:
        return self._place(digest).is_file()

    def pages(self, digest: bytes) -> Derived | None:
        """Like `get`, without the text."""
        try:
            with self._place(digest).open("rb") as file:
                said = json.loads(file.readline())
            return Derived("", tuple(said["pages"]), unpacked(said["problem"]))
        except (OSError, ValueError, KeyError):
            return None

    def put(self, digest: bytes, derived: Derived) -> None:
        """In one step. Raises `OSError`."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        head = json.dumps({"pages": derived.pages, "problem": packed(derived.problem)}).encode()
        with tempfile.NamedTemporaryFile(dir=self._folder, prefix=".", delete=False) as file:
            file.write(head + b"\n" + derived.text.encode("utf-8", "replace"))
        os.replace(file.name, self._place(digest))  # noqa: PTH105

    def keep_only(self, digests: Collection[bytes]) -> None:
        """Delete every text that is of none of these documents, or of another converter."""
        wanted = {self._place(digest).name for digest in digests}
        for name in self.names():
            place = self._folder / name
            if name not in wanted and not (name.startswith(".") and _fresh(place)):
                place.unlink(missing_ok=True)

    def names(self) -> list[str]:
        try:
            return os.listdir(self._folder)  # noqa: PTH208 - names alone
        except OSError:
            return []

    def _place(self, digest: bytes) -> Path:
        return self._folder / (digest.hex() + self._ending)


def _fresh(place: Path) -> bool:
    """Whether another process may be writing it now."""
    try:
        return place.stat().st_mtime > time.time() - _WRITTEN_SECONDS
    except OSError:
        return False


def delete_texts(index: Path) -> None:
    """All of an agent's; nothing to do where there are none."""
    shutil.rmtree(texts_folder(index), ignore_errors=True)
