"""describe_machine(): where a benchmark ran, so that its numbers mean something elsewhere."""

from __future__ import annotations

import os
import platform
import sqlite3
from pathlib import Path

import apsw


def describe_machine() -> str:
    """A few lines: processor, cores, memory, load, system, Python and SQLite versions."""
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return "\n".join(
        (
            f"machine   {_processor()}, {cores} cores, {_memory_gib():.0f} GiB",
            f"load      {load} (1, 5 and 15 minutes)",
            f"system    {platform.platform()}",
            f"python    {platform.python_version()}",
            f"sqlite    {apsw.sqlite_lib_version()} (apsw), {sqlite3.sqlite_version} (standard library)",
        )
    )


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory_gib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
