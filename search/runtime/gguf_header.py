"""read_header(): what a GGUF file says of itself, read from its first kilobytes, without any model library."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from search.errors import ModelUnavailable
from search.runtime.presets import Pooling
from search.sentences import sentence

_SCALARS: Mapping[int, str] = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
_STRING, _ARRAY = 8, 9
_POOLINGS: Mapping[int, Pooling] = {0: "none", 1: "mean", 2: "cls", 3: "last", 4: "rank"}
_MOST_KEYS = 10_000
_LONGEST_STRING = 1 << 20
_HEADER_BYTES = 256 << 20
_RANKING_TENSORS = (b"cls.weight", b"cls.output.weight")


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """`dims` is the width of the model; `pooling` is "none" where the file does not say."""

    architecture: str
    name: str
    context: int
    dims: int
    pooling: Pooling


def read_header(path: Path) -> GgufHeader:
    """Raises `ModelUnavailable` when there is no such file, or it is none of this format, or cut off too early."""
    try:
        with path.open("rb") as file:
            values = _values(file)
    except OSError as error:
        raise ModelUnavailable(
            sentence("cannot read {path}: {strerror}", path=path, strerror=error.strerror),
            hint=sentence("Check the path."),
        ) from error
    except (struct.error, ValueError) as error:
        raise ModelUnavailable(
            sentence("{name} is no GGUF file, or it is damaged", name=path.name),
            hint=sentence("Download it again; GGUF is the only format."),
        ) from error
    architecture = str(values.get("general.architecture", ""))
    return GgufHeader(
        architecture=architecture,
        name=str(values.get("general.name", "")),
        context=_number(values, f"{architecture}.context_length"),
        dims=_number(values, f"{architecture}.embedding_length"),
        pooling=_POOLINGS.get(_number(values, f"{architecture}.pooling_type"), "none"),
    )


def _number(values: Mapping[str, Any], name: str) -> int:
    value = values.get(name, 0)
    return value if isinstance(value, int) else 0


def _values(file: BinaryIO) -> dict[str, Any]:
    """Up to the tokenizer, whose lists are long and come after the model's own values."""
    magic, version, _, count = struct.unpack("<4sIQQ", file.read(24))
    if magic != b"GGUF" or not 2 <= version <= 3 or count > _MOST_KEYS:
        raise ValueError("not a GGUF file")
    values: dict[str, Any] = {}
    for _ in range(count):
        name = _string(file)
        if name.startswith("tokenizer."):
            break
        values[name] = _value(file, *struct.unpack("<I", file.read(4)))
    return values


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _string(file)
    if kind == _ARRAY:
        item, length = struct.unpack("<IQ", file.read(12))
        if length > _MOST_KEYS:
            raise ValueError("a list that is too long")
        return [_value(file, item) for _ in range(length)]
    code = _SCALARS.get(kind)
    if code is None:
        raise ValueError("an unknown type of value")
    return struct.unpack(code, file.read(struct.calcsize(code)))[0]


def _string(file: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", file.read(8))
    if length > _LONGEST_STRING:
        raise ValueError("a text that is too long")
    data = file.read(length)
    if len(data) != length:
        raise ValueError("the file ends too early")
    return data.decode("utf-8", "replace")


def can_rank(path: Path) -> bool:
    """Whether the file has the tensors of a ranking head: llama.cpp must not be asked to rank without them."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return any(
            content.find(struct.pack("<Q", len(name)) + name, 0, _HEADER_BYTES) >= 0 for name in _RANKING_TENSORS
        )
