"""Celery's processes log as the server's settings say, not in a format of Celery's own."""

from __future__ import annotations

import logging.config
from collections.abc import Mapping
from typing import Any

from celery.signals import setup_logging


def log_as(settings: Mapping[str, Any]) -> None:
    """`settings`: as for `logging.config.dictConfig`."""

    @setup_logging.connect(weak=False)
    def configure(**_: Any) -> None:
        logging.config.dictConfig(dict(settings))
