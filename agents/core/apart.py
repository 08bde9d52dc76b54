"""apart(): what goes wrong with one agent stays with it; a round over all of them goes on with the next."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

logger = logging.getLogger(__name__)


@contextmanager
def apart(slug: str, doing: str) -> Iterator[None]:
    """Around what a start, the sweep or a night does for one agent: any fault is logged with the agent's name.

    Its folder may be away, its row may hold what no version of ours wrote; the others must not wait for it.
    """
    try:
        yield
    except Exception:
        logger.exception("%s: %s went wrong, the others go on", slug, doing)
