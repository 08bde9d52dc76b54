"""The doctor: proves by doing that the server remembers, finds, forgets and refuses; safe on a live system."""

from memory_appliance.doctor.finding import Finding, Level, worst
from memory_appliance.doctor.run import run_doctor

__all__ = ["Finding", "Level", "run_doctor", "worst"]
