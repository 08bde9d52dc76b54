"""Make the small data folder of one version that upgrades are tested from: `scripts/make_data_folder.py NAME`.

Run it at the end of each capability, and commit what it makes: tests/fixtures/data-folders/NAME.tar.gz. `--code` takes
another checkout, such as that of an earlier version.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "tests" / "fixtures" / "data-folders"
PLACE = "/srv/memory"
"""Stands in the fixture where the path of the data folder stood: nobody's machine is in it."""
KEY = "fixture-key-of-an-owner-0123456789abcdef"
LEFT_OUT = ("run", "logs", "models", "backups")
NOTE = "The dentist is called Ada Lindqvist; her practice closes at four on Fridays."
_TURNS = """
try:
    from agents.models import Agent
    from agents.transcripts import store_lines
except ImportError:
    print("this version keeps no transcripts")
else:
    line = b'{"id": "1", "role": "user", "content": "The cellar key hangs behind the calendar."}'
    store_lines(agent=Agent.objects.get(slug="demo"), session_key="agent:demo:telegram:direct:7", lines=[line])
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("--code", type=Path, default=ROOT, help="checkout whose version makes the folder")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memory-fixture-") as folder:
        data = Path(folder).resolve() / "data"
        _fill(chosen.code, data)
        _anonymise(data)
        for name in LEFT_OUT:
            shutil.rmtree(data / name, ignore_errors=True)
        TARGET.mkdir(parents=True, exist_ok=True)
        target = TARGET / f"{chosen.name}.tar.gz"
        with tarfile.open(target, "w:gz") as archive:
            archive.add(data, "data", filter=_nobodys)
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size / 1024:.0f} kB")


def _fill(code: Path, data: Path) -> None:
    """With the commands that every version has; what a version cannot do yet is left out."""
    _manage(code, data, "migrate", "--verbosity", "0")
    _manage(code, data, "bootstrap")
    workspace = data / "workspaces" / "demo"
    (workspace / "memory" / "2025-03-01.md").write_text("# 2025-03-01\n\n- The spare tyre is in the shed.\n")
    _manage(code, data, "memory", "note", NOTE, "--agent", "demo", may_fail=True)
    _manage(code, data, "shell", "-c", _TURNS)
    _manage(code, data, "memory", "index", "--no-embed", "--agent", "demo")


def _manage(code: Path, data: Path, *arguments: str, may_fail: bool = False) -> None:
    names = [name for name in os.environ if name.startswith("MEMORY_") or name == "DATABASE_URL"]
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {
        "MEMORY_DATA_DIR": str(data),
        "MEMORY_BOOTSTRAP_KEY": KEY,
        "MEMORY_ADMIN_PASSWORD": "password-of-a-fixture",
        "DJANGO_SETTINGS_MODULE": "memory_appliance.settings",
    }
    data.mkdir(exist_ok=True)
    done = subprocess.run([sys.executable, "manage.py", *arguments], cwd=code, env=environment, check=False)  # noqa: S603
    if done.returncode and not may_fail:
        raise SystemExit(f"manage.py {arguments[0]} failed")


def _anonymise(data: Path) -> None:
    with closing(sqlite3.connect(data / "control.sqlite3")) as database:
        for table in ("agents_agent", "agents_collection"):
            column = "workspace" if table == "agents_agent" else "path"
            database.execute(f"UPDATE {table} SET {column} = replace({column}, ?, ?)", (str(data), PLACE))  # noqa: S608
        database.execute("UPDATE agents_auditevent SET detail = replace(detail, ?, ?)", (str(data), PLACE))
        database.commit()
        # One file, without what was there before.
        database.execute("PRAGMA journal_mode=DELETE")
        database.execute("VACUUM")


def _nobodys(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return None if entry.name.endswith((".lock", "-wal", "-shm")) else entry


if __name__ == "__main__":
    main()
