"""Every regular expression of the product, and for each the texts that make a backtracking matcher turn."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

PACKAGES = ("search", "agents", "workers", "memory_appliance")
_NOT_IMPORTED = ("migrations", "__main__", "memory_appliance.wsgi", "memory_appliance.launch.one")
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_PLAIN = "a1 A_-.\n\"'`<[(:=/天ก"


def all_patterns() -> dict[str, re.Pattern[Any]]:
    """By the name of the first place that holds it: module constants, also those in containers and cached values."""
    found: dict[int, tuple[str, re.Pattern[Any]]] = {}
    for module in _modules():
        for name, value in vars(module).items():
            place = f"{module.__name__}.{name}"
            for pattern in _inside(_called(value, module.__name__), depth=4):
                found.setdefault(id(pattern), (place, pattern))
    names: dict[str, re.Pattern[Any]] = {}
    for place, pattern in found.values():
        number = sum(name.split("#")[0] == place for name in names)
        names[f"{place}#{number}" if number else place] = pattern
    return names


def _modules() -> Iterator[Any]:
    for package in PACKAGES:
        for info in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not any(part in info.name for part in _NOT_IMPORTED):
                yield importlib.import_module(info.name)


def _called(value: Any, module: str) -> Any:
    """What a cached function without arguments holds: languages are read from data files on the first use."""
    if hasattr(value, "cache_info") and value.__module__ == module and not value.__wrapped__.__code__.co_argcount:
        return value()
    return value


def _inside(value: Any, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict):
        for item in value.values():
            yield from _inside(item, depth - 1)
    elif depth and isinstance(value, tuple | list | set | frozenset):
        for item in value:
            yield from _inside(item, depth - 1)
    elif depth and hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        for name in value.__dataclass_fields__:
            yield from _inside(getattr(value, name, None), depth - 1)


def worst_shapes(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str]]:
    """(what comes once, what is repeated): pieces of the pattern itself, openings without an end among them."""
    text = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
    tree = list(parser.parse(text, pattern.flags & ~re.LOCALE))
    pieces = dict.fromkeys(piece for piece in _pieces(tree) if piece)
    shapes: dict[tuple[str, str], None] = {("", char): None for char in _PLAIN}
    for before, piece in pieces:
        shapes[(before, piece)] = None
        shapes[("", before + piece)] = None
        shapes[("", piece + " ")] = None
        shapes[("", before + piece + "\n")] = None
    whole = _sample(tree)
    for cut in range(1, min(len(whole), 40)):
        shapes[("", whole[:cut])] = None
    yield from shapes


def _pieces(tree: Iterable[Any], before: str = "") -> Iterator[tuple[str, str]]:
    """(sample of what comes before, sample of what is repeated) of every repeat in the tree."""
    for operator, argument in tree:
        if operator in _REPEATS:
            _, high, inner = argument
            if high is sre.MAXREPEAT or high > 16:
                for sample in _samples(inner):
                    yield before, sample
            yield from _pieces(inner, before)
        elif operator is sre.BRANCH:
            for branch in argument[1]:
                yield from _pieces(branch, before)
        elif operator is sre.SUBPATTERN:
            yield from _pieces(argument[-1], before)
        elif operator in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _pieces(argument[1], before)
        elif operator is sre.ATOMIC_GROUP:
            yield from _pieces(argument, before)
        before = (before + _sample([(operator, argument)]))[-40:]


def _samples(tree: Iterable[Any]) -> Iterator[str]:
    yield _sample(tree)
    for operator, argument in tree:
        if operator is sre.IN:
            yield from dict.fromkeys(_of_class(argument))
        elif operator in (sre.ANY, sre.NOT_LITERAL):
            yield "a"
            yield " "


def _sample(tree: Iterable[Any]) -> str:
    """A short text that the tree would match, nearly."""
    text = ""
    for operator, argument in tree:
        if operator is sre.LITERAL:
            text += chr(argument)
        elif operator is sre.NOT_LITERAL:
            text += "a" if argument != ord("a") else "b"
        elif operator is sre.ANY:
            text += "a"
        elif operator is sre.IN:
            text += next(iter(_of_class(argument)), "a")
        elif operator in _REPEATS:
            low, _, inner = argument
            text += _sample(inner) * max(1, min(low, 8))
        elif operator is sre.BRANCH:
            text += _sample(argument[1][0])
        elif operator is sre.SUBPATTERN:
            text += _sample(argument[-1])
        elif operator is sre.ATOMIC_GROUP:
            text += _sample(argument)
        elif operator is sre.GROUPREF:
            text += "a"
    return text


def _of_class(items: Iterable[Any]) -> list[str]:
    items = list(items)
    if items and items[0][0] is sre.NEGATE:
        taken = re.compile(f"[{''.join(re.escape(char) for char in _of_class(items[1:]))}]") if len(items) > 1 else None
        return [char for char in _PLAIN if taken is None or not taken.match(char)][:3]
    found: list[str] = []
    for operator, argument in items:
        if operator is sre.LITERAL:
            found.append(chr(argument))
        elif operator is sre.RANGE:
            found.append(chr(argument[0]))
        elif operator is sre.CATEGORY:
            found.append({sre.CATEGORY_DIGIT: "1", sre.CATEGORY_SPACE: " ", sre.CATEGORY_WORD: "a"}.get(argument, "-"))
    return found
