"""Tests that kill processes run where processes can be found, and may take their time."""

from __future__ import annotations

import sys

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "integration/stack" in item.path.as_posix():
            item.add_marker(pytest.mark.stack)
            item.add_marker(pytest.mark.timeout(240))
            if sys.platform != "linux":
                item.add_marker(pytest.mark.skip(reason="finds and kills processes through /proc"))
