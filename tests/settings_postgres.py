"""The tests' settings with PostgreSQL as the control database: `pytest --ds tests.settings_postgres -m postgres`.

One cluster for the whole run: the first process starts it, those of pytest-xdist find its address in the environment.
"""

import atexit
import os

from tests.postgres import Postgres, why_not

if why_not():
    raise SystemExit(why_not())
if "TEST_POSTGRES_URL" not in os.environ:
    _cluster = Postgres.temporary()
    atexit.register(_cluster.remove)
    os.environ["TEST_POSTGRES_URL"] = _cluster.url

from memory_appliance.settings.database import postgres_settings
from tests.settings import *  # noqa: F403

DATABASES = {"default": postgres_settings(os.environ["TEST_POSTGRES_URL"])}
