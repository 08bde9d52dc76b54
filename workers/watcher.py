"""Watcher: notice changes on disk within a second and write down that the agent wants an update.

The periodic scan of every agent is the safety net; this only makes it quick. No file is ever read here.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator

from django.db import DatabaseError, connection
from django.utils import timezone
from watchfiles import Change, watch
from watchfiles.main import FileChange

from agents.models import Agent
from workers.watched_folders import Folders, existing_folders

logger = logging.getLogger(__name__)

RELOAD_SECONDS = 3.0
"""How soon a new agent, a new collection or a folder that appeared is watched."""
QUIET_MS = 100
LONGEST_STORM_MS = 1000
"""A storm of changes is written down this often; the sweep's debounce spaces the updates."""
POLL_MS = 3000


def matters(change: Change, path: str) -> bool:
    """Markdown, and what may be a folder that came or went with Markdown in it."""
    name = path.rpartition("/")[2]
    return name.endswith(".md") or (change is not Change.modified and "." not in name)


def request_updates(agents: Iterable[int]) -> int:
    """One UPDATE: these agents want to be looked at. Returns how many of them there still are."""
    return Agent.objects.filter(pk__in=list(agents)).update(update_requested_at=timezone.now())


class Watcher:
    """Watches the folders that are there and starts over when they are others. `stop` ends it within a second."""

    def __init__(self, *, polling: bool, each_round: Callable[[], None] = lambda: None) -> None:
        """`each_round` is called every few seconds, whenever the control database was asked and nothing is amiss."""
        self.polling = polling
        self.each_round = each_round
        self.stop = threading.Event()

    def run(self) -> None:
        while not self.stop.is_set():
            try:
                self._watch_until_other(existing_folders())
            except DatabaseError as error:
                logger.warning("the control database cannot be used: %s", error)
                connection.close()
            self.stop.wait(0.2)

    def _watch_until_other(self, folders: Folders) -> None:
        over = threading.Event()
        threads = [
            threading.Thread(target=self._watch, args=(folders, paths, recursive, over), daemon=True)
            for paths, recursive in ((list(folders.flat), False), (list(folders.deep), True))
            if paths
        ]
        for thread in threads:
            thread.start()
        try:
            # Nobody watched until now: let everyone be looked at once.
            request_updates(folders.agents())
            logger.info("watching %d folders", len(folders))
            self.each_round()
            while not self.stop.wait(RELOAD_SECONDS) and not over.is_set() and existing_folders() == folders:
                self.each_round()
        finally:
            over.set()
            for thread in threads:
                thread.join()

    def _watch(self, folders: Folders, paths: list[str], recursive: bool, over: threading.Event) -> None:
        polling = self.polling
        try:
            for batch in _changes(folders, paths, recursive, polling, over):
                if any(change is Change.deleted and path in folders for change, path in batch):
                    return  # its watch died with it; it may be there again already, under the same name
                if agents := frozenset[int]().union(*(folders.agents_of(path) for _, path in batch)):
                    request_updates(agents)
        except DatabaseError as error:
            logger.warning("a change could not be written down; everyone will be looked at: %s", error)
        except OSError as error:
            if polling:
                logger.warning("folders cannot be looked at: %s", error)
            else:
                logger.warning("folders cannot be watched (%s): looking every %d s", error, POLL_MS // 1000)
                self.polling = True
        finally:
            over.set()
            connection.close()


def _changes(
    folders: Folders, paths: list[str], recursive: bool, polling: bool, over: threading.Event
) -> Iterator[set[FileChange]]:
    return watch(
        *paths,
        watch_filter=lambda change, path: path in folders or matters(change, path),
        debounce=LONGEST_STORM_MS,
        step=QUIET_MS,
        stop_event=over,
        rust_timeout=int(RELOAD_SECONDS * 1000),
        raise_interrupt=False,
        force_polling=polling,
        poll_delay_ms=POLL_MS,
        recursive=recursive,
        ignore_permission_denied=True,
    )
