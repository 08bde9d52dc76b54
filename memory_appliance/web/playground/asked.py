"""Asked: what a search page is asked for, and the shortest address that asks for the same."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from agents.memory.reads import SearchParams
from memory_appliance.web.as_chat import AsChat
from search.spec import Corpus, Mode

MODES: tuple[Mode, ...] = ("search", "vsearch", "hybrid", "query")


@dataclass(frozen=True, slots=True)
class Asked:
    """Read from the form. None leaves a value to the agent's settings."""

    query: str
    modes: tuple[Mode, ...]
    collections: tuple[str, ...] = ()
    corpus: Corpus = "memory"
    limit: int | None = None
    min_score: float | None = None
    intent: str = ""
    abstain: bool = False
    explain: bool = False
    """Whether the arithmetic of every hit is open from the start; it is always there."""
    chat: AsChat = field(default_factory=AsChat)
    """Who searches: the person, or one of the agent's chats."""

    def params(self, mode: Mode, *, deadline_ms: int) -> SearchParams:
        return SearchParams(
            query=self.query,
            mode=mode,
            max_results=self.limit,
            min_score=self.min_score,
            collections=self.collections or None,
            corpus=self.corpus,
            citations="off",
            explain=True,
            abstain=self.abstain,
            intent=self.intent,
            deadline_ms=deadline_ms,
            counts=False,
        )

    def address(self, **changes: Any) -> str:
        """`?…` of this search with `changes`; what is empty is left out."""
        asked = replace(self, **changes)
        values = {
            "q": asked.query,
            "mode": asked.modes,
            "collection": asked.collections,
            "corpus": asked.corpus if asked.corpus != "memory" else "",
            "limit": asked.limit,
            "min_score": asked.min_score,
            "intent": asked.intent,
            "abstain": "on" if asked.abstain else "",
            "explain": "on" if asked.explain else "",
            "session": asked.chat.session_key,
            "chat_type": asked.chat.chat_type,
        }
        return "?" + urlencode(
            {name: value for name, value in values.items() if value not in ("", None, ())}, doseq=True
        )
