"""All agents at a glance, from the control database alone: no index and no file is opened, however many there are."""

from agents.registry.fleet.attention import State, state_of
from agents.registry.fleet.rows import FleetRow, fleet
from agents.registry.fleet.totals import JobCount, Totals, jobs_under_way, totals

__all__ = ["FleetRow", "JobCount", "State", "Totals", "fleet", "jobs_under_way", "state_of", "totals"]
