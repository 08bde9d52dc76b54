"""`memory recall`: one turn as the owner, with the block, or the reason why there is none."""

from __future__ import annotations

from dataclasses import asdict

from agents.core.actors import CLI, Caller
from agents.memory.recall import RecallParams
from agents.memory.recall import recall as recall_turn
from memory_appliance.management.memory.choose import one_agent
from memory_appliance.management.memory.output import Output
from search.recall.outcome import Reason


def recall(output: Output, *, agent: str | None, params: RecallParams) -> None:
    row = one_agent(agent)
    answer = recall_turn(agent=row, caller=Caller(CLI, trusted=True), session=None, params=params)
    outcome = answer.outcome
    if output.as_json:
        output.answer(
            {
                "agent": row.slug,
                **asdict(outcome),
                "elapsed_ms": answer.elapsed_ms,
                "summary_chars": len(outcome.summary),
                "event_id": answer.event_id,
            }
        )
        return
    if outcome.context:
        output.line(outcome.context)
    if outcome.reason == Reason.NO_RECALL_INTENT:
        output.remark("note: the message does not ask for something remembered; --mode always looks all the same")
    output.remark(f"{outcome.status}: {outcome.reason} ({outcome.lane or 'no'} lane, {answer.elapsed_ms:.0f} ms)")
