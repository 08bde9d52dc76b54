"""Watcher: notice changes on disk within a second and write down that the agent wants an update.

The periodic scan of every agent is the safety net; this only makes it quick. No file is ever read here.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator

from django.db import DatabaseError, connection
from django.utils import timezone
from watchfiles import Change, watch
from watchfiles._rust_notify import WatchfilesRustInternalError
from watchfiles.main import FileChange

from agents.models import Agent
from search.file_types import file_type
from workers.watched_folders import Folders, Key, existing_folders

logger = logging.getLogger(__name__)

RELOAD_SECONDS = 3.0
"""How soon a new agent, a new collection or a folder that appeared is watched."""
QUIET_MS = 100
LONGEST_STORM_MS = 1000
"""A storm of changes is written down this often; the sweep's debounce spaces the updates."""
POLL_MS = 3000
LOOK_SHARE = 20
"""A look at the folders is followed by a pause of so many times the work that it was, up to `LONGEST_PAUSE`."""
LONGEST_PAUSE = 10.0
TOGETHER = 256
"""Folders that came later and are watched together: when one is added, these are watched again from the start."""
MOST_WATCHES = 16
"""Then all are put together again: a system has few inotify instances, and each watch takes two."""
REST_SECONDS = 30.0
"""How long a folder is not watched after a change of a name that is not UTF-8, which ends the watch of all with it."""
_ODD_NAME = re.compile(r'Unable to decode path "([^"\\]*)/[^/"]*\\')
"""What watchfiles says of such a name; up to the last slash before its first escape it is the folder."""


def matters(change: Change, path: str) -> bool:
    """A file that may be read, and what may be a folder that came or went with such files in it."""
    name = path.rpartition("/")[2]
    return file_type(name) is not None or (change is not Change.modified and "." not in name)


def request_updates(agents: Iterable[int]) -> int:
    """One UPDATE: these agents want to be looked at. Returns how many of them there still are."""
    return Agent.objects.filter(pk__in=list(agents)).update(update_requested_at=timezone.now())


class Watcher:
    """Watches the folders that are there. `stop` ends it within a second.

    What is watched cannot be added to. So a folder that comes gets a watch beside the others, together with those that
    came shortly before: a new agent costs the same however many there are.
    """

    def __init__(self, *, polling: bool, each_round: Callable[[], None] = lambda: None) -> None:
        """`each_round` is called every few seconds, whenever the control database was asked and nothing is amiss."""
        self.polling = polling
        self.each_round = each_round
        self.stop = threading.Event()

    def run(self) -> None:
        while not self.stop.is_set():
            try:
                self._watch_until_amiss()
            except DatabaseError as error:
                logger.warning("the control database cannot be used: %s", error)
                connection.close()
            self.stop.wait(0.2)

    def _watch_until_amiss(self) -> None:
        self._folders, self._watched = Folders(), dict[Key, int]()
        self._resting: dict[Key, float] = {}
        self._watches: list[_Watch] = []
        retired: list[_Watch] = []
        self._amiss = threading.Event()
        try:
            while not self.stop.is_set() and not self._amiss.is_set():
                began = time.thread_time()
                replaced = self._look()
                self.each_round()
                # Ended only now, when what took their place has long been at work.
                for watch_ in retired:
                    watch_.over.set()
                retired = replaced
                worked = time.thread_time() - began
                self._pause(max(RELOAD_SECONDS, min(LOOK_SHARE * worked, LONGEST_PAUSE)))
        finally:
            for watch_ in [*self._watches, *retired]:
                watch_.end()

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self._amiss.is_set() and not self.stop.wait(0.1):
            pass

    def _look(self) -> list[_Watch]:
        """See to it that every folder is watched, and that who has a new one is looked at. Returns watches replaced."""
        folders = existing_folders()
        now = time.monotonic()
        known = {key: inode for key, inode in folders.known().items() if self._resting.get(key, now) <= now}
        fresh = [key for key, inode in known.items() if self._watched.get(key) != inode]
        gained = folders.gained(self._folders) | frozenset().union(*(folders.agents_at(key) for key in fresh))
        self._folders, self._watched = folders, known
        replaced: list[_Watch] = []
        if fresh:
            if len(self._watches) >= MOST_WATCHES:
                replaced, self._watches, fresh = self._watches, [], list(known)
            elif self._watches and len(self._watches[-1].keys) + len(fresh) <= TOGETHER:
                replaced = [self._watches.pop()]
                fresh = [*{*fresh, *(key for key in replaced[0].keys if key in known)}]
            self._watches.append(_Watch(fresh, self._follow))
            logger.info("watching %d folders", len(folders))
        if gained:
            request_updates(gained)
        return replaced

    def _follow(self, paths: list[str], recursive: bool, over: threading.Event) -> None:
        """Write down what changes there, until `over`; an end for any other reason lets everything begin again."""
        polling = self.polling
        try:
            while paths and not over.is_set():
                try:
                    for batch in self._changes(paths, recursive, polling, over):
                        self._note(batch, recursive)
                except WatchfilesRustInternalError as error:
                    paths = self._without_odd_names(str(error), paths, recursive)
            over.wait()
        except DatabaseError as error:
            logger.warning("a change could not be written down; everyone will be looked at: %s", error)
        except OSError as error:
            if polling:
                logger.warning("folders cannot be looked at: %s", error)
            else:
                logger.warning("folders cannot be watched (%s): looking every %d s", error, POLL_MS // 1000)
                self.polling = True
        finally:
            if not over.is_set():
                self._amiss.set()
            connection.close()

    def _note(self, batch: set[FileChange], recursive: bool) -> None:
        folders = self._folders
        if agents := frozenset[int]().union(*(folders.agents_of(path) for _, path in batch)):
            request_updates(agents)
        for change, path in batch:
            if change is Change.deleted:  # its watch died with it; it may be there again, under the same name
                self._watched.pop((path, int(recursive)), None)

    def _without_odd_names(self, error: str, paths: list[str], recursive: bool) -> list[str]:
        """The other folders, which are watched on at once; that of the name rests, and its agents are looked at now
        and after the rest."""
        found = _ODD_NAME.match(error)
        odd = [path for path in paths if found and f"{found[1]}/".startswith(f"{path}/")]
        if not odd:
            raise OSError(error)
        until = time.monotonic() + REST_SECONDS
        self._resting |= {(path, int(recursive)): until for path in odd}
        request_updates(frozenset().union(*(self._folders.agents_at((path, int(recursive))) for path in odd)))
        logger.warning("not watched for %d s, because of a name that is not UTF-8: %s", REST_SECONDS, ", ".join(odd))
        return [path for path in paths if path not in odd]

    def _changes(
        self, paths: list[str], recursive: bool, polling: bool, over: threading.Event
    ) -> Iterator[set[FileChange]]:
        return watch(
            *paths,
            watch_filter=lambda change, path: path in self._folders or matters(change, path),
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


class _Watch:
    """Some folders that are watched together, from when it is made until `end`."""

    def __init__(self, keys: list[Key], follow: Callable[[list[str], bool, threading.Event], None]) -> None:
        self.keys = keys
        self.over = threading.Event()
        kinds = (([path for path, deep in keys if deep == recursive], bool(recursive)) for recursive in (0, 1))
        self._threads = [
            threading.Thread(target=follow, args=(paths, recursive, self.over), daemon=True)
            for paths, recursive in kinds
            if paths
        ]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self.over.set()
        for thread in self._threads:
            thread.join()
