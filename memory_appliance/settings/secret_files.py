"""Secrets in files: the `_FILE` twin of a secret names one, and MEMORY_SECRETS_DIR a folder with one for each."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from pathlib import Path

MAX_BYTES = 64 * 1024


def secret_from_file(name: str, environ: Mapping[str, str]) -> str | None:
    """The text of the file that `<name>_FILE` names, without the blanks around it; None when it is not set.

    Raises ValueError, one line for the owner, when `name` is set as well or the file cannot be used.
    """
    path = environ.get(f"{name}_FILE", "").strip()
    if not path:
        return None
    if environ.get(name, "").strip():
        raise ValueError(f"{name} and {name}_FILE are both set; keep one of them.")
    return _read(f"{name}_FILE", Path(path))


def secret_from_folder(name: str, environ: Mapping[str, str], folder: Path) -> str | None:
    """The text of the file in `folder` that has the option's name in small letters; None when there is none.

    Raises ValueError, one line for the owner, when the secret is also set elsewhere or the file cannot be used.
    """
    path = folder / name.lower()
    try:
        path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ValueError(f"MEMORY_SECRETS_DIR: cannot read {path}: {error.strerror}.") from error
    for other in (name, f"{name}_FILE"):
        if environ.get(other, "").strip():
            raise ValueError(f"{other} is set and there is {path} as well; keep one of them.")
    return _read("MEMORY_SECRETS_DIR", path)


def _text(data: bytes) -> str:
    """Editors on Windows begin a file with a byte order mark, and some write UTF-16. Raises UnicodeDecodeError."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16")
    return data.decode("utf-8-sig")


def _read(option: str, path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        value = _text(data).strip("\ufeff \t\r\n\v\f\0")
    except OSError as error:
        raise ValueError(f"{option}: cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{option}: {path} is neither UTF-8 nor UTF-16 text.") from error
    if not value:
        raise ValueError(f"{option}: {path} is empty.")
    if len(data) > MAX_BYTES:
        raise ValueError(f"{option}: {path} is larger than {MAX_BYTES} bytes.")
    return value
