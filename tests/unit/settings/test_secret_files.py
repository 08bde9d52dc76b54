"""A secret in a file is what a person typed there, whatever the editor put around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_appliance.settings.secret_files import secret_from_file, secret_from_folder

SECRET = "correct horse-42 é"


@pytest.mark.parametrize(
    "data",
    [
        SECRET.encode(),
        f"{SECRET}\n".encode(),
        f"{SECRET}\r\n".encode(),
        f"  {SECRET}\t\n\n".encode(),
        f"\ufeff{SECRET}\r\n".encode(),
        f"{SECRET}\r\n".encode("utf-16"),
        b"\xfe\xff" + f"{SECRET}\n".encode("utf-16-be"),
        f"\n\ufeff{SECRET}".encode(),
    ],
)
def test_marks_and_line_ends_are_no_part_of_it(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "memory_x"
    path.write_bytes(data)
    assert secret_from_file("MEMORY_X", {"MEMORY_X_FILE": str(path)}) == SECRET
    assert secret_from_folder("MEMORY_X", {}, tmp_path) == SECRET


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf\r\n", b"\xff\xfe", b"\x80\x81", b"\xff\xfea"])
def test_what_holds_no_secret_is_refused_by_name(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="MEMORY_X_FILE"):
        secret_from_file("MEMORY_X", {"MEMORY_X_FILE": str(path)})
