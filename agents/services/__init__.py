"""Every write of the control plane: keyword-only, typed, checked, and recorded in the audit log."""

from agents.services.agents import (
    create_agent,
    delete_agent,
    remove_orphan_indexes,
    request_rebuild,
    request_update,
    update_agent,
)
from agents.services.backups import remove_backup, request_backup, verify_backup
from agents.services.collections import create_collection, delete_collection, update_collection
from agents.services.keys import NewKey, create_key, revoke_key, rotate_key
from agents.services.local_models import remove_model, request_pull, use_local_model
from agents.services.providers import reset_provider, set_provider, test_plan
from agents.services.runs import cancel_run
from agents.services.scope import set_scope
from agents.services.sharing import leave_share, share_collection
from agents.services.users import create_user, delete_user, update_user

__all__ = [
    "NewKey",
    "cancel_run",
    "create_agent",
    "create_collection",
    "create_key",
    "create_user",
    "delete_agent",
    "delete_collection",
    "delete_user",
    "leave_share",
    "remove_backup",
    "remove_model",
    "remove_orphan_indexes",
    "request_backup",
    "request_pull",
    "request_rebuild",
    "request_update",
    "reset_provider",
    "revoke_key",
    "rotate_key",
    "set_provider",
    "set_scope",
    "share_collection",
    "test_plan",
    "update_agent",
    "update_collection",
    "update_user",
    "use_local_model",
    "verify_backup",
]
