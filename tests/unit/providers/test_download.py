"""Downloads are resumed, checked, and there whole or not at all."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest
import tenacity

from search.errors import Cancelled, ModelUnavailable
from search.runtime import download as downloads
from search.runtime.checksums import known_sha256
from search.runtime.download import download
from tests.unit.providers.hub import Hub, hub_with

CONTENT = b"GGUF" + bytes(range(256)) * 12_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def hub() -> Iterator[Hub]:
    with hub_with(CONTENT) as served:
        yield served


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "wait_exponential_jitter", lambda **_: tenacity.wait_none())


def test_a_file_arrives_whole_through_a_redirect_with_its_progress(hub: Hub, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    target = tmp_path / "models" / "m.gguf"
    download(f"{hub.url}/m.gguf", target, sha256=SHA256, progress=lambda done, total: seen.append((done, total)))
    assert target.read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert {path.name for path in target.parent.iterdir()} == {"m.gguf", "m.gguf.ok", "m.gguf.part.lock"}
    assert known_sha256(target) == SHA256


def test_a_broken_connection_is_continued_where_it_broke(hub: Hub, tmp_path: Path) -> None:
    hub.cut_after = [1_000_000, 500_000]
    download(f"{hub.url}/m.gguf", tmp_path / "m.gguf", sha256=SHA256)
    ranges = [wanted for _, wanted in hub.asked]
    assert ranges[0] == "" and len(ranges) == 3
    assert all(wanted.startswith("bytes=") and wanted != "bytes=0-" for wanted in ranges[1:])


def test_a_part_of_an_earlier_try_is_continued(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "m.gguf.part").write_bytes(CONTENT[:70_000])
    download(f"{hub.url}/m.gguf", tmp_path / "m.gguf", sha256=SHA256)
    assert hub.asked[0][1] == "bytes=70000-"
    assert (tmp_path / "m.gguf").read_bytes() == CONTENT


def test_a_part_longer_than_the_file_is_thrown_away(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "m.gguf.part").write_bytes(CONTENT + b"more")
    download(f"{hub.url}/m.gguf", tmp_path / "m.gguf", sha256=SHA256)
    assert (tmp_path / "m.gguf").read_bytes() == CONTENT


def test_a_cancelled_download_keeps_what_is_there_and_goes_on_later(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        download(f"{hub.url}/m.gguf", tmp_path / "m.gguf", sha256=SHA256, cancelled=lambda: True)
    there = (tmp_path / "m.gguf.part").stat().st_size
    assert 0 < there < len(CONTENT)
    download(f"{hub.url}/m.gguf", tmp_path / "m.gguf", sha256=SHA256)
    assert hub.asked[1][1] == f"bytes={there}-"


def test_a_damaged_file_never_arrives(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="arrived damaged"):
        download(f"{hub.url}/m.gguf", tmp_path / "m.gguf", sha256="0" * 64)
    assert not (tmp_path / "m.gguf").exists() and not (tmp_path / "m.gguf.part").exists()


def test_the_checksum_that_the_hub_states_counts_where_none_is_recorded(hub: Hub, tmp_path: Path) -> None:
    hub.stated = "f" * 64
    with pytest.raises(ModelUnavailable, match="arrived damaged"):
        download(f"{hub.url}/m.gguf", tmp_path / "m.gguf", sha256=None)
    hub.stated = SHA256
    download(f"{hub.url}/m.gguf", tmp_path / "m.gguf", sha256=None)
    assert known_sha256(tmp_path / "m.gguf") == SHA256


def test_a_page_is_not_taken_for_a_model(hub: Hub, tmp_path: Path) -> None:
    hub.content = b"<html>sign in</html>"
    with pytest.raises(ModelUnavailable, match="no GGUF file"):
        download(f"{hub.url}/m.gguf", tmp_path / "m.gguf", sha256=None)


@pytest.mark.parametrize(
    ("status", "words"), [(404, "answered 404"), (401, "wants an account"), (403, "wants an account")]
)
def test_a_refusal_is_not_tried_again(hub: Hub, tmp_path: Path, status: int, words: str) -> None:
    hub.statuses = [status] * 9
    with pytest.raises(ModelUnavailable, match=words):
        download(f"{hub.url}/m.gguf", tmp_path / "m.gguf", sha256=SHA256)
    assert len(hub.asked) == 1


def test_passing_faults_are_sat_out(hub: Hub, tmp_path: Path) -> None:
    hub.statuses = [503, 429, 500]
    download(f"{hub.url}/m.gguf", tmp_path / "m.gguf", sha256=SHA256)
    assert (tmp_path / "m.gguf").read_bytes() == CONTENT


def test_without_a_network_it_says_so_and_keeps_nothing_half(hub: Hub, tmp_path: Path) -> None:
    hub.stop()
    with pytest.raises(ModelUnavailable, match="does not go on") as error:
        download(f"{hub.url}/m.gguf", tmp_path / "m.gguf", sha256=SHA256)
    assert "copy the file" in error.value.hint
    assert not (tmp_path / "m.gguf").exists()


def test_a_full_disk_is_noticed_before_it_is_full(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**9, 10**9, 150 * 2**20))
    with pytest.raises(ModelUnavailable, match="150 MB are free"):
        download(f"{hub.url}/m.gguf", tmp_path / "m.gguf", sha256=SHA256)


def test_two_downloads_of_one_file_do_not_mix(hub: Hub, tmp_path: Path) -> None:
    with (tmp_path / "m.gguf.part.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ModelUnavailable, match="being downloaded already"):
            download(f"{hub.url}/m.gguf", tmp_path / "m.gguf", sha256=SHA256)
    assert not hub.asked
