"""What a signed-in person may do: owners everything, members what their role with an agent says, others nothing."""

from __future__ import annotations

from typing import Literal, get_args

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import Q

from agents.models import Agent, AgentRole

Role = Literal["view", "edit", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
"""Each includes those before it."""

Person = AbstractBaseUser | AnonymousUser


def is_owner(person: Person) -> bool:
    """Owners see and change the whole appliance."""
    return isinstance(person, User) and person.is_active and person.is_superuser


def agents_for(person: Person, role: Role = "view") -> Q:
    """A filter of the agents with which `person` has at least `role`."""
    if is_owner(person):
        return Q()
    if not isinstance(person, User) or not person.is_active:
        return Q(pk__in=())
    enough = ROLES[ROLES.index(role) :]
    return Q(pk__in=AgentRole.objects.filter(user=person, role__in=enough).values("agent"))


def may_with(person: Person, agent: Agent, role: Role) -> bool:
    """Whether `person` has at least `role` with this agent."""
    return Agent.objects.filter(agents_for(person, role), pk=agent.pk).exists()


def role_with(person: Person, agent: Agent) -> Role | None:
    """What `person` may do with this agent, in one query; None without any role."""
    if is_owner(person):
        return ROLES[-1]
    if not isinstance(person, User) or not person.is_active:
        return None
    found = AgentRole.objects.filter(user=person, agent=agent).values_list("role", flat=True).first()
    return next((role for role in ROLES if role == found), None)


def is_somebody(person: Person) -> bool:
    """Whether there is anything here for this person."""
    return is_owner(person) or Agent.objects.filter(agents_for(person)).exists()
