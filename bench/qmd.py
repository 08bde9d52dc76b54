"""Side by side with QMD's own command, keyword mode, on the same files and questions.

    npm install --prefix DIR @tobilu/qmd@2.8.3     (on Node.js 20 with "overrides": {"better-sqlite3": "^12"})
    python -m bench.qmd --qmd DIR/node_modules/.bin/qmd --dataset PATH [--distractors PATH …]

Both search words only, so neither needs a model. A question is hit when one of the first k results is of a gold file.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from search.evaluation.dataset import Dataset, Question, load_dataset
from search.evaluation.machine import describe_machine
from search.evaluation.run import Evaluation
from search.spec import RankingSpec

DEPTH = 10

Ask = Callable[[Question], list[str]]
"""A question → paths of the results, relative to the workspace."""


def measure(name: str, dataset: Dataset, ask: Ask) -> None:
    hits: dict[str, list[list[bool]]] = {}
    took = []
    for question in dataset.questions:
        if not question.gold:
            continue
        started = time.perf_counter()
        paths = ask(question)
        took.append((time.perf_counter() - started) * 1000)
        gold = {entry.path for entry in question.gold}
        hits.setdefault(question.kind, []).append([bool(gold & set(paths[:k])) for k in (1, 3, 5, 10)])
    print(f"{name}: {median(took):.1f} ms a question (median)")
    for kind, rows in sorted(hits.items()):
        counts = "  ".join(f"hit@{k} {sum(row[i] for row in rows)}" for i, k in enumerate((1, 3, 5, 10)))
        print(f"  {kind:14} n={len(rows):3}  {counts}")


def own_search(dataset: Dataset, distractors: list[Dataset], folder: Path) -> Ask:
    evaluation = Evaluation(dataset, folder, None, distractors)
    evaluation.build(lambda _workspace, _progress: None)

    def ask(question: Question) -> list[str]:
        outcome = evaluation.search(question.workspace, question.query, "search", ranking=RankingSpec())
        return [hit.path for hit in outcome.results]

    return ask


def qmd_search(qmd: str, dataset: Dataset, distractors: list[Dataset], folder: Path) -> Ask:
    """One collection with the notes of the data set and of all distractors, as in our own index."""
    (workspace,) = dataset.workspaces.values()
    notes = folder / "notes"
    shutil.copytree(workspace, notes)
    for other in distractors:
        for name, path in other.workspaces.items():
            shutil.copytree(path, notes / f"{other.name}-{name}")
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "NO_COLOR": "1",
    }
    subprocess.run(
        [qmd, "collection", "add", str(notes), "--name", "notes"], env=environment, check=True, capture_output=True
    )

    def ask(question: Question) -> list[str]:
        command = [qmd, "search", question.query, "--json", "-n", str(DEPTH)]
        answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        start = answer.stdout.find("[")
        rows = json.loads(answer.stdout[start:]) if start >= 0 else []
        return [row["file"].removeprefix("qmd://notes/") for row in rows]

    return ask


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--qmd", required=True, help="QMD's command")
    parser.add_argument("--dataset", type=Path, required=True, help="a data set with one workspace")
    parser.add_argument("--distractors", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    print(describe_machine())
    dataset = load_dataset(options.dataset)
    distractors = [load_dataset(path) for path in options.distractors]
    with tempfile.TemporaryDirectory(prefix="memory-bench-") as folder:
        measure("own keyword search, in process", dataset, own_search(dataset, distractors, Path(folder) / "own"))
        (Path(folder) / "qmd").mkdir()
        measure("qmd search, its command", dataset, qmd_search(options.qmd, dataset, distractors, Path(folder) / "qmd"))


if __name__ == "__main__":
    main()
