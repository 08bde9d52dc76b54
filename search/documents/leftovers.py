"""leftover(): files and folders that sync tools, systems and editors leave beside the real ones; no memory of anyone.

Only shapes that no person gives a note by hand: `conflict-resolution.md` and `notes (1).md` are notes.
"""

from __future__ import annotations

import re
import unicodedata

from search.file_types import ANY_SUFFIX

FOLDERS = frozenset(
    {
        "#recycle", "@recycle", "$recycle.bin", "@eadir", "#snapshot", "@recently-snapshot", "lost+found",
        "system volume information", "__macosx", "recycler", "found.000", "~snapshot", "@sharebin", "@tmp",
        "onedrivetemp",
    }
)  # fmt: skip
"""Of Synology, QNAP, NetApp, Windows, Linux and macOS, in lower case; names with a dot in front are hidden anyway."""

_CONFLICTED = (
    "conflicted copy|case conflict|in konflikt stehende kopie|konfliktkopie|copie en conflit|copia en conflicto|"
    "copia in conflitto|cópia em conflito|cópia conflitante|conflicterende kopie|konfliktkopia|konfliktkopi|"
    "kopia powodująca konflikt|конфликтующая копия|конфликтная копия|конфліктна копія|çakışan kopya|"
    "冲突副本|衝突複本|競合コピー|충돌 사본|충돌하는 사본|sfconflict|conflict #\\d+ on"
)
_END = rf"\.(?:{ANY_SUFFIX})\Z"
_FILE = re.compile(
    "|".join(
        (
            r"\.sync-conflict-\d{8}-\d{6}",  # Syncthing
            rf"~\d{{8}}-\d{{6}}{_END}",  # Syncthing's kept versions
            rf"[(（][^()（）]{{0,120}}(?:{_CONFLICTED})[^()（）]{{0,120}}[)）]",  # Dropbox, Nextcloud, Seafile
            r"[_-]conflict-\d{8}-\d{6}|\.conflict-\d{8}",  # ownCloud
            rf"\A\d{{4}}-\d{{2}}-\d{{2}}[-_. ]conflict(?:ed)?(?:[-_ ]?\d{{1,3}})?{_END}",  # a day's note, no more
            rf"\.conflict(?:\(\d{{1,3}}\))?{_END}",  # Resilio
            rf"\[conflict(?: \d{{1,3}})?\]{_END}",  # Google Drive
            rf"(?-i:-(?:DESKTOP|LAPTOP)-[A-Z0-9]{{7}})(?:-\d{{1,3}})?{_END}",  # OneDrive
            rf"(?-i:_(?:BACKUP|BASE|LOCAL|REMOTE)_)\d{{2,9}}{_END}",  # git mergetool
            rf"\.(?:bak|orig|swp|tmp){_END}",
            r"\A~\$",  # Office holds a file open
        )
    ),
    re.IGNORECASE,
)


def leftover(name: str, *, folder: bool = False) -> bool:
    """Whether this one name of a path is such a leftover; a name is at most 255 bytes."""
    return (folder and name.lower() in FOLDERS) or bool(
        _FILE.search(name if name.isascii() else unicodedata.normalize("NFC", name))
    )
