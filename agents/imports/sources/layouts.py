"""Claude Code, Codex and OpenClaw: memory files in known places of a folder, copied under their own paths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from agents.core.errors import Invalid
from agents.imports.found import Document, Found, LeftOut
from agents.imports.given import Given
from agents.workspace.reading import MAX_BYTES
from search.documents.contain import is_folder, read_inside
from search.documents.scan import scan_collection
from search.sentences import sentence
from search.spec import CollectionSpec

MEMORY_FOLDERS = frozenset({"memory", "memories"})
"""A folder of this name is nothing but memory, whichever tool it belongs to."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A `Source`. `bases` are tried below the folder that is given, "" being that folder itself; patterns are relative
    to one.

    `marker`: a file at the top of a folder that holds nothing but memory. Such a folder is taken as a whole.
    """

    title: str
    bases: tuple[str, ...]
    patterns: tuple[str, ...]
    ignore: tuple[str, ...] = ()
    marker: str = "MEMORY.md"

    def __call__(self, given: Given) -> Iterator[Found]:
        if not is_folder(given.path):
            raise Invalid(
                sentence("{path} is not a folder.", path=given.path),
                hint=sentence("{title} keeps its memory in a folder; name that one.", title=self.title),
                field="path",
            )
        found = False
        for below in self.bases:
            base = given.path / below
            if not is_folder(base):
                continue
            whole = base.name in MEMORY_FOLDERS or bool(self.marker and (base / self.marker).is_file())
            patterns = ("**/*.md",) if whole else self.patterns
            scan = scan_collection(CollectionSpec("import", base, patterns, self.ignore))
            for problem in scan.problems:
                yield LeftOut(f"{below}/{problem.path}".lstrip("/"), problem.problem)
            for file in scan.files:
                name = f"{below}/{file.rel}".lstrip("/")
                yield Document(name, _visible(name), partial(read_inside, base, file.rel, MAX_BYTES))
            found = found or bool(scan.files or scan.problems)
        if not found:
            raise Invalid(
                sentence("There is no memory of {tool} in {folder}.", tool=self.title, folder=given.path),
                hint=sentence(
                    "Looked for {patterns}; a folder named memory is taken as a whole.",
                    patterns=", ".join(self.patterns),
                ),
                field="path",
            )


def _visible(name: str) -> str:
    """Its own path, without the dots that would hide it from the index."""
    return "/".join(part for part in (part.lstrip(".") for part in name.split("/")) if part)


claude_code = Layout(
    "Claude Code",
    ("", ".claude"),
    ("CLAUDE.md", "CLAUDE.local.md", "rules/**/*.md", "memory/**/*.md", "projects/*/memory/**/*.md"),
)
codex = Layout(
    "Codex",
    ("", ".codex"),
    ("AGENTS.md", "AGENTS.override.md", "memories/**/*.md", "memory/**/*.md"),
)
# A workspace has a MEMORY.md too, among files that are no memory. Its diary and reports are the machine's own.
openclaw = Layout(
    "OpenClaw",
    ("", "workspace", ".openclaw/workspace"),
    ("MEMORY.md", "memory.md", "USER.md", "users/*/USER.md", "memory/**/*.md"),
    ignore=("memory/dreaming/**",),
    marker="",
)
