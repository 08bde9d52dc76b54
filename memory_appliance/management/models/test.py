"""`models test`: really ask a model, and say what came and how long it took."""

from __future__ import annotations

from dataclasses import asdict, replace

from agents.providers.choices import TestReport, checked_choice, test_plan
from agents.providers.plans import ROLES, RolePlan, agent_plan, server_plan
from agents.registry.selectors import get_agent
from memory_appliance.management.memory.output import Failed, Output
from search.runtime.presets import Role
from search.runtime.providers.choice import parse_choice


def test(output: Output, *, choice: str | None, role: Role | None, agent: str | None) -> None:
    """Every role that somebody has, or one; raises `Failed` when one does not work."""
    roles: tuple[Role, ...] = (role,) if role else ("embed",) if choice else ROLES
    reports = [test_plan(_plan(each, choice, agent)) for each in roles]
    if output.as_json:
        output.answer([asdict(report) for report in reports])
    else:
        for report in reports:
            output.line(_line(report))
    if not all(report.ok for report in reports):
        raise Failed("A model does not work; see above.")


def _plan(role: Role, choice: str | None, agent: str | None) -> RolePlan:
    plan = agent_plan(role, get_agent(agent)) if agent else server_plan(role)
    if choice is None:
        return plan
    return replace(plan, first=parse_choice(role, checked_choice(role, choice, field="model")), base_url="", dims=None)


def _line(report: TestReport) -> str:
    found = ", ".join(f"{name} {value}" for name, value in report.detail.items())
    said = found if report.ok else f"{report.error.rstrip('.')}. {report.hint}"
    return f"{report.role:<9} {report.model}: {'works' if report.ok else 'FAILS'}, {report.took_ms:.0f} ms. {said}"
