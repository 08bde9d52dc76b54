"""Early warning: which curated files come near the size at which a new chat no longer gets all of them."""

from __future__ import annotations

from pathlib import Path

from agents.context.budget import NEAR_LIMIT, Budgets
from agents.core.agent_settings import read_settings
from agents.indexes.specs import CURATED
from agents.models import Agent
from agents.workspace.reading import MAX_BYTES
from search.documents.answering import answering
from search.documents.contain import FileTooLarge, PathNotAllowed, read_inside
from search.documents.lines import decode
from search.sentences import sentence


def near_limit(path: str, chars: int, budgets: Budgets) -> str:
    """One sentence from 85 % of the file's budget up to the budget itself; beyond it the cut is announced instead."""
    budget = budgets.of_file(path)
    if not NEAR_LIMIT * budget <= chars <= budget:
        return ""
    return sentence(
        "{path} has {chars:,} of {budget:,} characters; beyond that new chats get only a part. Shorten it.",
        path=path,
        chars=chars,
        budget=budget,
    )


def near_limits(agent: Agent) -> list[str]:
    """A sentence for each curated file that is near its limit or over it: for notes, the status and the web admin.

    Asks no database, and reads only files that have enough bytes to matter.
    """
    budgets = Budgets.of(read_settings(agent))
    sentences = []
    for path in CURATED:
        budget = budgets.of_file(path)
        chars = _chars(Path(agent.workspace), path, at_least=int(NEAR_LIMIT * budget))
        if chars > budget:
            sentences.append(
                sentence(
                    "{path} has {chars:,} characters; new chats get {budget:,} of them. Shorten it.",
                    path=path,
                    chars=chars,
                    budget=budget,
                )
            )
        elif warning := near_limit(path, chars, budgets):
            sentences.append(warning)
    return sentences


def _chars(root: Path, name: str, *, at_least: int) -> int:
    """Characters of the file; 0 when it has fewer bytes than `at_least`, or cannot be read (the index says why)."""
    try:
        with answering(root):
            if (root / name).lstat().st_size < at_least:
                return 0
        return len(decode(read_inside(root, name, MAX_BYTES))[0])
    except (OSError, ValueError, PathNotAllowed, FileTooLarge):
        return 0
