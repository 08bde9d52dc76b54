"""The list of checks, in the order in which they help: what the later ones need comes first."""

from memory_appliance.doctor.checks.agents import AGENTS
from memory_appliance.doctor.checks.backups import BACKUPS
from memory_appliance.doctor.checks.broker import BROKER
from memory_appliance.doctor.checks.canary import CANARY
from memory_appliance.doctor.checks.clock import CLOCK
from memory_appliance.doctor.checks.configuration import CONFIGURATION
from memory_appliance.doctor.checks.control_database import CONTROL_DATABASE
from memory_appliance.doctor.checks.data_folder import DATA_FOLDER
from memory_appliance.doctor.checks.disk import DISK
from memory_appliance.doctor.checks.indexes import INDEXES
from memory_appliance.doctor.checks.models import MODELS
from memory_appliance.doctor.checks.processes import PROCESSES
from memory_appliance.doctor.checks.queues import QUEUES
from memory_appliance.doctor.checks.versions import VERSIONS
from memory_appliance.doctor.checks.web import WEB
from memory_appliance.doctor.checks.worker import WORKER

CHECKS = (
    VERSIONS,
    CONFIGURATION,
    DATA_FOLDER,
    DISK,
    CONTROL_DATABASE,
    CLOCK,
    WEB,
    BROKER,
    PROCESSES,
    WORKER,
    QUEUES,
    MODELS,
    AGENTS,
    INDEXES,
    CANARY,
    BACKUPS,
)
