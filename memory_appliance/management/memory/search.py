"""`memory search`: the owner's own search, without a chat around it."""

from __future__ import annotations

from dataclasses import asdict

from agents.core.actors import CLI, Caller
from agents.memory import reads
from agents.memory.reads import SearchParams
from memory_appliance.management.memory.choose import one_agent
from memory_appliance.management.memory.output import Failed, Output
from search.citations import with_source
from search.outcome import Hit, SearchOutcome


def search(output: Output, *, agent: str | None, params: SearchParams) -> None:
    row = one_agent(agent)
    answer = reads.search(agent=row, caller=Caller(CLI, trusted=True), session=None, params=params)
    if isinstance(answer, reads.Denied):
        raise Failed(f"Denied: {answer.decision.reason}.")
    outcome = answer.outcome
    if output.as_json:
        output.answer({"agent": row.slug, "query": params.query, "citations": answer.citations, **asdict(outcome)})
    else:
        _print(output, outcome)
    if outcome.outcome == "unavailable":
        raise Failed(f"{outcome.reason or 'The index cannot be searched'}. Run `manage.py memory index`.")


def _print(output: Output, outcome: SearchOutcome) -> None:
    for hit in outcome.results:
        _print_hit(output, hit)
    if not outcome.results and outcome.outcome != "unavailable":
        output.line("No matches." + (f" {outcome.reason}" if outcome.reason else ""))
    for note in outcome.degraded:
        output.remark(f"note: {note.code}: {note.detail}")


def _print_hit(output: Output, hit: Hit) -> None:
    lines = f"L{hit.start_line}-L{hit.end_line}"
    output.line(f"{hit.score:.2f}  {hit.citation or f'{hit.path}#{lines}'}")
    # The place stands above the passage already.
    passage = hit.snippet.removesuffix(with_source("", hit.citation)) if hit.citation else hit.snippet
    for line in passage.rstrip().splitlines():
        output.line(f"      {line}".rstrip())
    output.line()
