"""The process that converts one document. It is run as a file, with no other module of the appliance.

Bytes come in by standard input, the derived text goes out by standard output (a file of bounded size): one line of
JSON ({"pages": [first line of each page], "problem": ...}), then the text. The converter parses what strangers wrote,
so the process first gives up everything that it does not need: memory, time, new files, the network and, once the
converter is loaded, every file there is. Where the system refuses one of these, the others still hold.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import re
import resource
import secrets
import sys
from typing import Any

MEMORY_BYTES = 2 * 1024**3
"""Of addresses: the converter's libraries alone map 0.6 GB."""
CPU_SECONDS = 60
OUTPUT_BYTES = 16 * 1024**2
_FILE_BYTES = 2 * OUTPUT_BYTES
"""The converter unpacks a library of 8 MB when it begins."""

_NEW_USERS, _NEW_NETWORK = 0x10000000, 0x40000000
_NO_NEW_PRIVILEGES = 38
_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446
_RIGHTS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15}
"""How many rights to files each version of Landlock knows (linux/landlock.h); 16 from 5 on."""

_HTML_HEAD = re.compile(r"\A---\n(?:[^\n]+\n)*\n?(?:## title: [^\n]*(?:\n|\Z))?")
"""The converter shows the head of a page as front matter."""
_TINY_PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Count 0/Kids[]>>endobj\n"


def limit() -> None:
    """No more memory, time and bytes on disk than a document needs; no network of its own."""
    for what, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, _FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))
    system = ctypes.CDLL(None, use_errno=True)
    system.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if sys.platform == "linux":
        system.unshare(_NEW_USERS | _NEW_NETWORK)


def close_files() -> None:
    """From now on no file can be opened, and from Landlock's version 4 on no TCP connection either."""
    if sys.platform != "linux":
        return
    system = ctypes.CDLL(None, use_errno=True)
    abi = system.syscall(_LANDLOCK_CREATE, None, 0, 1)
    if abi < 1:
        return
    files = (1 << _RIGHTS_BY_ABI.get(abi, 16)) - 1
    rules = (ctypes.c_uint64 * 2)(files, 3)
    ruleset = system.syscall(_LANDLOCK_CREATE, ctypes.byref(rules), 16 if abi >= 4 else 8, 0)
    if ruleset >= 0:
        system.syscall(_LANDLOCK_RESTRICT, ruleset, 0)


def convert(data: bytes, mime: str) -> tuple[str, list[int]]:
    """The text, and the first line of each page where there are pages. Raises what the converter raises."""
    import kreuzberg

    mark = f"page-{secrets.token_hex(16)}-"  # nothing that a document could hold
    config = kreuzberg.ExtractionConfig(
        use_cache=False,
        disable_ocr=True,
        output_format="markdown",
        pages=kreuzberg.PageConfig(
            extract_pages=True, insert_page_markers=True, marker_format=f"\n\n{mark}{{page_num}}\n\n"
        ),
    )
    if mime.endswith("/pdf"):
        # It unpacks and loads its reader of PDF with the first one: before files are closed.
        with contextlib.suppress(kreuzberg.KreuzbergError):
            kreuzberg.extract_bytes_sync(_TINY_PDF, mime, config)
    close_files()
    found = kreuzberg.extract_bytes_sync(data, mime, config)
    if mime.endswith("/pdf"):
        return _joined([page["content"] for page in found.pages or ()])
    text: str = found.content
    if mime == "text/html":
        text = _HTML_HEAD.sub("", text, count=1).lstrip("\n")
    title = found.metadata.get("title") if mime in ("text/html", "application/epub+zip") else None
    if title and isinstance(title, str) and not text.startswith(f"# {title}"):
        text = f"# {' '.join(title.split())}\n\n{text}"
    _, *pages = re.split(rf"{mark}\d+", text)
    return _joined(pages) if pages else (text, [])


def _joined(pages: list[str]) -> tuple[str, list[int]]:
    text, first_lines = "", []
    for page in pages:
        first_lines.append(text.count("\n") + 1)
        text += page.strip("\n") + "\n\n"
    return text, first_lines


def main() -> int:
    limit()
    head: dict[str, Any]
    text = ""
    try:
        text, pages = convert(sys.stdin.buffer.read(), sys.argv[1])
        head = {"pages": pages}
    except MemoryError:
        head = {"problem": "memory"}
    except Exception as error:  # noqa: BLE001 - whatever a stranger's file makes of the converter
        head = {"problem": re.sub(r"^(?:\w*Error: )+", "", f"{error}")[:500]}
    body = text.encode("utf-8", "replace")
    if len(body) > OUTPUT_BYTES:
        body, head = b"", {"problem": "output"}
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
