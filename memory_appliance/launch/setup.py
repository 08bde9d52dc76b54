"""`python3 -m memory_appliance.launch.setup [--dev]`: the virtual environment and the locked packages.

Costs a fraction of a second when everything is in place already.
"""

from __future__ import annotations

import argparse
import shutil

from memory_appliance.boot.say import LaunchFailed, fail, say, step
from memory_appliance.launch.uv import ROOT, base_python, ensure_uv, sync, sync_under_way

NEEDED_BYTES = 700 * 1024**2


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dev", action="store_true", help="also what the tests need")
    arguments = parser.parse_args()
    try:
        _check_disk()
        ensure_uv()
        with step("Installing the locked packages"):
            if sync_under_way():
                say("     waiting: a server that runs from this folder is building its local models, or being set up")
            sync(
                ["--python", base_python(), *([] if arguments.dev else ["--no-dev"])],
                on_line=lambda line: (
                    say(f"     {line}") if line.lstrip().startswith(("Downloading", "Installed")) else None
                ),
            )
    except LaunchFailed as failure:
        return fail(failure)
    return 0


def _check_disk() -> None:
    if (ROOT / ".venv").exists():
        return
    free = shutil.disk_usage(ROOT).free
    if free < NEEDED_BYTES:
        raise LaunchFailed(
            f"{free / 1024**2:.0f} MB are free on the disk of {ROOT}; the set-up needs {NEEDED_BYTES // 1024**2} MB",
            hint="free some space and start again",
        )


if __name__ == "__main__":
    raise SystemExit(main())
