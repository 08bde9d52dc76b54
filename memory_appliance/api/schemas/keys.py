"""API keys as the API takes and shows them: the secret appears once, in the answer that creates it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import AfterValidator, AliasChoices, Field

from agents.access.keys import NewKey
from agents.access.secrets import Right, is_trusted
from agents.models import ApiKey
from memory_appliance.api.schemas.base import Answer, Body
from memory_appliance.api.schemas.moments import on_the_calendar


class NewKeyBody(Body):
    name: str = Field(examples=["telegram gateway"])
    agents: list[str] | Literal["*"] = Field(description='Slugs, or "*" for all agents.')
    rights: list[Right] = Field(min_length=1)
    trusted: bool = Field(False, description="May call without a session, as the owner.")
    expires_at: Annotated[datetime, AfterValidator(on_the_calendar)] | None = Field(None, strict=False)


class Rotation(Body):
    """Without a body the server's MEMORY_KEY_OVERLAP_SECONDS count; 0 ends the old secret at once."""

    overlap_seconds: int | None = Field(None, ge=0, le=30 * 86_400)

    def overlap(self) -> timedelta | None:
        return None if self.overlap_seconds is None else timedelta(seconds=self.overlap_seconds)


class KeyAnswer(Answer):
    id: int = Field(validation_alias=AliasChoices("public_id", "id"))
    name: str
    agents: list[str] | Literal["*"]
    rights: list[Right]
    trusted: bool
    expires_at: datetime | None
    previous_until: datetime | None = Field(description="Until then the secret before the last rotation works too.")
    last_used_at: datetime | None
    last_address: str
    created_at: datetime


class OwnKeyAnswer(Answer):
    """What the key of the call is for."""

    name: str
    agents: list[str] | Literal["*"]
    agent: str | None = Field(description="The agent, where the key is for one that exists; null for none or several.")
    rights: list[Right]
    trusted: bool
    expires_at: datetime | None


class SecretAnswer(KeyAnswer):
    """The only answer with the secret."""

    key: str


class KeyList(Answer):
    items: list[KeyAnswer]


def key_answer(key: ApiKey) -> KeyAnswer:
    return KeyAnswer.model_validate(key, from_attributes=True)


def own_key_answer(key: ApiKey, slugs: list[str]) -> OwnKeyAnswer:
    """`slugs`: the first two agents that the key is for."""
    return OwnKeyAnswer(
        name=key.name,
        agents=key.agents,
        agent=slugs[0] if len(slugs) == 1 else None,
        rights=key.rights,
        trusted=is_trusted(key),
        expires_at=key.expires_at,
    )


def secret_answer(new: NewKey) -> SecretAnswer:
    return SecretAnswer(key=new.secret, **key_answer(new.row).model_dump())
