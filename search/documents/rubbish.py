"""leave_out_rubbish(): encoded files, dumps, minified code and repeated lines taken out of what is searched.

Such text means nothing to a model, costs one vector per 1,600 characters, and its shreds are found for other words.
The file keeps it, the status names it. Short ids, hashes and addresses are no rubbish: people search for them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from search.sentences import sentence

LONGEST_RUN = 400
"""Characters without a space; more in a script that writes spaces is no word, and hardly an address."""
LONGEST_ADDRESS = 2_000
LONGEST_ORNAMENT = 5_000
"""Of one sign or two."""
LONGEST_LINE = 2_000
"""Of a line with spaces, before it is looked at for code."""
KEPT = 60
"""Characters that stay of what is cut, so that it is found by how it begins."""
ENCODED_LINE = 40
LEAST_ENCODED = 2_000
"""Characters of encoded lines one below the other; a key or a signature has less."""
LEAST_HASHES = 16_000
"""The same where every line is a hash: people keep lists of those."""
MOST_REPEATS = 40
MOST_STAMPED_REPEATS = 50
KEPT_REPEATS = 3
GAP = "…"

# Scripts without spaces are not in it, so that their longest line is honest text. One character class: linear.
_RUN = re.compile(f"[!-~\u00a1-\u036f\u2010-\u2027]{{{LONGEST_RUN},}}")
_DATA_URI = re.compile(r"(data:[\w/+.;=-]{0,100},)[^\s)\"'<>]{200,}", re.IGNORECASE)
_ADDRESS = re.compile(r"[^:]{0,80}[a-zA-Z][a-zA-Z+.-]{1,15}://")
_WORD = re.compile(r"(?<![^\W_])[^\W\d_][a-zß-ÿ\u0101-\u036f]{1,24}(?![^\W_])")
_CODE = re.compile(r"[{}()\[\]\"'=<>&!?:;]")
_CODE_OF_LINES = re.compile(r"[{}\"=&;]")
_NUMBERS = re.compile(r"[-0-9.,+ eE]")
_HASH = re.compile(r"(?:0x)?[0-9a-fA-F]{32,128}")
_ENCODED = re.compile(r"[>*| \t]{0,20}[!-~]{40,2000}[ \t]{0,20}")
_DUMP = re.compile(
    r"[ \t]{0,8}(?:(?:0x)?[0-9a-fA-F]{4,16}:?[ \t]{1,4})?(?:(?:0x|\\x)?[0-9a-fA-F]{2,8}[ ,;\t]{1,4}){6,64}"
)
_OCTAL = re.compile(r"[0-7]{7}(?: [0-7]{6}){8}")
_HEX_LETTER = re.compile(r"\b(?:0x)?[0-9a-f]{0,7}[a-f][0-9a-f]{0,7}\b", re.IGNORECASE)
_ARMOUR = re.compile(r"[> \t]{0,20}-----(BEGIN|END) [A-Z0-9 ]{1,60}-----[ \t]{0,20}")
_STAMP = re.compile(r"[\[(]?(?:[\d./-]{8,10}[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?[\])]?")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """As many lines as before. `problem` says in words for the owner what is not searched; "" when all of it is."""

    lines: list[str]
    problem: str = ""


def leave_out_rubbish(lines: Sequence[str]) -> Cleaned:
    """The lines of a file without what is no text; honest words in the same file and line stay."""
    cleaned = list(lines)
    left: dict[int, int] = {}

    def put(index: int, text: str) -> None:
        left[index] = left.get(index, 0) + len(cleaned[index]) - len(text)
        cleaned[index] = text

    for index, line in enumerate(lines):
        if len(line) > 200 and (short := _shortened(line)) != line:
            put(index, short)
    for first, end in _blocks(cleaned):
        for index in range(first, end):
            put(index, "")
    return Cleaned(cleaned, _told(left))


def _shortened(line: str) -> str:
    if "data:" in line or "DATA:" in line:
        line = _DATA_URI.sub(rf"\g<1>{GAP}", line)
    if len(line) >= LONGEST_RUN:
        line = _RUN.sub(_cut_run, line)
    if len(line) >= LONGEST_LINE and _is_code(line):
        line = line[:KEPT] + GAP
    return line if line.strip(" \t>*-") != GAP else ""


def _cut_run(match: re.Match[str]) -> str:
    run = match[0]
    if (len(run) <= LONGEST_ADDRESS and _ADDRESS.match(run)) or _has_words(run):
        return run
    if len(run) <= LONGEST_ORNAMENT and len(set(run)) <= 2:
        return run
    # Letters at random are no beginning to know it by, and would be found for other words.
    begin = run[:KEPT]
    return (begin if _ADDRESS.match(begin) or _WORD.search(begin[:-1]) else "") + GAP


def _has_words(run: str) -> bool:
    """Whether these are words between commas, slashes or dashes rather than code or letters at random."""
    words = sum(map(len, _WORD.findall(run)))
    return words >= 0.6 * len(run) and len(_CODE.findall(run)) <= 0.12 * len(run)


def _is_code(line: str) -> bool:
    """Minified code, JSON on one line, a row of numbers: far more signs than prose has."""
    return len(_CODE_OF_LINES.findall(line)) >= 0.08 * len(line) or len(_NUMBERS.findall(line)) >= 0.8 * len(line)


def _blocks(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Half-open ranges of lines to leave out: the inside of armour, encoded lines, dumps, repetitions."""
    return [*_armoured(lines), *_encoded(lines), *_repeated(lines)]


def _armoured(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Between `-----BEGIN …-----` and its end, where it holds nothing but encoded lines and headers."""
    found: list[tuple[int, int]] = []
    begin: int | None = None
    for index, line in enumerate(lines):
        if "-----" in line and (mark := _ARMOUR.fullmatch(line)):
            if mark[1] == "END" and begin is not None and index > begin + 1:
                found.append((begin + 1, index))
            begin = index if mark[1] == "BEGIN" else None
        elif begin is not None and len(line.split()) > 3:
            begin = None
    return found


def _encoded(lines: Sequence[str]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    first, kind = 0, ""
    for index, line in enumerate([*lines, ""]):
        now = _kind(line)
        if kind and now != kind:
            # The last line of an encoded file is shorter than the others.
            end = index + (kind != "dump" and 0 < len(line.strip()) < ENCODED_LINE and " " not in line.strip())
            if _weighs(lines[first:index], kind):
                found.append((first, end))
        if now != kind:
            first, kind = index, now
    return found


def _kind(line: str) -> str:
    if len(line) >= ENCODED_LINE and _ENCODED.fullmatch(line):
        text = line.strip(">*| \t")
        if _HASH.fullmatch(text):
            return "hash"
        return "" if "://" in text or _has_words(text) or len(set(text)) < 8 else "encoded"
    return "dump" if len(line) >= 17 and _DUMP.match(line) else ""


def _weighs(block: Sequence[str], kind: str) -> bool:
    if sum(map(len, block)) < (LEAST_HASHES if kind == "hash" else LEAST_ENCODED):
        return False
    if kind != "dump" or _OCTAL.fullmatch(block[0]):
        return True
    # Columns of measurements are hexadecimal too, but have no letters.
    return sum(map(len, map(_HEX_LETTER.findall, block))) >= 2 * len(block)


def _repeated(lines: Sequence[str]) -> list[tuple[int, int]]:
    """The same line over and over, blank ones between them or not; also when only the time before it goes on."""
    found: list[tuple[int, int]] = []
    same: list[int] = []
    before, least = "", MOST_REPEATS
    for index, line in enumerate([*lines, "\0"]):
        text = line.strip()
        if not text:
            continue
        bare = _STAMP.sub("", text, count=1) if ":" in text[:40] else text
        if bare == before:
            same.append(index)
            least = least if text == bare else MOST_STAMPED_REPEATS
            continue
        if len(same) >= least:
            found += [(at, at + 1) for at in same[KEPT_REPEATS:]]
        same, before, least = [index], bare, MOST_REPEATS if text == bare else MOST_STAMPED_REPEATS
    return found


def _told(left: dict[int, int]) -> str:
    if not left:
        return ""
    ranges: list[tuple[int, int]] = []
    for index in sorted(left):
        if ranges and index - ranges[-1][1] <= 2:
            ranges[-1] = (ranges[-1][0], index)
        else:
            ranges.append((index, index))
    shown = ", ".join(f"{a + 1}" if a == b else f"{a + 1}-{b + 1}" for a, b in ranges[:3])
    lost = sum(left.values())
    if len(ranges) <= 3:
        return sentence(
            "not searched, no text: {lost} characters of encoded data, minified code or repeated lines (line {shown})",
            lost=lost,
            shown=shown,
        )
    return sentence(
        "not searched, no text: {lost} characters of encoded data, minified code or repeated lines (line {shown} and "
        "{more} more places)",
        lost=lost,
        shown=shown,
        more=len(ranges) - 3,
    )
