"""/users: the people of the web admin and their roles. For keys that are for all agents alone."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import HttpRequest
from ninja import Router, Status

from agents.access import users
from agents.registry import selectors
from memory_appliance.api.auth import ADMIN, actor_of, require_fleet_key
from memory_appliance.api.limits import RowId
from memory_appliance.api.schemas.users import NewUserBody, UserAnswer, UserChange, UserList, user_answer

router = Router(tags=["users"], auth=ADMIN)


@router.get("", response=UserList, operation_id="list_users")
def list_users(request: HttpRequest) -> UserList:
    require_fleet_key(request)
    return UserList(items=[_answer(user) for user in selectors.list_users()])


@router.post("", response={201: UserAnswer}, operation_id="create_user")
def create_user(request: HttpRequest, payload: NewUserBody) -> Status[UserAnswer]:
    """Add a person, with a password that keeps the rules or with none."""
    require_fleet_key(request)
    user = users.create_user(actor=actor_of(request), **payload.model_dump())
    return Status(201, _answer(user))


@router.patch("/{user_id}", response=UserAnswer, operation_id="change_user")
def change_user(request: HttpRequest, user_id: RowId, payload: UserChange) -> UserAnswer:
    """A new password, or `active: false`, ends the person's sessions at once."""
    require_fleet_key(request)
    changes = payload.model_dump(exclude_none=True)
    return _answer(users.update_user(actor=actor_of(request), user=selectors.get_user(user_id), **changes))


@router.delete("/{user_id}", response={204: None}, operation_id="delete_user")
def delete_user(request: HttpRequest, user_id: RowId) -> Status[None]:
    require_fleet_key(request)
    users.delete_user(actor=actor_of(request), user=selectors.get_user(user_id))
    return Status(204, None)


def _answer(user: User) -> UserAnswer:
    return user_answer(user, selectors.roles_of(user))
