"""find_sources(): the memory files of one tool below a folder, each with the place it is copied to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agents.core.errors import Invalid
from agents.files.imports.tools import LAYOUTS, MEMORY_FOLDERS, Tool
from search.documents.contain import is_folder
from search.documents.scan import scan_collection
from search.sentences import sentence
from search.spec import CollectionSpec

MAX_FILES = 5_000


@dataclass(frozen=True, slots=True)
class Source:
    """`rel` below `base`; `target` is workspace-relative."""

    base: Path
    rel: str
    target: str


def find_sources(tool: Tool, folder: Path) -> tuple[list[Source], list[tuple[str, str]]]:
    """The files, and what was skipped as (path, why). Raises `Invalid` when there is no memory of the tool."""
    layout = LAYOUTS[tool]
    sources: list[Source] = []
    skipped: list[tuple[str, str]] = []
    for below in layout.bases:
        base = folder / below
        if not is_folder(base):
            continue
        whole = base.name in MEMORY_FOLDERS or bool(layout.marker and (base / layout.marker).is_file())
        patterns = ("**/*.md",) if whole else layout.patterns
        scan = scan_collection(CollectionSpec("import", base, patterns, layout.ignore))
        skipped += [(f"{below}/{problem.path}".lstrip("/"), problem.problem) for problem in scan.problems]
        sources += [Source(base, found.rel, _target(tool, below, found.rel)) for found in scan.files]
    if not sources and not skipped:
        raise Invalid(
            sentence("There is no memory of {tool} in {folder}.", tool=tool, folder=folder),
            hint=sentence(
                "Looked for {patterns}; a folder named memory is taken as a whole.", patterns=", ".join(layout.patterns)
            ),
            field="path",
        )
    if len(sources) > MAX_FILES:
        raise Invalid(
            sentence(
                "{folder} holds {count:,} files; one import takes {max_files:,}.",
                folder=folder,
                count=len(sources),
                max_files=MAX_FILES,
            ),
            hint=sentence("Import its subfolders one by one."),
            field="path",
        )
    return sources, skipped


def _target(tool: Tool, below: str, rel: str) -> str:
    """Under its own path, without the dots that would hide it from the index."""
    parts = [part.lstrip(".") for part in (*below.split("/"), *rel.split("/"))]
    return "/".join(("memory", "imports", tool, *(part for part in parts if part)))
