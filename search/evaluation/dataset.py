"""A data set: workspaces of real Markdown, and questions with the lines that answer them.

A folder with `workspaces/<name>/…` (one agent each) and `queries.jsonl`, one JSON object a line:
`{"qid", "workspace", "query", "kind", "lang", "gold": [{"path", "line"?}]}`. Empty gold: nothing relevant exists.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from search.errors import SearchError


class BadDataset(SearchError):
    """The folder is not a data set; the message names the file and line."""

    code = "bad_dataset"


@dataclass(frozen=True, slots=True)
class Gold:
    """A right place: the path is enough where no line is given."""

    path: str
    line: int | None = None

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
    questions = []
    for number, line in enumerate(queries.read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            gold = tuple(Gold(entry["path"], entry.get("line")) for entry in row["gold"])
            question = Question(
                str(row["qid"]), row["workspace"], row["query"], row.get("kind", ""), row.get("lang", ""), gold
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadDataset(f"{queries}:{number} is not a question: {error!r}") from error
        if question.workspace not in workspaces:
            raise BadDataset(f"{queries}:{number} names the workspace {question.workspace!r}, which does not exist")
        questions.append(question)
    return Dataset(folder.name, workspaces, tuple(questions))
