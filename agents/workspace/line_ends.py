"""Line ends, byte order mark and odd bytes of a file are its own: what is edited as text is written back into them."""

from __future__ import annotations

import re
from itertools import pairwise

from search.documents.lines import decode, split_lines

_BOM = b"\xef\xbb\xbf"
_LINE = re.compile(rb"([^\r\n]*)(\r\n|\r|\n|\Z)")


def last_end(data: bytes) -> str:
    """The line end that the file uses last; a plain newline for one that has none."""
    found = max(data.rfind(b"\n"), data.rfind(b"\r"))
    if found < 0:
        return "\n"
    if data[found : found + 1] == b"\r":
        return "\r"
    return "\r\n" if data[found - 1 : found] == b"\r" and found else "\n"


def written_back(text: str, before: bytes) -> bytes:
    """The bytes of `text`, which was read as `decode` shows `before` and edited since.

    The same text gives the same bytes, and a line that stays keeps its bytes and its end; new lines end as the one
    before them. A text that brings carriage returns of its own is taken as it is.
    """
    shown, _ = decode(before)
    if text == shown:
        return before
    if "\r" in text or not before:
        return text.encode()
    mark = _BOM if before.startswith(_BOM) else b""
    old = _LINE.findall(before[len(mark) :])[: len(split_lines(shown))]
    was, now = split_lines(shown), split_lines(text)
    first = _same(was, now)
    last = _same(was[first:][::-1], now[first:][::-1])
    end = next((end for _, end in (old[first - 1 : first] or old) if end), b"\n")
    middle = [(line.encode(), end) for line in now[first : len(now) - last]]
    lines = [*old[:first], *middle, *(old[-last:] if last else [])]
    # A line that was the last one and is no more needs an end; the one that is the last now has none.
    lines = [*((line, own or end) for line, own in lines[:-1]), (lines[-1][0], b"")]
    # A lone CR before an empty line that ends in LF would make one end of two.
    fused = [own == b"\r" and following == (b"", b"\n") for (_, own), following in pairwise(lines)]
    pairs = zip(lines, [*fused, False], strict=True)
    return mark + b"".join(line + (b"\r\n" if one else own) for (line, own), one in pairs)


def _same(one: list[str], other: list[str]) -> int:
    """How many lines at the beginning are the same."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
