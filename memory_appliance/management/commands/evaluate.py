"""`manage.py evaluate`: how well search answers known questions, and how well a flush picks what matters."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from tqdm import tqdm

from agents.core.agent_settings import AgentSettings
from agents.core.errors import RuleError
from agents.models import Agent
from agents.providers.embedding import set_embedder_factory
from agents.providers.plans import server_plan
from agents.providers.role_models import plan_generator, plan_reranker
from memory_appliance.management.evaluation.dialogues import score_dialogues
from memory_appliance.management.evaluation.embedder import evaluation_embedder
from memory_appliance.management.evaluation.flush import evaluate_flush, total
from memory_appliance.management.evaluation.intent import intent_table, judge_all, load_messages
from memory_appliance.management.evaluation.table import abstention_lines, differences, table, tuning_lines
from memory_appliance.management.unusable import unusable
from search.errors import SearchError
from search.evaluation.abstention import measure_abstention
from search.evaluation.dataset import load_dataset
from search.evaluation.run import Evaluation
from search.evaluation.tune import tune
from search.index.report import Progress
from search.spec import Mode, RankingSpec

MODES = ("search", "vsearch", "hybrid")


class Command(BaseCommand):
    help = "Ask a data set's questions in each mode; print recall, MRR and nDCG per kind and language."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--dataset", type=Path, help="folder with workspaces/ and queries.jsonl")
        source.add_argument("--flush", type=Path, help="folder with transcripts and gold.jsonl")
        source.add_argument(
            "--dialogues", action="store_true", help="our own labelled chats: what a flush picks of them"
        )
        source.add_argument("--intent", type=Path, help="JSON lines of lang, text, label: judge recall intent")
        parser.add_argument("--mode", action="append", choices=[*MODES, "query"], dest="modes")
        parser.add_argument(
            "--distractors", type=Path, nargs="+", default=[], help="data sets whose notes go into every agent"
        )
        parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a ranking setting")
        parser.add_argument("--indexes", type=Path, help="where the indexes are kept between runs")
        parser.add_argument(
            "--abstain", action="store_true", help="measure silence: precision and recall of abstaining"
        )
        parser.add_argument(
            "--tune", action="store_true", help="choose the vectors' weight on one half, report the other"
        )
        parser.add_argument("--json", action="store_true", dest="as_json")
        parser.add_argument("--save", type=Path, help="write the figures here")
        parser.add_argument("--compare", type=Path, help="figures of an earlier run")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["flush"]:
                self._flush(options["flush"], as_json=options["as_json"])
            elif options["dialogues"]:
                for figures in score_dialogues(evaluation_embedder(Path(settings.MEMORY_LOCAL_DIR) / "models")):
                    self.stdout.write(json.dumps(asdict(figures)) if options["as_json"] else figures.line())
            elif options["intent"]:
                self._evaluate_intent(options)
            else:
                self._evaluate(options)
        except (SearchError, RuleError) as error:
            raise CommandError(f"{error.message.rstrip('.')}. {error.hint}".strip(), returncode=1) from error

    def _evaluate(self, options: dict[str, Any]) -> None:
        dataset = load_dataset(options["dataset"])
        folder = options["indexes"] or Path(settings.MEMORY_LOCAL_DIR) / "evaluation" / dataset.name
        modes: list[Mode] = options["modes"] or list(MODES)
        embedder = None
        if modes != ["search"]:
            embedder = evaluation_embedder(Path(settings.MEMORY_LOCAL_DIR) / "models")
        distractors = [load_dataset(path) for path in options["distractors"]]
        evaluation = Evaluation(
            dataset,
            folder,
            embedder,
            distractors,
            # Mode `query` uses what the server is set to; with nothing set it is the hybrid search.
            reranker=plan_reranker(server_plan("rerank")) if "query" in modes else None,
            generator=plan_generator(server_plan("generate")) if "query" in modes else None,
        )
        self._build(evaluation)
        ranking = _ranking(options["set"])
        if options["abstain"] or options["tune"]:
            self._special(evaluation, ranking, tuning=options["tune"])
            return
        earlier = _earlier(options["compare"])
        figures = []
        for mode in modes:
            total = len(dataset.questions)
            with tqdm(total=total, unit="questions", desc=mode, file=sys.stderr, disable=None) as bar:
                result = evaluation.run(mode, ranking=ranking, answered=partial(_tick, bar))
            figures.append(result.as_dict())
            if not options["as_json"]:
                for line in table(result):
                    self.stdout.write(line)
                for line in differences(figures[-1], earlier[mode]) if mode in earlier else ():
                    self.stdout.write(line)
        document = json.dumps({"dataset": dataset.name, "modes": figures}, ensure_ascii=False, indent=2)
        if options["save"]:
            options["save"].write_text(document, "utf-8")
        if options["as_json"]:
            self.stdout.write(document)

    def _special(self, evaluation: Evaluation, ranking: RankingSpec, *, tuning: bool) -> None:
        with tqdm(unit="searches", desc="tune" if tuning else "abstain", file=sys.stderr, disable=None) as bar:
            tick = partial(_tick, bar)
            if tuning:
                lines = list(tuning_lines(tune(evaluation, ranking, answered=tick)))
            else:
                lines = list(abstention_lines(measure_abstention(evaluation, "hybrid", ranking, answered=tick)))
        for line in lines:
            self.stdout.write(line)

    def _flush(self, folder: Path, *, as_json: bool) -> None:
        try:
            Agent.objects.exists()  # before the model is loaded
        except DatabaseError as error:
            raise CommandError(unusable(error), returncode=1) from error
        embedder = evaluation_embedder(Path(settings.MEMORY_LOCAL_DIR) / "models")
        set_embedder_factory(lambda: embedder)
        rows = []
        for row in evaluate_flush(folder, embedder):
            rows.append(row)
            if not as_json:
                self.stdout.write(row.line())
        rows.append(total(rows))
        self.stdout.write(json.dumps([asdict(row) for row in rows], indent=2) if as_json else rows[-1].line())

    def _evaluate_intent(self, options: dict[str, Any]) -> None:
        messages = load_messages(options["intent"])
        result = judge_all(messages, evaluation_embedder(Path(settings.MEMORY_LOCAL_DIR) / "models"))
        document = json.dumps(result.as_dict(), indent=2)
        if options["save"]:
            options["save"].write_text(document, "utf-8")
        for line in [document] if options["as_json"] else intent_table(result):
            self.stdout.write(line)

    def _build(self, evaluation: Evaluation) -> None:
        with tqdm(desc="index", file=sys.stderr, disable=None) as bar:

            def report(workspace: str, progress: Progress) -> None:
                bar.set_description(f"index {workspace}", refresh=False)
                bar.unit, bar.total, bar.n = progress.unit, progress.total, progress.done
                bar.refresh()

            evaluation.build(report)


def _tick(bar: tqdm[Any]) -> None:
    bar.update()


def _ranking(pairs: list[str]) -> RankingSpec:
    """`--set vector_weight=0.3`: the names and checks of the agents' own settings."""
    values = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or name not in AgentSettings.model_fields:
            raise CommandError(f"--set {pair}: give NAME=VALUE with a ranking setting of an agent.", returncode=2)
        values[name] = value
    return AgentSettings.model_validate(values).ranking()


def _earlier(path: Path | None) -> dict[str, dict[str, object]]:
    if path is None:
        return {}
    try:
        return {entry["mode"]: entry for entry in json.loads(path.read_text("utf-8"))["modes"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommandError(f"{path} does not hold the figures of an earlier run: {error}", returncode=1) from error
