"""An example of every request body, by the operation's id: shown in the description, sent by its test."""

from __future__ import annotations

from typing import Any

_CHAT = {"key": "agent:home:telegram:direct:42"}

EXAMPLES: dict[str, Any] = {
    "search": {"query": "Where is the spare key?", "max_results": 3, "session": _CHAT},
    "get": {"path": "MEMORY.md", "from": 1, "lines": 40, "session": _CHAT},
    "multi_get": {"glob": "memory/2026-*.md", "max_bytes": 65536, "session": _CHAT},
    "get_context": {"session": _CHAT, "now": "2026-11-30T08:00:00+01:00"},
    "write_note": {"text": "The spare key moved to the blue pot.", "importance": 7, "idempotency_key": "7f3c9a"},
    "save_file": {"path": "memory/projects.md", "text": "- Paint the shed.\n", "expected_hash": ""},
    "restore_file": {"path": "MEMORY.md", "version": "9f86d081" * 8},
    "import_memory": {"tool": "chatgpt", "path": "/srv/notes/chatgpt-export.zip", "dry_run": True},
    "forget": {"session_key": "agent:home:telegram:direct:42", "dry_run": True},
    "store_messages": {
        "messages": [
            {"id": "m1", "role": "user", "text": "The plumber comes on Friday.", "at": "2026-11-30T08:00:00+01:00"},
            {"id": "m2", "role": "assistant", "text": "Noted."},
        ],
    },
    "reset_session": {"reason": "new"},
    "consolidate": {"dry_run": True},
    "flush": {
        "session_key": "agent:home:telegram:direct:42",
        "messages": [{"role": "user", "text": "We decided to paint the shed green in May."}],
        "cycle": 3,
        "deadline_ms": 20000,
    },
    "recall": {
        "message": "What did we decide about the boiler?",
        "session": _CHAT,
        "history": [{"role": "user", "text": "The plumber is here."}],
        "timeout_ms": 5000,
    },
    "toggle_recall": {"session": _CHAT, "enabled": False},
    "create_agent": {
        "slug": "home",
        "name": "The household",
        "timezone": "Europe/Stockholm",
        "settings": {"max_results": 8},
    },
    "change_agent": {"name": "The household", "settings": {"citations": "on", "max_results": None}},
    "create_collection": {"name": "house-notes", "path": "notes", "ignore": ["drafts/**"], "context": "House notes."},
    "change_collection": {"context": "Notes on the house and the garden.", "include_by_default": False},
    "set_scope": {
        "default": "deny",
        "rules": [
            {"action": "allow", "match": {"chat_type": "direct"}},
            {"action": "allow", "match": {"key_prefix": "main"}},
        ],
    },
    "check_scope": {"session": _CHAT},
    "set_settings": {"mode": "hybrid", "min_score": 0.4, "max_results": None},
    "decide_learned": {"ids": [12, 15], "decision": "reject"},
    "set_default_settings": {"recall_mode": "always", "transcript_retention_days": 365, "min_score": None},
    "create_key": {"name": "telegram gateway", "agents": ["home"], "rights": ["read", "write"], "trusted": True},
    "rotate_key": {"overlap_seconds": 3600},
    "create_user": {"name": "ann", "password": "maple bottle quiet engine", "roles": {"home": "edit"}},
    "change_user": {"roles": {"home": "view"}, "active": True},
    "pull_model": {"model": "embeddinggemma-300m-q8"},
    "set_providers": {"embed": {"model": "openai:text-embedding-3-small", "fallback": "local"}},
    "test_provider": {"role": "embed", "model": "local"},
}
