"""parse_document(): one file's bytes to its title and its chunks, ready for the index."""

from __future__ import annotations

from dataclasses import dataclass

from search.documents.annotations import strip_annotations
from search.documents.chunker import Cut, cut_entries, cut_lines
from search.documents.front_matter import read_front_matter
from search.documents.lines import count_lines, decode, is_text, split_lines
from search.documents.outline import read_outline
from search.documents.rubbish import leave_out_rubbish
from search.file_types import stem
from search.sentences import sentence
from search.spec import ChunkingSpec


@dataclass(frozen=True, slots=True)
class Chunk:
    """One passage. Lines are 1-based, inclusive, and true for the file as it lies on disk.

    `text` has no annotation comments. `heading` is the section path at the first line that is new in this chunk,
    such as `Trip > Hotels`. `importance` is the highest of the lines' and the file's own. An `excluded` chunk has a
    malformed project annotation and must not be in any result.
    """

    text: str
    start_line: int
    end_line: int
    heading: str
    importance: int | None
    triggers: tuple[str, ...]
    projects: tuple[str, ...]
    excluded: bool
    words_only: bool = False
    """Front matter: found by its words, never embedded."""


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """`importance` is the front matter's, `problems` are notes for the owner; the file was read all the same."""

    title: str
    chunks: tuple[Chunk, ...]
    importance: int | None
    problems: tuple[str, ...]
    front_matter_lines: int
    session: str = ""


def parse_document(
    rel: str, data: bytes, *, curated: bool, chunking: ChunkingSpec, transcript: bool = False
) -> ParsedDocument:
    """Cut the file `rel` into chunks; `curated` files are cut per entry. Only what is not text at all has none.

    The front matter of a `transcript` is the appliance's own and not searched.
    """
    text, lossy = decode(data)
    zeros = data.count(0)
    if not is_text(text) or zeros > len(data) / 5:  # Latin letters in UTF-16 are zeros to a half, in UTF-32 more
        return ParsedDocument(
            title=stem(rel.rpartition("/")[2]),
            chunks=(),
            importance=None,
            problems=(sentence("not text: nothing of it is searched; if it is a note, save it as UTF-8"),),
            front_matter_lines=0,
        )
    lines = split_lines(text)
    front = read_front_matter(lines)
    lines, annotations = strip_annotations(lines, curated=curated)
    cleaned = leave_out_rubbish(lines)
    head, body = cleaned.lines[1 : front.lines - 1], cleaned.lines[front.lines :]
    first_line, last_line = front.lines + 1, count_lines(text)
    outline = read_outline(body, first_line=first_line)
    cut = cut_entries if curated else cut_lines

    def chunk(cut: Cut, *, words_only: bool) -> Chunk:
        said = annotations.between(cut.start_line, cut.end_line)
        return Chunk(
            text=cut.text,
            start_line=cut.start_line,
            end_line=min(cut.end_line, max(cut.start_line, last_line)),
            heading=outline.path_at(cut.body_line),
            importance=max(filter(None, (said.importance, front.importance)), default=None),
            triggers=said.triggers,
            projects=said.projects,
            excluded=said.excluded,
            words_only=words_only,
        )

    chunks = [
        chunk(piece, words_only=False) for piece in cut(body, chunking, headings=outline.lines, first_line=first_line)
    ]
    if not transcript and (front.says_more or not chunks):
        chunks = [chunk(piece, words_only=True) for piece in cut_lines(head, chunking, first_line=2)] + chunks
    encoding = ""
    if lossy:
        encoding = sentence(
            "not valid UTF-8: unreadable bytes are shown as {sign}; save the file as UTF-8", sign="\ufffd"
        )
    elif zeros:
        encoding = sentence("it holds zero bytes, which are shown as {sign}; save the file as UTF-8", sign="\ufffd")
    return ParsedDocument(
        title=front.title or outline.first_heading or stem(rel.rpartition("/")[2]),
        chunks=tuple(chunks),
        importance=front.importance,
        problems=tuple(filter(None, (encoding, front.problem, annotations.problem, cleaned.problem))),
        front_matter_lines=front.lines,
        session=front.session,
    )
