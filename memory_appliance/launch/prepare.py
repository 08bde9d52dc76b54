"""`python -m memory_appliance.launch.prepare`: migrations, and the first admin with a key; one process for both."""

from __future__ import annotations

import os
import sys

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import OperationalError


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_appliance.settings")
    try:
        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
        call_command("nodes", "enter")
        call_command("bootstrap")
    except CommandError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except (OperationalError, ImproperlyConfigured) as error:
        print(f"error: the control database cannot be used: {str(error).strip()}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
