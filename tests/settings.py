"""The server's own settings on a throw-away data folder, whatever the environment of the test run says."""

import atexit
import os
import shutil
import tempfile

for name in [name for name in os.environ if name.startswith("MEMORY_") or name.startswith("DATABASE_URL")]:
    del os.environ[name]
os.environ["MEMORY_DATA_DIR"] = tempfile.mkdtemp(prefix="memory-tests-")
atexit.register(shutil.rmtree, os.environ["MEMORY_DATA_DIR"], ignore_errors=True)

from memory_appliance.settings import *  # noqa: E402, F403
from memory_appliance.settings import DATABASES, MEMORY_DATA_DIR  # noqa: E402

# A file, not SQLite's memory: threads and processes then meet the same locks as in the real server.
DATABASES["default"]["TEST"] = {"NAME": MEMORY_DATA_DIR / "test-control.sqlite3"}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
