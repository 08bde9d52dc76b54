"""Asked: what a search page is asked for, and the shortest address that asks for the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from agents.actors import Actor, Caller
from agents.memory import SearchParams
from agents.sessions import Session
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
    session_key: str = ""
    chat_type: str = ""

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

    @property
    def session(self) -> Session | None:
        """The chat to search as; None for the person's own search."""
        if not (self.session_key or self.chat_type):
            return None
        return Session(key=self.session_key or None, chat_type=self.chat_type or None)

    def caller(self, person: Actor) -> Caller:
        """A chat that is named by its key is let in by the rules alone, as a gateway's would be."""
        return Caller(person, trusted=not self.session_key)

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
            "session": asked.session_key,
            "chat_type": asked.chat_type,
        }
        return "?" + urlencode(
            {name: value for name, value in values.items() if value not in ("", None, ())}, doseq=True
        )
