"""Who asks: the actor that the audit log names, and the caller whose key decides what a missing session means."""

from __future__ import annotations

from dataclasses import dataclass

PERSON_PREFIX = "user:"


@dataclass(frozen=True, slots=True)
class Actor:
    """A person, a key or a process by name (`key:3 telegram`, `user:admin`, `cli`), with its address if any."""

    name: str
    address: str = ""

    @property
    def is_person(self) -> bool:
        """Signed in to the pages, or at the command line; a key speaks for a program."""
        return self.name == CLI.name or self.name.startswith(PERSON_PREFIX)


@dataclass(frozen=True, slots=True)
class Caller:
    """An actor that searches or reads. `trusted` holds for keys with right `admin` or with `trusted: true`."""

    actor: Actor
    trusted: bool = False


CLI = Actor("cli")
SYSTEM = Actor("system")
