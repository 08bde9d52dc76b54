"""`python -m memory_appliance.launch.models_setup`: build and install the local model runtime beside the server.

llama-cpp-python comes as source only: 83 steps of a C++ compiler, minutes of work. So it is not part of the first
set-up: this one-shot process does it, beside a server at low priority, writes how far it is, and the models process
joins when the package can be imported. uv keeps the built wheel in its cache: the next environment on this machine
takes seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from memory_appliance.boot.say import LaunchFailed, fail, say
from memory_appliance.launch.uv import ROOT, ensure_uv, sync

STATE_FILE = "models-setup.json"
NICE = 10
_CMAKE_ARGS = (
    "-DLLAVA_BUILD=OFF",  # no images, no audio
    "-DGGML_NATIVE=OFF",  # still AVX2 where the compiler knows it, and the kept wheel runs on an older CPU too
    f"-DCMAKE_PROJECT_llama_cpp_INCLUDE={ROOT / 'scripts' / 'cmake' / 'nocommon.cmake'}",
)
_NINJA = re.compile(r"^DEBUG \[(\d+)/(\d+)\]")
_STEPS = (
    (re.compile(r"^\s*Downloading (\S+) \((\S+)\)"), "downloading", "{0} ({1})"),
    (re.compile(r"^\s*Building llama-cpp-python"), "building", "preparing the compiler"),
    (_NINJA, "building", "{0} of {1}"),
    (re.compile(r"^Installed (\d+) packages?"), "installing", "{0} packages"),
)

State = Literal["running", "failed", "done"]
Report = Callable[[State, str, str], None]


def read_step(line: str) -> tuple[str, str] | None:
    """One line of the installer → (step, detail), or None when it tells the owner nothing."""
    for pattern, name, detail in _STEPS:
        if match := pattern.match(line):
            return name, detail.format(*match.groups())
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state-dir", type=Path, help=f"folder of {STATE_FILE}, which the models process reads")
    arguments = parser.parse_args()
    report = Reporter(arguments.state_dir)
    try:
        # Beside a server, which keeps the state file, it stands back; alone (make models, an image) it need not.
        install_models(report, nice=NICE if arguments.state_dir else 0)
    except LaunchFailed as failure:
        report("failed", failure.message, failure.hint)
        return fail(failure)
    return 0


def install_models(report: Report, *, nice: int) -> None:
    """Install the extra `models`, reporting every step. Raises `LaunchFailed`."""
    report("running", "checking", "")

    def on_line(line: str) -> None:
        if (found := read_step(line)) is not None:
            report("running", *found)

    ensure_uv()
    arguments = os.environ.get("CMAKE_ARGS", "").split()
    sync(
        ["--no-dev", "--extra", "models", "--verbose"],
        on_line=on_line,
        environment={"CMAKE_ARGS": " ".join([*_CMAKE_ARGS, *arguments])},
        nice=nice,
    )
    report("done", "installed", "")


class Reporter:
    """Writes the state file whole (a reader never sees half of it) and says each new step, long builds now and then."""

    def __init__(self, state_dir: Path | None) -> None:
        self.path = state_dir / STATE_FILE if state_dir else None
        self.started_at = time.time()
        self.said = ("", 0.0)

    def __call__(self, state: State, step: str, detail: str) -> None:
        if self.path:
            content = {"state": state, "step": step, "detail": detail, "started_at": self.started_at}
            part = self.path.with_suffix(".part")
            part.write_text(json.dumps(content))
            part.replace(self.path)
        now = time.monotonic()
        if state != "failed" and (step != self.said[0] or now - self.said[1] > 10):
            self.said = (step, now)
            say(f"  ▸ Local models: {step} {detail}".rstrip())


if __name__ == "__main__":
    raise SystemExit(main())
