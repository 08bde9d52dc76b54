"""An Obsidian vault, as a folder or zipped: notes as they are, `[[wikilinks]]` and properties with them."""

from __future__ import annotations

from collections.abc import Iterator

from agents.imports.found import Found
from agents.imports.given import Given
from agents.imports.vault import notes
from search.sentences import sentence


def read(given: Given) -> Iterator[Found]:
    yield from notes(given, "Obsidian", sentence("Name the vault's folder (it holds .obsidian), or a zip file of it."))
