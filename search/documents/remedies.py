"""remedy(): what a problem of a file calls for; the way out that a page shows depends on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from search.sentences import Sentence

Remedy = Literal[
    "gone", "link", "unreadable", "large", "deep", "no_file", "encoding", "name", "front_matter", "rubbish", "other"
]

_TEMPLATES: Mapping[Remedy, tuple[str, ...]] = {
    "gone": ("the folder {root} does not exist", "the folder {root} vanished during the scan"),
    "link": ("symlink, not followed", "{shown} is a symlink"),
    "unreadable": (
        "the folder {root} cannot be read: {strerror}",
        "cannot be read ({strerror}); what is indexed of it is kept",
    ),
    "large": ("has {st_size:,} bytes, more than the limit of {max_file_bytes:,}; split it",),
    "deep": ("nested more than {max_depth} folders deep, not read",),
    "no_file": ("is a folder, not a file", "is not a regular file", "{shown} is not a regular file"),
    "encoding": ("not valid UTF-8: unreadable bytes are shown as {sign}; save the file as UTF-8",),
    "front_matter": ("the front matter does not count, its text is searched: {reason}",),
    "rubbish": (
        "not searched, no text: {lost} characters of encoded data, minified code or repeated lines (line {shown})",
        "not searched, no text: {lost} characters of encoded data, minified code or repeated lines (line {shown} and "
        "{more} more places)",
    ),
    "name": (
        "empty, '.' and '..' components are not allowed",
        "slashes and backslashes are not allowed inside a name",
        "control characters are not allowed in a name",
        "the name is not valid Unicode",
        "a name may have at most {max_name_bytes} bytes",
    ),
}
_REMEDIES = {template: remedy for remedy, templates in _TEMPLATES.items() for template in templates}


def remedy(problem: str) -> Remedy:
    """Of several problems the first that calls for something; "other" where an earlier version wrote the index."""
    if not isinstance(problem, Sentence):
        return "other"
    parts = [part for part in problem.values.values() if isinstance(part, Sentence)]
    own = _REMEDIES.get(problem.template, "other")
    return next((one for one in (own, *map(remedy, parts)) if one != "other"), "other")
