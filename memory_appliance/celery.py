"""What `celery -A memory_appliance worker` starts: the application of `workers`, with Django's settings chosen."""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_appliance.settings")

from workers.app import app

__all__ = ["app"]
