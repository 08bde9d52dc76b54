"""download(): one file from a hub into the models folder: resumed, checked, and there whole or not at all."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from search.errors import Cancelled, ModelUnavailable
from search.runtime.checksums import note_verified, sha256_of
from search.sentences import sentence

SPARE_BYTES = 200 * 1024 * 1024
"""What must stay free on the disk beside the file."""

_BLOCK = 1 << 18
_TIMEOUT = httpx.Timeout(30.0, connect=10.0)
_SHA256 = re.compile(r'"?([0-9a-f]{64})"?')

ReportBytes = Callable[[int, int], None]
"""Bytes that are there, bytes in all (0: not known)."""


class _Interrupted(Exception):
    """The connection broke or the hub has a passing fault: the rest is asked for again."""


def download(
    url: str,
    target: Path,
    *,
    sha256: str | None,
    progress: ReportBytes = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Bring `url` to `target`. A part that is left of an earlier try is continued.

    Without a recorded `sha256` the one that the hub states is taken. Raises `ModelUnavailable` with what to do,
    `Cancelled` when asked to stop: what is there by then is kept for the next try.
    """
    part = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(part), httpx.Client(timeout=_TIMEOUT, follow_redirects=True) as client:
            stated = _fetch(client, url, part, progress, cancelled)
            _check(part, sha256 or stated)
            part.replace(target)
            _sync(target.parent)
        note_verified(target, sha256 or stated)
    except OSError as error:
        raise ModelUnavailable(
            sentence("cannot write {target}: {strerror}", target=target, strerror=error.strerror or error),
            hint=sentence("Check the folder's rights and the disk's space."),
        ) from error


def _fetch(
    client: httpx.Client, url: str, part: Path, progress: ReportBytes, cancelled: Callable[[], bool]
) -> str | None:
    tries = Retrying(
        retry=retry_if_exception_type(_Interrupted),
        wait=wait_exponential_jitter(multiplier=1, max=30),
        stop=stop_after_attempt(6),
        reraise=True,
    )
    try:
        return tries(_fetch_rest, client, url, part, progress, cancelled)
    except _Interrupted as error:
        raise ModelUnavailable(
            sentence("the download of {stem} does not go on: {error}", stem=part.stem, error=error),
            hint=sentence("Run it again later; what is there is kept. Or copy the file from elsewhere."),
        ) from error


def _fetch_rest(
    client: httpx.Client, url: str, part: Path, progress: ReportBytes, cancelled: Callable[[], bool]
) -> str | None:
    """Append what is missing; returns the checksum that the hub states, if it does."""
    have = part.stat().st_size if part.exists() else 0
    headers = {"Range": f"bytes={have}-"} if have else {}
    try:
        with client.stream("GET", url, headers={**headers, "Accept-Encoding": "identity"}) as answer:
            if answer.status_code == 416:
                part.unlink(missing_ok=True)
                raise _Interrupted("the part did not fit the file")
            _refuse(answer, url)
            resumed = answer.status_code == 206
            have = have if resumed else 0
            total = have + int(answer.headers.get("content-length", 0))
            _room_for(part, total - have)
            with part.open("ab" if resumed else "wb") as file:
                for block in answer.iter_bytes(_BLOCK):
                    file.write(block)
                    have += len(block)
                    progress(have, total)
                    if cancelled():
                        raise Cancelled(sentence("the download was cancelled; what is there is kept"))
                file.flush()
                os.fsync(file.fileno())
            return _stated_sha256(answer)
    except httpx.HTTPError as error:
        raise _Interrupted(f"{type(error).__name__} from {httpx.URL(url).host}") from error


def _refuse(answer: httpx.Response, url: str) -> None:
    host = httpx.URL(url).host
    if answer.status_code in (408, 425, 429) or answer.status_code >= 500:
        raise _Interrupted(f"{host} answered {answer.status_code}")
    if answer.status_code in (401, 403):
        raise ModelUnavailable(
            sentence("{host} wants an account for this file", host=host),
            hint=sentence("Accept its licence there, then copy {url}.", url=url),
        )
    if answer.status_code not in (200, 206):
        raise ModelUnavailable(
            sentence("{host} answered {status_code} for {url}", host=host, status_code=answer.status_code, url=url),
            hint=sentence("Check the name of the model."),
        )


def _room_for(part: Path, missing: int) -> None:
    free = shutil.disk_usage(part.parent).free
    if free < missing + SPARE_BYTES:
        raise ModelUnavailable(
            sentence(
                "{missing} MB are missing of {stem}, only {free} MB are free",
                missing=missing // 2**20,
                stem=part.stem,
                free=free // 2**20,
            ),
            hint=sentence(
                "Free some space in {parent}; {spare_bytes} MB must stay free.",
                parent=part.parent,
                spare_bytes=SPARE_BYTES // 2**20,
            ),
        )


def _stated_sha256(answer: httpx.Response) -> str | None:
    """Hubs that keep large files apart state their checksum, on the way or at the end."""
    for step in (*answer.history, answer):
        found = _SHA256.fullmatch(step.headers.get("x-linked-etag", ""))
        if found:
            return found.group(1)
    return None


def _check(part: Path, sha256: str | None) -> None:
    if sha256 is None:
        with part.open("rb") as file:
            if file.read(4) == b"GGUF":
                return
        part.unlink()
        raise ModelUnavailable(
            sentence("{stem} is no GGUF file", stem=part.stem), hint=sentence("Check the name of the model.")
        )
    found = sha256_of(part)
    if found != sha256:
        part.unlink()
        raise ModelUnavailable(
            sentence(
                "{stem} arrived damaged (sha256 {found}…, expected {sha256}…)",
                stem=part.stem,
                found=found[:12],
                sha256=sha256[:12],
            ),
            hint=sentence("Run the download again."),
        )


@contextmanager
def _alone(part: Path) -> Iterator[None]:
    """One download of a file at a time, across processes."""
    with part.with_name(part.name + ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ModelUnavailable(
                sentence("{stem} is being downloaded already", stem=part.stem), hint=sentence("Wait for that.")
            ) from error
        yield


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
