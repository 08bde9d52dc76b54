"""People: owners of the appliance and members with a role per agent. There is always an owner."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from agents.access.roles import ROLES, Role
from agents.core.actors import Actor
from agents.core.audit import record
from agents.core.errors import Conflict, Invalid
from agents.core.text import clean_line
from agents.models import Agent, AgentRole
from search.sentences import sentence

MAX_NAME_CHARS = 150


def create_user(
    *,
    actor: Actor,
    name: str,
    password: str | None = None,
    owner: bool = False,
    roles: Mapping[str, Role] | None = None,
) -> User:
    """Without a password the person can only come in through the trusted proxy. Raises `Invalid` and `Conflict`."""
    user = User(username=_known_name(name), is_superuser=owner, is_staff=owner)
    _set_password(user, password)
    try:
        with transaction.atomic():
            if User.objects.filter(username__iexact=user.username).exists():
                raise _taken(user.username)
            user.save(force_insert=True)
            given = _set_roles(user, roles or {})
            _note(actor, "user.create", user, {"owner": owner, "roles": given, "password": password is not None})
    except IntegrityError as error:
        raise _taken(user.username) from error
    return user


def update_user(
    *,
    actor: Actor,
    user: User,
    password: str | None = None,
    owner: bool | None = None,
    active: bool | None = None,
    roles: Mapping[str, Role] | None = None,
) -> User:
    """Change what is given; `roles` replaces all of them. A new password ends the person's sessions."""
    changed: dict[str, object] = {}
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user.pk)
        if (owner is False or active is False) and user.is_superuser and user.is_active:
            _keep_an_owner(user)
        if owner is not None:
            user.is_superuser = user.is_staff = owner
            changed["owner"] = owner
        if active is not None:
            user.is_active = changed["active"] = active
        if password is not None:
            _set_password(user, password)
            changed["password"] = True
        if changed:
            user.save(update_fields=["is_superuser", "is_staff", "is_active", "password"])
        if roles is not None:
            changed["roles"] = _set_roles(user, roles)
        if changed:
            _note(actor, "user.update", user, changed)
    return user


def delete_user(*, actor: Actor, user: User) -> None:
    """The person, their roles and their sessions. Raises `Conflict` for the last owner."""
    with transaction.atomic():
        if user.is_superuser and user.is_active:
            _keep_an_owner(user)
        _note(actor, "user.delete", user, {})
        user.delete()


def checked_password(password: str, user: User) -> str:
    """Raises `Invalid`, with the rules that it breaks."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Invalid(
            " ".join(error.messages),
            hint=sentence("Use a longer one, such as four words that do not belong together."),
            field="password",
            code="weak_password",
        ) from error
    return password


def _set_password(user: User, password: str | None) -> None:
    user.set_password(None if password is None else checked_password(password, user))


def _set_roles(user: User, roles: Mapping[str, Role]) -> dict[str, str]:
    agents = {agent.slug: agent for agent in Agent.objects.filter(slug__in=roles)}
    for slug, role in roles.items():
        if slug not in agents:
            raise Invalid(
                sentence("There is no agent {slug}.", slug=slug),
                hint=sentence("GET /api/v1/agents lists them."),
                field=f"roles.{slug}",
            )
        if role not in ROLES:
            raise Invalid(
                sentence("There is no role {role!r}.", role=role),
                hint=sentence("Use view, edit or admin."),
                field=f"roles.{slug}",
            )
    AgentRole.objects.filter(user=user).delete()
    AgentRole.objects.bulk_create(AgentRole(user=user, agent=agents[slug], role=role) for slug, role in roles.items())
    return dict(sorted(roles.items()))


def _known_name(name: str) -> str:
    name = clean_line(name, field="name", longest=MAX_NAME_CHARS, required=True)
    try:
        for check in User._meta.get_field("username").validators:
            check(name)
    except ValidationError as error:
        raise Invalid(
            sentence("A name has letters, digits and the signs @ . + - _ alone."),
            hint=sentence("Leave out blanks."),
            field="name",
        ) from error
    return User.normalize_username(name)


def _keep_an_owner(user: User) -> None:
    if not User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk).exists():
        raise Conflict(
            sentence("{username} is the last owner.", username=user.username),
            hint=sentence("Make somebody else an owner first."),
            code="last_owner",
        )


def _note(actor: Actor, action: str, user: User, detail: dict[str, object]) -> None:
    record(actor=actor, action=action, target=f"user:{user.username}", detail=detail)


def _taken(name: str) -> Conflict:
    return Conflict(
        sentence("There is somebody named {name} already.", name=name),
        hint=sentence("Choose another name."),
        field="name",
        code="user_exists",
    )
