"""People as the API takes and shows them; a password goes in and never comes out."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from pydantic import Field

from agents.access.roles import Role
from agents.access.users import MAX_NAME_CHARS
from memory_appliance.api.schemas.base import Answer, Body

MAX_PASSWORD_CHARS = 1000
Roles = dict[str, Role]


class NewUserBody(Body):
    name: str = Field(max_length=MAX_NAME_CHARS, examples=["ann"])
    password: str | None = Field(
        None,
        max_length=MAX_PASSWORD_CHARS,
        description="Null: only by single sign-on.",
        examples=["maple bottle quiet engine"],
    )
    owner: bool = Field(False, description="Owners see and change everything; members what their roles say.")
    roles: Roles = Field(default_factory=dict, max_length=1000, examples=[{"home": "view"}])


class UserChange(Body):
    """What is left out stays as it is; `roles` replaces all of them."""

    password: str | None = Field(None, max_length=MAX_PASSWORD_CHARS)
    owner: bool | None = None
    active: bool | None = None
    roles: Roles | None = Field(None, max_length=1000)


class UserAnswer(Answer):
    id: int
    name: str
    owner: bool
    active: bool
    has_password: bool
    roles: Roles
    last_login: datetime | None
    created_at: datetime


class UserList(Answer):
    items: list[UserAnswer]


def user_answer(user: User, roles: Roles) -> UserAnswer:
    return UserAnswer(
        id=user.pk,
        name=user.username,
        owner=user.is_superuser,
        active=user.is_active,
        has_password=user.has_usable_password(),
        roles=roles,
        last_login=user.last_login,
        created_at=user.date_joined,
    )
