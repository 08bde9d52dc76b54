"""Models: each role that is wanted is really asked, and its answer looked at."""

from __future__ import annotations

from agents.providers.choices import TestReport, test_plan
from agents.providers.plans import server_plan
from memory_appliance.doctor.check import Check, Looking, Seen, Visit
from memory_appliance.embedding import models_client
from search.runtime.presets import Role
from search.runtime.providers.choice import LOCAL, NONE
from search.sentences import sentence

_ROLES: tuple[Role, ...] = ("embed", "rerank", "generate")
_WAIT = "Wait: it joins by itself. The first build of its runtime takes minutes."
_LOSS = {
    "embed": "searches go by words alone",
    "rerank": "results keep their order of before",
    "generate": "queries are not expanded, summaries are taken word for word",
}


def _look(visit: Visit) -> Looking:
    for role in _ROLES:
        plan = server_plan(role)
        title = f"Model that {'writes' if role == 'generate' else f'{role}s'}"
        if plan.first.provider == NONE:
            yield Seen("skipped", sentence("None is chosen."), "", role, title)
            continue
        report = test_plan(plan)
        state = models_client().status().state if plan.first.provider == LOCAL else ""
        if report.ok:
            yield Seen(
                "ok",
                sentence(
                    "{model} answered in {took_ms:.0f} ms{shown}.",
                    model=report.model,
                    took_ms=report.took_ms,
                    shown=_shown(report),
                ),
                "",
                role,
                title,
            )
        elif state in ("building", "loading"):
            yield Seen("warning", f"{report.model}: {report.error.rstrip('.')}; {_LOSS[role]}.", _WAIT, role, title)
        else:
            text = f"{report.model}: {report.error.rstrip('.')}; {_LOSS[role]}."
            yield Seen("problem", text, _todo(report, local=bool(state)), role, title)


def _shown(report: TestReport) -> str:
    return f" with {report.detail['dims']} numbers" if "dims" in report.detail else ""


def _todo(report: TestReport, *, local: bool) -> str:
    if not local:
        return report.hint or "Check the provider's key and address: manage.py models test."
    status = models_client().status()
    told = [report.hint, status.hint if status.state != "ready" else "", "logs/models.log says more."]
    return " ".join(dict.fromkeys(text for text in told if text))


MODELS = Check("models", "Models", _look, needs_database=True)
