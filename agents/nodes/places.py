"""Where the parts of an agent lie on a node: now, while they come in, and when they have been put aside.

```
<data>/workspaces/<agent>            transcripts/<agent>            history/<agent>            indexes/<agent>.sqlite
<data>/workspaces/.moving/<agent>-7  transcripts/.moving/<agent>-7  history/.moving/<agent>-7  indexes/.moving/<agent>-7
<data>/workspaces/.moved/<agent>-7   transcripts/.moved/<agent>-7   history/.moved/<agent>-7
```

Always on the disk of the final place, so that taking it is one rename.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agents.models import Agent
from agents.paths import data_dir, default_workspace, index_path

INDEX = "index"
FOLDERS = ("workspace", "transcripts", "history")
"""The truth; the index is derived and goes along because its vectors may have cost hours."""
INDEX_FILE = "index.sqlite"


@dataclass(frozen=True, slots=True)
class Place:
    """`final` is a folder, or the index file."""

    root: str
    final: Path
    incoming: Path
    aside: Path


def places(slug: str, move: int) -> dict[str, Place]:
    """The parts by their names, as this node would hold them."""
    finals = {
        "workspace": default_workspace(slug),
        "transcripts": data_dir() / "transcripts" / slug,
        "history": data_dir() / "history" / slug,
        INDEX: index_path(slug),
    }
    name = f"{slug}-{move}"
    return {
        root: Place(root, final, final.parent / ".moving" / name, final.parent / ".moved" / name)
        for root, final in finals.items()
    }


def source_roots(agent: Agent, move: int) -> dict[str, Path]:
    """Where the parts are read on the node that has them: the index as the copy that was made for this move."""
    here = places(agent.slug, move)
    return {
        "workspace": Path(agent.workspace),
        "transcripts": here["transcripts"].final,
        "history": here["history"].final,
        INDEX: here[INDEX].incoming,
    }
