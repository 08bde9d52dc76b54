"""A data set: workspaces of real Markdown, and questions with the lines that answer them.

A folder with `workspaces/<name>/…` (one agent each) and `queries.jsonl`, one JSON object a line:
`{"qid", "workspace", "query", "kind", "lang", "gold": [{"path", "line"?}]}`. Empty gold: nothing relevant exists.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from search.documents.annotations import strip_annotations
from search.documents.lines import decode, split_lines
from search.errors import SearchError


class BadDataset(SearchError):
    """The folder is not a data set; the message names the file and line."""

    code = "bad_dataset"


@dataclass(frozen=True, slots=True)
class Gold:
    """A right place: the path is enough where no line is given."""

    path: str
    line: int | None = None
    text: str = ""
    """What the line says, without its annotations; "" where no line is given."""

    def shown_in(self, snippet: str) -> bool:
        """Whether the whole line can be read in `snippet`."""
        return " ".join(self.text.split()) in " ".join(snippet.split())

    def covered_by(self, path: str, start_line: int, end_line: int) -> bool:
        return self.path == path and (self.line is None or start_line <= self.line <= end_line)


@dataclass(frozen=True, slots=True)
class Question:
    qid: str
    workspace: str
    query: str
    kind: str
    lang: str
    gold: tuple[Gold, ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    name: str
    workspaces: dict[str, Path]
    questions: tuple[Question, ...]


def load_dataset(folder: Path) -> Dataset:
    """Read a data set; raises `BadDataset` with the file and line of what is wrong."""
    queries = folder / "queries.jsonl"
    if not queries.is_file():
        raise BadDataset(f"{queries} does not exist", hint="A data set has queries.jsonl and workspaces/<name>/.")
    workspaces = {path.name: path.resolve() for path in sorted((folder / "workspaces").glob("*")) if path.is_dir()}
    lines = _Lines(workspaces)
    questions = []
    for number, line in enumerate(queries.read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            gold = tuple(lines.gold(row["workspace"], entry["path"], entry.get("line")) for entry in row["gold"])
            question = Question(
                str(row["qid"]), row["workspace"], row["query"], row.get("kind", ""), row.get("lang", ""), gold
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadDataset(f"{queries}:{number} is not a question: {error!r}") from error
        if question.workspace not in workspaces:
            raise BadDataset(f"{queries}:{number} names the workspace {question.workspace!r}, which does not exist")
        questions.append(question)
    return Dataset(folder.name, workspaces, tuple(questions))


class _Lines:
    """Reads what gold lines say, each file once."""

    def __init__(self, workspaces: Mapping[str, Path]) -> None:
        self._workspaces = workspaces
        self._files: dict[Path, list[str]] = {}

    def gold(self, workspace: str, path: str, line: int | None) -> Gold:
        file = self._workspaces.get(workspace, Path()) / path
        if line is None or not file.is_file():
            return Gold(path, line)
        if file not in self._files:
            lines = split_lines(decode(file.read_bytes())[0])
            self._files[file] = strip_annotations(lines, curated=True)[0]
        found = self._files[file]
        return Gold(path, line, found[line - 1] if 0 < line <= len(found) else "")
