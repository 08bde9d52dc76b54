"""What the documents point at is there: links and anchors, commands, targets, options, addresses of the API."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import get_commands

from memory_appliance.settings.options import Options

ROOT = Path(__file__).resolve().parents[3]
DOCS = sorted(
    {*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("integrations/**/*.md"), ROOT / "bench/README.md"}
)

LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
HEADING = re.compile(r"^#+\s+(.*)$", re.M)

documents = pytest.mark.parametrize("document", DOCS, ids=lambda path: path.relative_to(ROOT).as_posix())


def _anchors(text: str) -> set[str]:
    """The anchors that a renderer makes of the headings: lower case, no punctuation, hyphens for spaces."""
    titles = (re.sub(r"[`*]", "", title).strip().lower() for title in HEADING.findall(FENCE.sub("", text)))
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


def _targets(document: Path) -> Iterator[str]:
    for pair in LINK.findall(FENCE.sub("", document.read_text())):
        yield next(target for target in pair if target)


def test_there_are_documents() -> None:
    assert len(DOCS) > 15 and ROOT / "README.md" in DOCS


@documents
def test_links_lead_somewhere(document: Path) -> None:
    for target in _targets(document):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        aim = (document.parent / name).resolve() if name else document
        assert aim.exists(), f"{target} is not there"
        if anchor and aim.suffix == ".md":
            assert anchor in _anchors(aim.read_text()), f"{target}: no such heading"


@documents
def test_commands_exist(document: Path) -> None:
    text = document.read_text()
    assert set(re.findall(r"manage\.py ([a-z]\w*)", text)) <= set(get_commands())
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    assert set(re.findall(r"`make ([a-z-]+)", text)) <= targets
    for module in re.findall(r"python -m ((?:bench|memory_appliance)[\w.]*\w)", text):
        assert importlib.util.find_spec(module), module


@documents
def test_files_that_are_named_exist(document: Path) -> None:
    for name in re.findall(
        r"`((?:tests|bench|search|agents|workers|ops|templates|scripts)/[\w/.-]+)`", document.read_text()
    ):
        assert (ROOT / name).exists(), name


@documents
def test_options_exist(document: Path) -> None:
    programs = (path for path in (ROOT / "integrations").rglob("*") if path.is_file() and path.suffix != ".md")
    clients = {
        name for path in programs for name in re.findall(r"MEMORY_[A-Z_]+[A-Z]", path.read_text(errors="ignore"))
    }
    known = {f"MEMORY_{name.upper()}" for name in Options.model_fields} | clients
    named = set(re.findall(r"`(MEMORY_[A-Z_]+[A-Z])", document.read_text()))
    assert {name.removesuffix("_FILE") for name in named} <= known


@documents
def test_addresses_of_the_api_exist(document: Path) -> None:
    """`GET /agents/{slug}/…` and `/api/v1/…` name a path of the contract; … and <> stand for anything."""
    paths = json.loads((ROOT / "docs/openapi.json").read_text())["paths"]
    known = {("openapi.json",)} | {
        tuple(re.sub(r"\{[^}]*\}", "{}", path).removeprefix("/api/v1").strip("/").split("/")) for path in paths
    }
    for written in re.findall(r"/api/v1(/[\w/{}<>.-]*[\w}>])", document.read_text()):
        parts = tuple(re.sub(r"\{[^}]*\}|<[^>]*>", "{}", part) for part in written.strip("/").split("/"))
        assert any(_fits(parts, path) for path in known), written


def _fits(parts: tuple[str, ...], path: tuple[str, ...]) -> bool:
    """Whether `parts` begins `path`, with a name in the place of a parameter."""
    return len(parts) <= len(path) and all(
        part == step or step == "{}" for part, step in zip(parts, path, strict=False)
    )
