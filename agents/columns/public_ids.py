"""Ids as answers show them: whole numbers below 2**53 that say nothing of what other agents do.

A row's own number counts all rows of all agents: its gaps would tell one agent how much the others ask and work.

| of | public id |
|---|---|
| a recall event | its number within the agent, 1, 2, 3 … |
| a run | the agent's veiled number, then the run's number within the agent: consecutive runs have consecutive ids |
| a key, an audit line | the row's number, veiled |

Veiled: permuted by the server's secret key (a Feistel network): it can be taken back, and nothing can be counted.
"""

from __future__ import annotations

import hashlib
from typing import Final

from django.conf import settings

ROW_BITS: Final = 52
AGENT_BITS: Final = 26
RUN_BITS: Final = 26
_ROUNDS = 8


def veiled(kind: str, number: int, bits: int = ROW_BITS) -> int:
    """`number` in 0 … 2**bits - 1 under another name of the same range; `kind` keeps tables apart."""
    left, right = divmod(number, 1 << bits // 2)
    for step in range(_ROUNDS):
        left, right = right, left ^ _mixed(kind, step, right, bits // 2)
    return left << bits // 2 | right


def unveiled(kind: str, public: int, bits: int = ROW_BITS) -> int:
    """What `veiled` was given; of a number that it never gave, one that no row has. -1 beyond the range."""
    if not 0 <= public < 1 << bits:
        return -1
    left, right = divmod(public, 1 << bits // 2)
    for step in reversed(range(_ROUNDS)):
        left, right = right ^ _mixed(kind, step, left, bits // 2), left
    return left << bits // 2 | right


def run_id(agent_pk: int, number: int) -> int:
    """`agent_pk` 0: a job of the whole server."""
    return veiled("agent", agent_pk, AGENT_BITS) << RUN_BITS | number % (1 << RUN_BITS)


def run_place(public: int) -> tuple[int, int]:
    """The agent's row and the run's number within the agent."""
    agent, number = divmod(public, 1 << RUN_BITS)
    return unveiled("agent", agent, AGENT_BITS), number


def _mixed(kind: str, step: int, half: int, bits: int) -> int:
    key = hashlib.sha256(settings.SECRET_KEY.encode()).digest()
    text = f"{kind}:{bits}:{step}:{half}".encode()
    return int.from_bytes(hashlib.blake2b(text, key=key, digest_size=8).digest()) & ((1 << bits) - 1)
