"""`manage.py doctor`: exit code 0 no problem, 1 problems (with --strict: or warnings), 2 usage."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from agents.core.errors import RuleError
from memory_appliance.doctor import Finding, run_doctor, worst
from memory_appliance.management.counted import counted
from memory_appliance.management.memory.output import Output

_MARKS = {"ok": "✓", "warning": "!", "problem": "✗", "skipped": "–"}


class Command(BaseCommand):
    help = "Prove that everything works, by doing it; say what does not, and what to do. Safe on a live system."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", dest="as_json")
        parser.add_argument("--quick", action="store_true", help="nothing that reads whole files or waits for workers")
        parser.add_argument("--strict", action="store_true", help="exit code 1 for warnings too")
        parser.add_argument("--agent", default="", metavar="SLUG", help="look at this agent's index and folder alone")

    def handle(self, *args: Any, as_json: bool, quick: bool, strict: bool, agent: str, **options: Any) -> None:
        output = Output(self.stdout, self.stderr, as_json)
        findings: list[Finding] = []

        def starting(title: str) -> None:
            if output.on_terminal:
                output.remark(f"… {title.lower()}")

        try:
            with _ended_in_order(), closing(run_doctor(agent=agent, quick=quick, starting=starting)) as visit:
                for finding in visit:
                    findings.append(finding)
                    if not as_json:
                        _show(output, finding)
        except RuleError as error:
            self.stderr.write(f"error: {error.message} {error.hint}".strip())
            sys.exit(1)
        level = worst(findings)
        if as_json:
            output.answer({"level": level, "findings": [asdict(finding) for finding in findings]})
        else:
            output.line(_verdict(findings))
        sys.exit(1 if level == "problem" or (strict and level == "warning") else 0)


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """A wish to stop is an exception, so that the canary is taken away."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _show(output: Output, finding: Finding) -> None:
    slow = f"  ({finding.seconds:.1f} s)" if finding.seconds >= 1 else ""
    output.line(f"{_MARKS[finding.level]} {finding.title}: {finding.seen}{slow}")
    if finding.todo:
        output.line(f"    → {finding.todo}")


def _verdict(findings: list[Finding]) -> str:
    counts = {level: sum(1 for finding in findings if finding.level == level) for level in _MARKS}
    if counts["problem"]:
        return f"{counted(counts['problem'], 'problem')}, {counted(counts['warning'], 'warning')}."
    if counts["warning"]:
        return f"No problem, {counted(counts['warning'], 'warning')}."
    return f"All is well: {counts['ok']} checks passed" + (
        f", {counts['skipped']} skipped." if counts["skipped"] else "."
    )
