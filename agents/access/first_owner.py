"""The first person: made once, while there is nobody at all; afterwards people are made by owners."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from agents.access.users import create_user
from agents.core.actors import Actor
from agents.core.errors import Conflict
from search.sentences import sentence


def nobody_yet() -> bool:
    """Whether the appliance has no person at all, not even one who is switched off."""
    return not User.objects.exists()


def create_first_owner(*, actor: Actor, name: str, password: str) -> User:
    """Raises `Conflict` once there is anybody, `Invalid` for a name or a password that cannot be used.

    Who may ask is the door's part.
    """
    with transaction.atomic():
        if not nobody_yet():
            raise Conflict(sentence("This server has an owner already."), hint="Sign in.", code="user_exists")
        return create_user(actor=actor, name=name, password=password, owner=True)
