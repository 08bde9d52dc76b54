"""/agents/{slug}/learned: notes that agents and flushes wrote, to be kept or rejected."""

from __future__ import annotations

from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Query, Router

from agents.files.learned import keep, learned, reject
from memory_appliance.api.auth import ADMIN, agent_of, caller_of
from memory_appliance.api.schemas.learned import Decided, Decision, LearnedList, learned_answer

router = Router(tags=["learned"], auth=ADMIN)


@router.get("/{slug}/learned", response=LearnedList, operation_id="get_learned")
def get_learned(
    request: HttpRequest,
    slug: str,
    show: Literal["waiting", "all"] = "waiting",
    below: Annotated[int | None, Query(ge=1, le=2**53, description="`next` of the answer before.")] = None,
) -> LearnedList:
    """The newest first: those that wait for a decision, or all."""
    return learned_answer(learned(agent_of(request, slug), everything=show == "all", below=below))


@router.post("/{slug}/learned", response=Decided, operation_id="decide_learned")
def decide_learned(request: HttpRequest, slug: str, payload: Decision) -> Decided:
    """Keep notes, or reject them: their text is taken out of its file (a version is kept) and never written again."""
    decided = keep if payload.decision == "keep" else reject
    return Decided(decided=decided(agent=agent_of(request, slug), caller=caller_of(request), ids=payload.ids))
