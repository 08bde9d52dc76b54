"""next_version(): the version after this one, as far as the control database can tell."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.integration.stack.server import ROOT

NEXT = """
from django.db import migrations, models

class Migration(migrations.Migration):
    dependencies = [("agents", "{newest}")]
    operations = [
        migrations.AddField("agent", "of_next", models.IntegerField(null=True)),
        migrations.AddField("workspacewrite", "of_next", models.CharField(max_length=9, db_default="")),
        migrations.CreateModel("OfNext", [("id", models.BigAutoField(primary_key=True))]),
    ]
"""


def next_version(folder: Path) -> Path:
    """A copy of this version with one migration more, of the kind that docs/scaling.md allows while others serve."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.rstrip("\0").split("\0"):
        if (ROOT / name).is_file() and not name.startswith(("tests/", "docs/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    migrations = folder / "agents" / "migrations"
    newest = max(path.stem for path in migrations.glob("0*.py"))
    (migrations / "9999_next.py").write_text(NEXT.format(newest=newest))
    return folder
