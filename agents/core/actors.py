"""Who asks: the actor that the audit log names, and the caller whose key decides what a missing session means."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Actor:
    """A person, a key or a process by name (`key:3 telegram`, `user:admin`, `cli`), with its address if any."""

    name: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Caller:
    """An actor that searches or reads. `trusted` holds for keys with right `admin` or with `trusted: true`."""

    actor: Actor
    trusted: bool = False


CLI = Actor("cli")
SYSTEM = Actor("system")
