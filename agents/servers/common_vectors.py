"""CommonVectors: what one server has embedded, for all servers, in the control database they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from agents.models import Agent, Embedding
from search.spec import PackedText


@dataclass(frozen=True, slots=True)
class CommonVectors:
    """Of one agent. `shares`: it gives its vectors to other agents that do the same, and takes theirs."""

    agent: int
    shares: bool

    def fetch(self, fingerprint: str, digests: Sequence[bytes]) -> list[PackedText]:
        readable = Q(agent=self.agent)
        if self.shares:
            readable |= Q(agent__settings__share_vectors=True)
        rows = Embedding.objects.filter(readable, fingerprint=fingerprint, hash__in=digests)
        found = rows.values_list("hash", "parts", "version", "bits").iterator()
        return [PackedText(bytes(key), bytes(parts), version, _bytes(bits)) for key, parts, version, bits in found]

    def keep(self, fingerprint: str, rows: Sequence[PackedText]) -> None:
        made = (Embedding(agent_id=self.agent, fingerprint=fingerprint, **row._asdict()) for row in rows)
        Embedding.objects.bulk_create(
            made,
            update_conflicts=True,
            unique_fields=["agent", "fingerprint", "hash"],
            update_fields=["parts", "version", "bits"],
        )

    def drop(self, digests: Sequence[bytes]) -> None:
        Embedding.objects.filter(agent=self.agent, hash__in=digests).delete()


def _bytes(value: bytes | memoryview | None) -> bytes | None:
    return None if value is None else bytes(value)


def forget_vectors(agent: Agent) -> None:
    Embedding.objects.filter(agent=agent).delete()
