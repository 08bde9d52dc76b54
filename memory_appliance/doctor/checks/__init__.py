"""The list of checks, in the order in which they help: what the later ones need comes first."""

from memory_appliance.doctor.checks.disk import DISK
from memory_appliance.doctor.checks.versions import VERSIONS

CHECKS = (VERSIONS, DISK)
