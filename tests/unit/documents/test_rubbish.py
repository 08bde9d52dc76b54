"""Encoded files, dumps, minified code and repeated lines: left out and named, while what people write stays."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
from pathlib import Path

import pytest

from search.documents.parse import ParsedDocument, parse_document
from search.documents.rubbish import leave_out_rubbish
from search.index.reader import index_status
from search.spec import ChunkingSpec
from tests.engine import WordEmbedder, Workspace
from tests.work import IN_PROPORTION, growth

NOISE = random.Random(3).randbytes(60_000)
BASE64 = base64.b64encode(NOISE).decode()


def _folded(text: str) -> str:
    return "\n".join(re.findall(".{1,60}", text))


def _xxd(data: bytes) -> str:
    rows = [data[at : at + 16] for at in range(0, len(data), 16)]
    pairs = [" ".join(row[i : i + 2].hex() for i in range(0, 16, 2)) for row in rows]
    return "\n".join(f"{16 * at:08x}: {pair}  {'.' * 16}" for at, pair in enumerate(pairs))


def _hexdump(data: bytes) -> str:
    rows = [data[at : at + 16] for at in range(0, len(data), 16)]
    return "\n".join(f"{16 * at:08x}  {row.hex(' ')}  |{'.' * 16}|" for at, row in enumerate(rows))


def _octal(data: bytes) -> str:
    words = [int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2)]
    rows = [words[at : at + 8] for at in range(0, len(words), 8)]
    return "\n".join(f"{16 * at:07o} " + " ".join(f"{word:06o}" for word in row) for at, row in enumerate(rows))


RUBBISH = {
    "base64 on one line": BASE64,
    "base64 in an entry": f"- scan.pdf: {BASE64}",
    "base64 in lines": base64.encodebytes(NOISE).decode(),
    "base64 for addresses": base64.urlsafe_b64encode(NOISE).decode(),
    "quoted base64": re.sub("^", "> ", base64.encodebytes(NOISE).decode(), flags=re.MULTILINE),
    "base32": _folded(base64.b32encode(NOISE).decode()),
    "base85": base64.b85encode(NOISE).decode(),
    "a picture": f"![our garden](data:image/png;base64,{BASE64})",
    "a picture in HTML": f'<img alt="x" src="data:image/svg+xml,{"%3Csvg%20" * 400}">',
    "hex": NOISE.hex(),
    "hex in lines": _folded(NOISE.hex()),
    "xxd": _xxd(NOISE[:8000]),
    "hexdump": _hexdump(NOISE[:8000]),
    "od": _octal(NOISE[:8000]),
    "an array in C": re.sub("(.{72})", r"\1\n", "".join(f"0x{byte:02x}, " for byte in NOISE[:6000])),
    "minified JS": "function a(b,c){var d=b.e(c);if(!d){return{f:g,h:'i'}}for(;;){d=b[c]||d}}" * 60,
    "minified JSON": json.dumps([{"id": n, "on": True, "v": [n, n]} for n in range(600)], separators=(",", ":")),
    "JSON on one line": json.dumps([{"id": n, "on": True, "v": n * 0.37} for n in range(600)]),
    "a vector": json.dumps([random.Random(n).random() for n in range(768)]),
    "a key": f"-----BEGIN RSA PRIVATE KEY-----\n{_folded(BASE64[:1600])}\n-----END RSA PRIVATE KEY-----",
    "PGP": f"-----BEGIN PGP MESSAGE-----\nVersion: 2\n\n{_folded(BASE64[:1200])}\n=aB3d\n-----END PGP MESSAGE-----",
    "one line again and again": "ERROR upstream refused the connection\n" * 2000,
    "the same with the time": "\n".join(f"2026-03-01T10:{n // 60:02}:{n % 60:02}.123Z WARN retry" for n in range(2000)),
    "double-spaced": "panic: no route\n\n" * 500,
    "a line without spaces": "abcdefghijklmnopqrstuvwxyz" * 4000,
    "accented": "äöüßéèàç" * 2000,
    "one letter": "- " + "x" * 40_000,
    "an ornament": "=" * 30_000,
}  # fmt: skip


def parse(text: str) -> ParsedDocument:
    return parse_document("memory/a.md", text.encode(), curated=False, chunking=ChunkingSpec())


@pytest.mark.parametrize("name", RUBBISH)
def test_rubbish_is_left_out_and_named_and_its_neighbours_stay(name: str) -> None:
    text = f"# Scans\nThe gardener is Zelda.\n\n{RUBBISH[name]}\n\nHer number ends in 4711.\n"
    document = parse(text)
    words = "\n".join(chunk.text for chunk in document.chunks)
    assert "Zelda" in words and "4711" in words
    assert len(words.replace("\n", "")) < 600
    (problem,) = document.problems
    assert problem.startswith("not searched, no text: ") and "line" in problem
    last = document.chunks[-1]
    assert last.text.split("\n")[text.split("\n").index("Her number ends in 4711.") + 1 - last.start_line].endswith(
        "4711."
    )


@pytest.mark.parametrize("name", ["base64 on one line", "base64 in lines", "hex", "xxd", "one letter", "an ornament"])
def test_a_file_of_rubbish_alone_has_nothing_to_embed(name: str) -> None:
    assert parse(RUBBISH[name] + "\n").chunks == ()


def test_an_address_that_is_too_long_is_found_by_its_beginning() -> None:
    (chunk,) = parse("see https://example.org/photos/garden?token=" + BASE64[:5_000]).chunks
    assert chunk.text.startswith("see https://example.org/photos/garden?token=") and len(chunk.text) < 80


HASHES = [hashlib.sha256(bytes([n])).hexdigest() for n in range(120)]
HONEST = {
    "sha256": "\n".join(HASHES),
    "commits": "\n".join(f"- {digest[:40]} mend the roof" for digest in HASHES),
    "UUIDs": "\n".join(f"- {d[:8]}-{d[8:12]}-{d[12:16]}-{d[16:20]}-{d[20:32]}" for d in HASHES),
    "IBANs": "\n".join(f"DE{n:02} 3704 0044 0532 0130 00" for n in range(90)),
    "IBANs in one": "\n".join(f"DE{n:02}370400440532013000" for n in range(90)),
    "an address": "https://example.org/" + "path/" * 60 + "?token=" + BASE64[:900].replace("/", "_"),
    "addresses": "\n".join(f"https://example.org/watch?v={BASE64[n : n + 60]}" for n in range(0, 6000, 60)),
    "paths": "\n".join(f"/home/anna/documents/finance/{n}/report-final.pdf" for n in range(100)),
    "a short token": "wifi: " + BASE64[:120],
    "Chinese": "网关重启后需要检查路由器" * 400,
    "Japanese": "朝はコーヒーを飲んで、夜はお茶を飲みます。" * 300,
    "Korean": "오늘은 비가 온다 " * 300,
    "Thai": "แม่ซื้อมะม่วงที่ตลาดน้ำ" * 300,
    "Lao": "ພາສາລາວບໍ່ມີຊ່ອງຫວ່າງ" * 300,
    "Khmer": "ខ្ញុំចូលចិត្តផ្លែស្វាយ" * 300,
    "Burmese": "ကျွန်တော်သရက်သီးကြိုက်တယ်" * 300,
    "Tibetan": "བོད་སྐད་" * 400,
    "Russian": "Сегодня я купил яблоки, груши и сливы. " * 200,
    "Arabic": "اشترت أمي التفاح من السوق. " * 200,
    "words without spaces": ",".join(["apple", "banana", "cherry", "quince"] * 200),
    "folders": "/".join(["apple", "straße", "été"] * 200),
    "one long paragraph": "She said: \"well, it's 5 o'clock (or 6); let us go & see\". " * 200,
    "links": " ".join(f"[page {n}](https://example.org/wiki/{n}/Some_page)" for n in range(300)),
    "HTML on one line": "<p>Anna went to the <b>shop</b> and bought <a href='x'>milk</a></p>" * 60,
    "weights": "\n".join(f"- 2026-{n // 28 + 1:02}-{n % 28 + 1:02}: 82.{n % 9} kg" for n in range(300)),
    "measurements": "\n".join(f"{n:04} {n * 7 % 99:02} {n * 3 % 90:02} 12 33 44 55 66" for n in range(300)),
    "a table": "\n".join(f"| {n} | {n * n} | yes |" for n in range(300)),
    "habits": "\n".join(f"## 2026-{n // 28 + 1:02}-{n % 28 + 1:02}\n- [x] Took the medicine" for n in range(300)),
    "a few repeats": "- hip hip hooray\n" * 10,
    "pretty JSON": json.dumps([{"name": "Anna", "city": n} for n in range(200)], indent=2),
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_what_people_write_is_not_touched(name: str) -> None:
    lines = HONEST[name].split("\n")
    cleaned = leave_out_rubbish(lines)
    assert cleaned.problem == "" and cleaned.lines == lines


def test_400_kb_of_base64_cost_one_vector_and_are_no_hit_for_other_words(tmp_path: Path) -> None:
    workspace, embedder = Workspace(tmp_path), WordEmbedder()
    noise = base64.b64encode(random.Random(5).randbytes(300_000)).decode()
    workspace.write("memory/scan.md", f"# Scan\nThe gardener is Zelda, commit {HASHES[0]}.\n\n{noise}\n")
    workspace.write("memory/shelf.md", "Shelf 7 holds the lamp oil.\n")
    workspace.update(embedder.identity())
    assert workspace.embed(embedder).embedded == 2
    first = noise.split("+")[1].split("/")[0][:8]
    for query, path in (
        ("shelf 7", "memory/shelf.md"),
        (f"lamp {first} aB 3x", "memory/shelf.md"),
        (HASHES[0], "memory/scan.md"),
    ):
        assert workspace.search(query, embedder, min_score=0).results[0].path == path
    (problem,) = index_status(workspace.spec, None).collections[0].problems
    assert problem.path == "memory/scan.md" and "line 4" in problem.problem


@pytest.mark.slow
@pytest.mark.parametrize("name", RUBBISH)
def test_work_grows_with_the_rubbish(name: str) -> None:
    def lines(size: int) -> list[str]:
        return ("\n".join([RUBBISH[name][:2_000]] * (size // 2_000))).split("\n")

    assert growth(leave_out_rubbish, lines, 160_000) < IN_PROPORTION
