"""/keys: list, create, revoke and rotate API keys. A key never hands out more than it has itself."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router, Status

from agents.access import keys
from agents.access.secrets import visible_agents
from agents.columns.public_ids import unveiled
from agents.core.errors import NotFound
from agents.models import ApiKey
from agents.registry import selectors
from memory_appliance.api.auth import ADMIN, ANY_RIGHT, actor_of, key_of
from memory_appliance.api.limits import RowId
from memory_appliance.api.schemas.keys import (
    KeyList,
    NewKeyBody,
    OwnKeyAnswer,
    Rotation,
    SecretAnswer,
    key_answer,
    own_key_answer,
    secret_answer,
)
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.refusals.shape import ApiError

router = Router(tags=["keys"], auth=ADMIN)


@router.get("", response=KeyList, operation_id="list_keys")
def list_keys(request: HttpRequest) -> KeyList:
    """Keys for agents that this key is for, without their secrets."""
    return KeyList(items=[key_answer(key) for key in selectors.list_keys() if _covers(key_of(request), key.agents)])


@router.post("", response={201: SecretAnswer}, operation_id="create_key")
def create_key(request: HttpRequest, payload: NewKeyBody) -> Status[SecretAnswer]:
    """The answer holds the secret, once."""
    if not _covers(key_of(request), payload.agents):
        raise ApiError(
            ErrorCode.FORBIDDEN,
            "A key cannot be made for more agents than this key is for.",
            hint="Name fewer agents, or use a key for all agents.",
            field="agents",
        )
    return Status(201, secret_answer(keys.create_key(actor=actor_of(request), **payload.model_dump())))


@router.get("/self", response=OwnKeyAnswer, auth=ANY_RIGHT, operation_id="get_own_key")
def get_own_key(request: HttpRequest) -> OwnKeyAnswer:
    """What the key of this call is for: a program with any right asks it at its start."""
    key = key_of(request)
    return own_key_answer(key, selectors.first_agents(visible_agents(key)))


@router.delete("/{key_id}", response={204: None}, operation_id="delete_key")
def delete_key(request: HttpRequest, key_id: RowId) -> Status[None]:
    """The key stops working at once."""
    keys.revoke_key(actor=actor_of(request), key=_visible_key(request, key_id))
    return Status(204, None)


@router.post("/{key_id}/rotate", response=SecretAnswer, operation_id="rotate_key")
def rotate_key(request: HttpRequest, key_id: RowId, payload: Rotation | None = None) -> SecretAnswer:
    """A new secret. The old one works until `previous_until`, so that a gateway can be changed without a gap."""
    overlap = payload.overlap() if payload is not None else None
    return secret_answer(keys.rotate_key(actor=actor_of(request), key=_visible_key(request, key_id), overlap=overlap))


def _visible_key(request: HttpRequest, key_id: int) -> ApiKey:
    key = selectors.get_key(unveiled("key", key_id))
    if not _covers(key_of(request), key.agents):
        raise NotFound("There is no such key.", hint="GET /api/v1/keys lists them.")
    return key


def _covers(own: ApiKey, agents: list[str] | str) -> bool:
    return own.agents == "*" or (agents != "*" and set(agents) <= set(own.agents))
