"""The `_FILE` twin of a secret: its value is read from the file that the twin names."""

from __future__ import annotations

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
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        value = data.decode().strip()
    except OSError as error:
        raise ValueError(f"{name}_FILE: cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{name}_FILE: {path} is not UTF-8 text.") from error
    if not value:
        raise ValueError(f"{name}_FILE: {path} is empty.")
    if len(data) > MAX_BYTES:
        raise ValueError(f"{name}_FILE: {path} is larger than {MAX_BYTES} bytes.")
    return value
