"""Every counter and histogram. Labels come from closed lists alone: no agent, person, key, path or text is one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call]

_REQUEST_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_STAGE_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)
_JOB_SECONDS = (0.05, 0.25, 1, 5, 20, 60, 300, 1800)

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
NO_ROUTE = "(none)"
"""The label of requests for an address that does not exist, and of static files."""


class Instruments:
    """`Telemetry`, and the HTTP requests. One per process, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry(auto_describe=False)
        self._searches = Counter(
            "memory_searches", "Searches by requested mode and by outcome.", ["mode", "outcome"], registry=registry
        )
        self._search_seconds = Histogram(
            "memory_search_seconds", "How long searches took.", ["mode"], registry=registry, buckets=_REQUEST_SECONDS
        )
        self._stage_seconds = Histogram(
            "memory_search_stage_seconds",
            "How long each stage of a search took.",
            ["stage"],
            registry=registry,
            buckets=_STAGE_SECONDS,
        )
        self._degradations = Counter(
            "memory_degradations", "Answers that something was missing in, by what it was.", ["code"], registry=registry
        )
        self._recalls = Counter(
            "memory_recalls", "Recalls by outcome.", ["status", "reason", "lane"], registry=registry
        )
        self._recall_seconds = Histogram(
            "memory_recall_seconds", "How long recalls took.", ["lane"], registry=registry, buckets=_REQUEST_SECONDS
        )
        self._notes = Counter("memory_notes", "Notes taken.", ["duplicate"], registry=registry)
        self._jobs = Counter(
            "memory_jobs", "Bouts of background jobs by kind and by how they ended.", ["kind", "state"],
            registry=registry,
        )  # fmt: skip
        self._job_seconds = Histogram(
            "memory_job_seconds", "How long bouts of background jobs took.", ["kind"], registry=registry,
            buckets=_JOB_SECONDS,
        )  # fmt: skip
        self._embedded = Counter("memory_embedded_chunks", "Chunks that got their vectors.", registry=registry)
        self._requests = Counter(
            "memory_http_requests", "HTTP requests by route template.", ["method", "route", "status"],
            registry=registry,
        )  # fmt: skip
        self._request_seconds = Histogram(
            "memory_http_request_seconds", "From a request's arrival to its answer, waiting included.", ["route"],
            registry=registry, buckets=_REQUEST_SECONDS,
        )  # fmt: skip

        self._refusals = Counter(
            "memory_refused_requests", "Requests turned away before they were looked at.", ["why"], registry=registry
        )

    def searched(
        self, *, mode: str, outcome: str, seconds: float, stages_ms: Mapping[str, float], degraded: Iterable[str]
    ) -> None:
        self._searches.labels(mode, outcome).inc()
        self._search_seconds.labels(mode).observe(seconds)
        for stage, took in stages_ms.items():
            self._stage_seconds.labels(stage).observe(took / 1000)
        for code in set(degraded):
            self._degradations.labels(code).inc()

    def recalled(self, *, status: str, reason: str, lane: str, seconds: float) -> None:
        self._recalls.labels(status, reason, lane or "none").inc()
        self._recall_seconds.labels(lane or "none").observe(seconds)

    def noted(self, *, duplicate: bool) -> None:
        self._notes.labels("yes" if duplicate else "no").inc()

    def job_ended(self, *, kind: str, state: str, seconds: float) -> None:
        self._jobs.labels(kind, state).inc()
        self._job_seconds.labels(kind).observe(seconds)

    def embedded(self, chunks: int) -> None:
        self._embedded.inc(chunks)

    def refused(self, why: str) -> None:
        """`waiting_room`: too many wait. `bodies`: too many are being sent. `broken_body`: it never arrived."""
        self._refusals.labels(why).inc()

    def answered(self, *, method: str, route: str, status: int, seconds: float) -> None:
        """`route`: the template of the address, never the address itself."""
        self._requests.labels(method if method in METHODS else "other", route, str(status)).inc()
        self._request_seconds.labels(route).observe(seconds)


instruments = Instruments()
"""This process's own."""
