"""bootstrap(): what the very first start makes: the first user, the first admin key, the demo agent."""

from __future__ import annotations

import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q

from agents.access.keys import create_key
from agents.access.secrets import digest_of
from agents.core.actors import SYSTEM
from agents.models import Agent, ApiKey
from agents.registry.agents import create_agent

ADMIN = "admin"
DEMO = "demo"
SAMPLE = Path(__file__).parent / "demo"


@dataclass(frozen=True, slots=True)
class Bootstrapped:
    """What is new. Secrets that were generated are here once; those that the owner gave are not repeated."""

    password: str | None = None
    key: str | None = None
    demo: Agent | None = None
    first: bool = False


@transaction.atomic
def bootstrap(*, admin_password: str | None, bootstrap_key: str | None, demo: bool) -> Bootstrapped:
    """Safe to repeat: without a new `bootstrap_key`, a second call changes nothing.

    The user is made when there is none, a key is generated when there never was one, and the demo agent comes with
    the first user only, so that deleting it is final.
    """
    users = get_user_model()
    first = not users.objects.exists()
    password = None
    if first:
        password = admin_password or secrets.token_urlsafe(12)
        users.objects.create_superuser(ADMIN, password=password)
    key = _first_key(bootstrap_key)
    agent = _demo_agent() if first and demo and not Agent.objects.filter(slug=DEMO).exists() else None
    return Bootstrapped(None if admin_password else password, key, agent, first)


def new_admin_key(name: str = "replacement") -> str:
    """For an owner who lost the first one. Returns its secret."""
    return create_key(actor=SYSTEM, name=name, agents="*", rights=["admin"]).secret


def _first_key(given: str | None) -> str | None:
    """The owner's own key is made unless it was there before: a revoked or rotated one does not come back."""
    if given is not None:
        digest = digest_of(given)
        if not ApiKey.objects.filter(Q(digest=digest) | Q(previous_digest=digest)).exists():
            create_key(actor=SYSTEM, name="bootstrap", agents="*", rights=["admin"], secret=given)
        return None
    return None if ApiKey.objects.exists() else new_admin_key("bootstrap")


def _demo_agent() -> Agent:
    agent = create_agent(actor=SYSTEM, slug=DEMO, name="Demo household", timezone="Europe/Stockholm")
    for source in sorted(SAMPLE.rglob("*.md")):
        target = Path(agent.workspace) / source.relative_to(SAMPLE)
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            shutil.copyfile(source, target)
    return agent
