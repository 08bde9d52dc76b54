"""Documents as a collection: their text is derived in a confined process, cited with its page, and never written."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from search.documents.conversion import confined
from search.documents.conversion.convert import Derived, convert, converter
from search.documents.conversion.kept import KeptTexts, document_digest, texts_folder
from search.errors import Cancelled
from search.file_types import FILE_TYPES
from search.get import get_document, multi_get
from search.index import documents
from search.index.reader import index_status
from search.index.rebuild import rebuild_index, remove_index
from search.index.update import update_index
from search.recall.evidence import Evidence, Line, Passage
from search.recall.summary import extract
from search.spec import CollectionSpec, IndexSpec
from tests.engine import Workspace, ignore, never
from tests.real_documents import MADE, docx, pdf

pytestmark = pytest.mark.skipif(not converter(), reason="the extra `documents` is not installed")


class Books(Workspace):
    """A workspace with a collection `books` of every type."""

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self.books = base / "books"
        self.books.mkdir()
        collection = CollectionSpec("books", self.books, ("**/*",), prefix="books/", origin="untrusted")
        self.spec = IndexSpec("al", self.spec.path, (*self.spec.collections, collection))

    def put(self, name: str, data: bytes) -> Path:
        """Written an hour ago: what was written just now is always read again."""
        path = self.books / name
        path.write_bytes(data)
        os.utime(path, (time.time() - 3600,) * 2)
        return path

    def problems(self) -> dict[str, str]:
        return {item.path: item.problem for one in index_status(self.spec, None).collections for item in one.problems}

    def texts(self) -> list[str]:
        return KeptTexts(self.spec.path).names()


@pytest.fixture
def books(tmp_path: Path) -> Books:
    return Books(tmp_path)


def test_every_type_that_is_converted_has_a_file_here() -> None:
    made = {Path(name).suffix for name, _ in MADE}
    assert made == {row.suffix for row in FILE_TYPES if row.read == "converted"}


def test_a_document_of_each_type_is_found_cited_and_read(books: Books) -> None:
    for name, data in MADE:
        books.put(name, data)
    report = books.update()
    assert (report.added, report.unconverted, books.problems()) == (len(MADE), 0, {})
    hits = {hit.path: hit for hit in books.search("zanzibar", max_results=20, min_score=0.0, citations=True).results}
    assert set(hits) == {f"books/{name}" for name, _ in MADE}
    for path, hit in hits.items():
        answer = get_document(books.spec, hit.citation or "")
        assert answer.status == "ok" and answer.derived and "zanzibar" in answer.text, path
        assert "scripted" not in answer.text and "<p>" not in answer.text
        assert hit.origin == "untrusted"
    assert "Größe 7" in get_document(books.spec, "books/boat.eml").text
    assert books.paths("Whales")[0] == "books/whale.epub" and books.paths("boiler.pdf")[0] == "books/boiler.pdf"
    again = books.update()
    assert not again.wrote and len(books.texts()) == len(MADE)


@pytest.mark.parametrize("name", ["boiler.pdf", "plan.pptx"])
def test_a_citation_names_the_page_and_a_page_can_be_read(books: Books, name: str) -> None:
    (books.books / name).write_bytes(dict(MADE)[name])
    books.update()
    hit = books.search("zanzibar", min_score=0.0, citations=True).results[0]
    assert hit.pages == (1, 2)  # so short that both pages are one passage
    assert hit.citation == f"books/{name}#page=1-2&L{hit.start_line}-L{hit.end_line}"
    second = get_document(books.spec, f"books/{name}#page=2")
    assert second.pages == (2, 2) and second.total_pages == 2 and second.text.strip().startswith(("Bleed", "The", "#"))
    assert "zanzibar" not in get_document(books.spec, f"books/{name}#page=1").text
    assert get_document(books.spec, f"books/{name}#page=99").pages == (2, 2)


def test_pages_of_lines() -> None:
    derived = Derived("a\nb\n\nc\n", pages=(1, 4))
    assert [derived.pages_of(*lines) for lines in ((1, 1), (2, 4), (4, 9))] == [(1, 1), (1, 2), (2, 2)]
    assert derived.lines_of((2, 2))[0] == 4 and Derived("a").pages_of(1, 1) is None


def test_what_cannot_be_converted_is_named_and_the_rest_is_found(books: Books) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<w:p>" * 60_000_000)
    for name, data in {
        "torn.pdf": b"%PDF-1.4 torn",
        "scan.pdf": pdf(""),
        "text.docx": b"not a zip",
        "bomb.docx": bomb.getvalue(),
        "empty.epub": b"",
        "good.docx": docx("The kettle whistles."),
    }.items():
        books.put(name, data)
    report = books.update()
    assert books.paths("kettle", min_score=0.0) == ["books/good.docx"]
    problems = books.problems()
    assert set(problems) == {
        f"books/{name}" for name in ("torn.pdf", "scan.pdf", "text.docx", "bomb.docx", "empty.epub")
    }
    assert "scanned pages" in problems["books/scan.pdf"] and report.unconverted == 0
    answer = get_document(books.spec, "books/torn.pdf")
    assert answer.status == "error" and "may be damaged: Invalid PDF" in (answer.error or "")
    assert not books.update().wrote  # and is not tried again


def test_one_that_takes_too_long_is_stopped() -> None:
    assert "within 0 seconds" in convert("a.pdf", pdf("x"), seconds=0.01).problem


def test_the_text_follows_the_document_and_goes_with_it(books: Books) -> None:
    path = books.books / "a.pdf"
    path.write_bytes(pdf("The apple is red."))
    books.update()
    path.write_bytes(pdf("The pear is green and sweet."))
    books.update()
    assert books.paths("pear", min_score=0.0) and not books.paths("apple", min_score=0.0) and len(books.texts()) == 1
    path.unlink()
    books.update()
    assert books.texts() == [] and get_document(books.spec, "books/a.pdf").status == "not_found"


def test_the_texts_may_be_deleted_and_go_with_the_index(books: Books) -> None:
    (books.books / "a.pdf").write_bytes(pdf("The apple is red."))
    books.update()
    folder = texts_folder(books.spec.path)
    assert folder.stat().st_mode & 0o077 == 0
    for name in books.texts():
        assert (folder / name).stat().st_mode & 0o077 == 0
        (folder / name).unlink()
    assert "waits" in (get_document(books.spec, "books/a.pdf").error or "")
    books.update()
    assert "apple" in get_document(books.spec, "books/a.pdf").text
    rebuild_index(books.spec, None, budget_seconds=60, progress=ignore, cancelled=never)
    assert "apple" in get_document(books.spec, "books/a.pdf").text and books.paths("apple", min_score=0.0)
    remove_index(books.spec.path)
    assert not folder.exists()


def test_documents_wait_their_turn_and_are_named(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.pdf", "b.pdf"):
        (books.books / name).write_bytes(pdf(f"Document {name}"))
    books.write("MEMORY.md", "- The note is there.")
    with monkeypatch.context() as patched:
        patched.setattr(documents, "CONVERT_SECONDS", -1.0)
        report = books.update()
    assert report.unconverted == 2 and books.paths("note", min_score=0.0) == ["MEMORY.md"]
    assert set(books.problems().values()) == {"waits to be converted"}
    assert books.update().unconverted == 0 and books.problems() == {}
    (books.books / "c.pdf").write_bytes(pdf("c"))
    with pytest.raises(Cancelled):
        update_index(books.spec, identity=None, progress=ignore, cancelled=lambda: True)


def test_without_the_converter_documents_are_named_and_nothing_of_them_is_found(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    (books.books / "a.pdf").write_bytes(pdf("The apple is red."))
    books.update()
    for module in ("search.index.documents", "search.index.update", "search.documents.conversion.kept", "search.get"):
        monkeypatch.setattr(f"{module}.converter", lambda: "")
    books.update()
    assert "make documents" in books.problems()["books/a.pdf"] and not books.paths("apple", min_score=0.0)
    assert "make documents" in (get_document(books.spec, "books/a.pdf").error or "")


def test_many_at_once_are_bounded_by_their_text(books: Books) -> None:
    (books.books / "a.pdf").write_bytes(pdf("The apple is red. " * 5))
    books.update()
    small, large = (multi_get(books.spec, glob="books/*.pdf", max_bytes=most)[0] for most in (10, 1000))
    assert (small.code, large.status, large.derived, large.pages) == ("too_large", "ok", True, (1, 1))


def test_a_link_in_place_of_a_document_leads_nowhere(books: Books, tmp_path: Path) -> None:
    (books.books / "a.pdf").write_bytes(pdf("The apple is red."))
    books.update()
    (books.books / "a.pdf").unlink()
    (tmp_path / "outside.pdf").write_bytes(pdf("secret"))
    (books.books / "a.pdf").symlink_to(tmp_path / "outside.pdf")
    assert get_document(books.spec, "books/a.pdf").code == "path_not_allowed"
    books.update()
    assert books.texts() == [] and "symlink" in books.problems()["books/a.pdf"]


def test_texts_of_another_version_of_the_converter_are_made_again(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pdf("The apple is red.")
    (books.books / "a.pdf").write_bytes(data)
    books.update()
    before = document_digest(data)
    monkeypatch.setattr("search.documents.conversion.kept.converter", lambda: "kreuzberg-99")
    assert document_digest(data) != before
    assert books.update().changed == 1 and books.texts() == [f"{document_digest(data).hex()}-kreuzberg-99"]


def test_the_converting_process_can_open_no_file_and_no_connection() -> None:
    program = (
        "import runpy, socket, sys\n"
        "listener = socket.create_server(('127.0.0.1', 0)); port = listener.getsockname()[1]\n"
        "own = runpy.run_path(sys.argv[1]); own['limit'](); own['close_files']()\n"
        "def tried(what):\n"
        "    try: what()\n"
        "    except (OSError, MemoryError) as error: return type(error).__name__\n"
        "    return 'done'\n"
        "print(tried(lambda: open('/etc/passwd')), tried(lambda: open('new', 'w')))\n"
        "print(tried(lambda: socket.create_connection(('127.0.0.1', port), 2)))\n"
        "print(tried(lambda: bytearray(3 * 1024**3)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program, confined.__file__], capture_output=True, text=True, check=True, timeout=60
    )
    file, new, connection, memory = done.stdout.split()
    assert memory == "MemoryError"
    if _landlock() < 1:
        pytest.skip("this kernel has no Landlock: files stay open to the converter")
    assert (file, new) == ("PermissionError", "PermissionError")
    assert connection != "done"


def _landlock() -> int:
    program = "import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))"
    return int(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)


def test_recall_cites_the_page_too(books: Books) -> None:
    books.put("boiler.pdf", dict(MADE)["boiler.pdf"])
    books.update()
    hit = books.search("zanzibar radiator", min_score=0.0).results[0]
    (note,) = extract(
        [Evidence(hit, 1.0, 0.5, (Passage(hit.path, (Line("Bleed it.", 3, 1.0),), 1.0, hit.pages),))], 200
    )
    assert note.source.cited == "books/boiler.pdf#page=1-2&L3"
