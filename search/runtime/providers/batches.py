"""Texts in portions a provider takes: long texts cut into parts, parts packed into batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def weight(text: str) -> int:
    """UTF-8 bytes: never fewer than the tokens of any tokenizer in use."""
    return len(text.encode("utf-8", "replace"))


def parts(text: str, limit: int) -> list[str]:
    """`text` in as few pieces of nearly equal size as `limit` bytes each allow, never inside a character.

    Lone surrogates, which no JSON may carry, become question marks; a blank text becomes a dash, because vendors
    refuse empty ones.
    """
    data = (text if text.strip() else "-").encode("utf-8", "replace")
    count = -(-len(data) // limit)
    step = -(-len(data) // count)
    pieces, start = [], 0
    while start < len(data):
        end = min(start + step, len(data))
        while end < len(data) and data[end] & 0xC0 == 0x80 and end > start + 1:
            end -= 1
        pieces.append(data[start:end].decode("utf-8", "ignore"))
        start = end
    return pieces


def batches(texts: Sequence[str], *, most_weight: int, most_texts: int) -> Iterator[list[str]]:
    """Consecutive texts, packed; a text heavier than the limit goes alone."""
    batch: list[str] = []
    total = 0
    for text in texts:
        size = weight(text)
        if batch and (len(batch) == most_texts or total + size > most_weight):
            yield batch
            batch, total = [], 0
        batch.append(text)
        total += size
    if batch:
        yield batch
