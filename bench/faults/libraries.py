"""compiled(): a small library in C that takes the place of some of the system's calls."""

from __future__ import annotations

import subprocess
from pathlib import Path


def compiled(source: str, folder: Path) -> Path:
    """Needs gcc."""
    library = folder / f"{source}.so"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-O2", "-o", str(library), str(Path(__file__).with_name(source)), "-ldl"],
        check=True,
    )
    return library
