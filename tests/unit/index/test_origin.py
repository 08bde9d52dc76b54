"""Origins: least trusted line, kept outside the text, following the record and the collection's default."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest

from search.documents.origin import least_trusted, line_digest
from search.index.update import update_index
from search.pipeline import search
from search.spec import IndexSpec, Origin, SearchRequest
from tests.engine import Workspace


def update(spec: IndexSpec) -> None:
    update_index(spec, identity=None, progress=lambda _: None, cancelled=lambda: False)


def with_origins(spec: IndexSpec, written: dict[str, Origin], **values: object) -> IndexSpec:
    records = {line_digest(line): origin for line, origin in written.items()}

    def recorded(digests: Collection[bytes]) -> dict[bytes, Origin]:
        return {digest: records[digest] for digest in digests if digest in records}

    first, *others = spec.collections
    return replace(spec, collections=(replace(first, recorded=recorded, **values), *others))  # type: ignore[arg-type]


def origin_of(spec: IndexSpec, query: str) -> str:
    return search(spec, SearchRequest(query, mode="search", min_score=0), None).results[0].origin


def test_a_line_without_a_record_is_the_collections(tmp_path: Path) -> None:
    space = Workspace(tmp_path)
    space.write("MEMORY.md", "- The boiler is serviced in May.\n")
    update(with_origins(space.spec, {}))
    assert origin_of(space.spec, "boiler") == "owner"


def test_a_recorded_line_keeps_its_origin_wherever_it_stands(tmp_path: Path) -> None:
    space = Workspace(tmp_path)
    space.write("memory/moved.md", "Some text.\n\n- The boiler is serviced in May.\n")
    update(with_origins(space.spec, {"- The boiler is serviced in May.": "untrusted"}))
    assert origin_of(space.spec, "boiler") == "untrusted"


def test_only_the_entries_with_the_line_take_its_origin(tmp_path: Path) -> None:
    space = Workspace(tmp_path)
    space.write("MEMORY.md", "- The boiler is serviced in May.\n- The fridge hums.\n")
    update(with_origins(space.spec, {"- The fridge hums.": "agent"}))
    assert (origin_of(space.spec, "boiler"), origin_of(space.spec, "fridge")) == ("owner", "agent")


@pytest.mark.parametrize("name", ["DREAMS.md", "memory/dreaming/deep/2026-01-01.md"])
def test_the_diary_is_the_appliances_own(tmp_path: Path, name: str) -> None:
    space = Workspace(tmp_path)
    space.write(name, "The boiler hummed in my dream.\n")
    spec = replace(space.spec, collections=(replace(space.spec.collections[0], patterns=("**/*.md",)),))
    update(spec)
    results = search(spec, SearchRequest("boiler", mode="search", min_score=0), None).results
    assert [hit.origin for hit in results] == ["system"]


def test_a_new_default_reaches_files_that_did_not_change(tmp_path: Path) -> None:
    space = Workspace(tmp_path)
    space.write("MEMORY.md", "- The boiler is serviced in May.\n")
    update(with_origins(space.spec, {}))
    update(with_origins(space.spec, {}, origin="untrusted"))
    assert origin_of(space.spec, "boiler") == "untrusted"


def test_the_least_trusted_counts_and_none_is_untrusted() -> None:
    assert least_trusted(["owner", "agent"]) == "agent"
    assert least_trusted(["untrusted", "owner"]) == "untrusted"
    assert least_trusted([]) == "untrusted"


@pytest.mark.parametrize("line", ["", "---", "- ok", "  \t", "## 1."])
def test_a_line_that_says_nothing_is_nobodys(line: str) -> None:
    assert line_digest(line) is None
