"""A typed client of a Memory Appliance, for threads (`Client`) and for asyncio (`AsyncClient`)."""

from memory_appliance_client.calls import Message, Session
from memory_appliance_client.client import AsyncClient, Client
from memory_appliance_client.errors import (
    ApplianceError,
    Busy,
    Conflict,
    Denied,
    Forbidden,
    InvalidRequest,
    NoAnswer,
    NotFound,
    Unauthorized,
    Unavailable,
)

__all__ = [
    "ApplianceError",
    "AsyncClient",
    "Busy",
    "Client",
    "Conflict",
    "Denied",
    "Forbidden",
    "InvalidRequest",
    "Message",
    "NoAnswer",
    "NotFound",
    "Session",
    "Unauthorized",
    "Unavailable",
]
