"""Every write of the control plane: keyword-only, typed, checked, and recorded in the audit log."""

from agents.services.agents import (
    create_agent,
    delete_agent,
    remove_orphan_indexes,
    request_rebuild,
    request_update,
    update_agent,
)
from agents.services.collections import create_collection, delete_collection, update_collection
from agents.services.keys import NewKey, create_key, revoke_key, rotate_key
from agents.services.runs import cancel_run
from agents.services.scope import set_scope
from agents.services.sharing import leave_share, share_collection

__all__ = [
    "NewKey",
    "cancel_run",
    "create_agent",
    "create_collection",
    "create_key",
    "delete_agent",
    "delete_collection",
    "leave_share",
    "remove_orphan_indexes",
    "request_rebuild",
    "request_update",
    "revoke_key",
    "rotate_key",
    "set_scope",
    "share_collection",
    "update_agent",
    "update_collection",
]
