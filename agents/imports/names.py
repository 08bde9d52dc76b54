"""Names of an import: which are not looked at, and what a title is called as a file."""

from __future__ import annotations

import re
import unicodedata

from search.documents.contain import MAX_NAME_BYTES
from search.documents.patterns import skipped_folder
from search.sentences import sentence

HIDDEN = sentence("hidden, or a folder of a tool or a system")

_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f-\x9f\ud800-\udfff/\\:*?"<>|\s]+')
_LONGEST = MAX_NAME_BYTES - 55
"""Leaves room for a suffix and an ending."""


def hidden(name: str) -> str:
    """The name up to its first part that is hidden or a tool's own folder; "" when there is none."""
    parts = name.split("/")
    for at, part in enumerate(parts):
        if part.startswith(".") or (at < len(parts) - 1 and skipped_folder(part)):
            return "/".join(parts[: at + 1])
    return ""


def file_name(title: str) -> str:
    """A title as the name of a file or folder, without an ending."""
    name = _NOT_IN_NAMES.sub(" ", unicodedata.normalize("NFC", title)).strip(" .")
    name = name.encode()[:_LONGEST].decode("utf-8", "ignore").strip(" .")
    return name or "untitled"
