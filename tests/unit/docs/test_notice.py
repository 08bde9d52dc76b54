"""NOTICE.md names every package that pyproject.toml asks for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_every_package_is_named_with_its_licence() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    names = {match[0] for one in wanted if (match := re.match(r"[A-Za-z0-9._-]+", one))}
    listed = dict(
        re.findall(r"^\| ([A-Za-z0-9._-]+) \| (.+) \|$", (ROOT / "NOTICE.md").read_text("utf-8"), re.MULTILINE)
    )
    assert names <= set(listed)
