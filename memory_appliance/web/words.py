"""What the engine and the server say in codes, as sentences that pages can show in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from memory_appliance.health import Health
from memory_appliance.web.diff import visible

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

DEGRADATIONS: Mapping[str, StrOrPromise] = {
    "no_query_vector": _("The embedding model did not answer in time: this went by words alone."),
    "vec_fallback": _("sqlite-vec is not available here: vectors are compared more slowly."),
    "no_vectors": _("There are no vectors yet: searches go by words alone."),
    "no_keyword": _("The keyword index is missing; the next update makes it again."),
    "no_rerank": _("No reranking model took part: results keep their order."),
    "no_expansion": _("No writing model took part: the query was not widened."),
    "stale_vectors": _("The vectors are of another model than the one that is chosen now: the index is built anew."),
    "pending_embeddings": _("Some chunks still wait for their vectors: they are found by words alone."),
    "no_index": _("There is no index yet; the first update makes it."),
    "deadline": _("The time was up: this is what had been found by then."),
}

OUTCOMES: Mapping[str, StrOrPromise] = {
    "ok": _("recalled"),
    "timeout_partial": _("recalled in part"),
    "no_relevant_memory": _("nothing relevant"),
    "skipped": _("not needed"),
    "denied": _("denied"),
    "timeout": _("too late"),
    "unavailable": _("unavailable"),
    "failed": _("failed"),
}
"""Outcomes of a turn's recall, in the order in which they are told."""

TROUBLED_OUTCOMES = frozenset({"timeout", "unavailable", "failed"})

PARTS: Mapping[str, StrOrPromise] = {
    "database": _("Control database"),
    "broker": _("Broker"),
    "workers": _("Workers"),
    "models": _("Embedding model"),
    "disk": _("Disk"),
    "agents": _("Agents"),
}
"""The parts of the server that `health` looks at."""

_TROUBLES: Mapping[str, StrOrPromise] = {
    "database": _("The control database cannot be read."),
    "broker": _("The broker does not answer: updates wait, searches go on."),
    "workers": _("No worker is alive: changed files are not indexed for now."),
    "models": _("The embedding model is not ready: searches go by words for now."),
}


def degradation(code: str, detail: str) -> StrOrPromise:
    return DEGRADATIONS.get(code) or visible(detail)


def troubles_by_part(health: Health) -> dict[str, StrOrPromise]:
    """A sentence for each part that does not work as it should."""
    bad = ((name, check) for name, check in health.checks.items() if check.status != "ok")
    return {name: _TROUBLES.get(name) or visible(check.detail) for name, check in bad}


def troubles(health: Health) -> list[StrOrPromise]:
    return list(troubles_by_part(health).values())
