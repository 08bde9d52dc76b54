"""Small exports in the forms that the tools write them, as zip files."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def zipped(path: Path, files: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def chatgpt_node(id: str, parent: str | None, role: str, *parts: Any, **message: Any) -> dict[str, Any]:
    body = {
        "id": id,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": 1_767_600_000.5 + len(id),
        "update_time": None,
        "content": {"content_type": "text", "parts": list(parts)},
        "status": "finished_successfully",
        "end_turn": True,
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        "channel": None,
    }
    return {"id": id, "message": body | message, "parent": parent, "children": []}


def chatgpt_conversation(id: str, title: str, *nodes: dict[str, Any], current: str) -> dict[str, Any]:
    root = {"id": "root", "message": None, "parent": None, "children": []}
    return {
        "title": title,
        "create_time": 1_767_600_000.0,
        "update_time": 1_767_600_100.0,
        "mapping": {node["id"]: node for node in (root, *nodes)},
        "moderation_results": [],
        "current_node": current,
        "plugin_ids": None,
        "conversation_id": id,
        "conversation_template_id": None,
        "gizmo_id": None,
        "is_archived": False,
        "safe_urls": [],
        "default_model_slug": "auto",
        "id": id,
    }


BOILER = chatgpt_conversation(
    "6789-boiler",
    "Boiler",
    chatgpt_node("own", "root", "user", content={"content_type": "user_editable_context", "user_profile": "I am Ida.",
                 "user_instructions": "Answer briefly."}, metadata={"is_visually_hidden_from_conversation": True}),
    chatgpt_node("ask-v1", "own", "user", "How do I bleed the boilr?"),
    chatgpt_node("ask-v2", "own", "user", "How do I bleed the boiler?"),
    chatgpt_node("save", "ask-v2", "assistant", "Ida has a Vaillant boiler.", recipient="bio"),
    chatgpt_node("saved", "save", "tool", "Model set context updated."),
    chatgpt_node("picture", "saved", "user", content={"content_type": "multimodal_text", "parts": [
                 {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}, "This is the valve."]}),
    chatgpt_node("thinking", "picture", "assistant", content={"content_type": "thoughts", "thoughts": []}),
    chatgpt_node("answer", "thinking", "assistant", "Open the valve a quarter turn\ue200cite\ue202turn0search1\ue201."),
    current="answer",
)  # fmt: skip


def chatgpt(path: Path, *conversations: dict[str, Any], name: str = "conversations.json") -> Path:
    return zipped(
        path,
        {
            name: json.dumps(list(conversations)),
            "user.json": '{"id": "user-1", "email": "ida@example.org"}',
            "chat.html": "<html></html>",
            "file-abc.png": b"\x89PNG",
        },
    )


def claude_message(uuid: str, sender: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "uuid": uuid,
        "text": "This block is not supported on your current device yet.",
        "content": list(blocks),
        "sender": sender,
        "created_at": "2026-01-05T09:00:00.000000Z",
        "updated_at": "2026-01-05T09:00:00.000000Z",
        "attachments": [],
        "files": [],
    } | more


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "citations": [], "start_timestamp": "2026-01-05T09:00:00Z"}


CLAUDE = {
    "conversations.json": json.dumps(
        [
            {
                "uuid": "c0ffee00-1111-4222-8333-444455556666",
                "name": "Hedge",
                "created_at": "2026-01-05T09:00:00.000000Z",
                "updated_at": "2026-01-05T09:10:00.000000Z",
                "account": {"uuid": "acc"},
                "chat_messages": [
                    claude_message(
                        "m1", "human", said("When may I cut the hedge?"), files=[{"file_name": "hedge.jpg"}]
                    ),
                    claude_message(
                        "m2",
                        "assistant",
                        {"type": "thinking", "thinking": "Birds nest until autumn."},
                        {"type": "tool_use", "name": "web_search", "input": {}},
                        said("From October to February."),
                    ),
                ],
            },
            {"uuid": "empty", "name": "", "chat_messages": []},
        ]
    ),
    "memories.json": json.dumps(
        [
            {
                "conversations_memory": "**Home**\n\nIda keeps bees.",
                "project_memories": {"p1": "The shed is to be green."},
                "account_uuid": "acc",
            }
        ]
    ),
    "projects.json": json.dumps(
        [
            {
                "uuid": "p1",
                "name": "Shed: paint",
                "description": "Painting",
                "prompt_template": "Be practical.",
                "docs": [{"uuid": "d1", "filename": "colours.txt", "content": "RAL 6011", "created_at": "2026"}],
            }
        ]
    ),
    "users.json": "[]",
}
VAULT = {
    "Home/.obsidian/app.json": "{}",
    "Home/Garden.md": "---\ntags: [garden]\n---\nThe [[Hedge|old hedge]] is high.\n![[hedge.png]]\n",
    "Home/Daily/2026-01-05.md": "- Bees seen.\n",
    "Home/Hedge.md": "Cut in [[Garden#October]].\n",
    "Home/attachments/hedge.png": b"\x89PNG",
    "__MACOSX/Home/._Garden.md": b"\x00",
}
ID = "0123456789abcdef0123456789abcdef"
OTHER_ID = "fedcba9876543210fedcba9876543210"
NOTION = {
    f"Home {ID}.md": f"# Home\n\n[The shed](Home%20{ID}/Shed%20(old)%20{OTHER_ID}.md) and [away](https://example.org/a%20b)\n",
    f"Home {ID}/Shed (old) {OTHER_ID}.md": f"# Shed (old)\n\nBack to [Home](../Home%20{ID}.md)\n",
    f"Home {ID}/Twin {ID}.md": "# Twin\n\nOne.\n",
    f"Home {ID}/Twin {OTHER_ID}.md": "# Twin\n\nTwo.\n",
    f"Home {ID}/Tasks {ID}.csv": "Name\nPaint\n",
}
MEM0 = {
    "results": [
        {
            "id": "m-2",
            "memory": "Ida is allergic\nto nuts.",
            "user_id": "ida",
            "metadata": None,
            "categories": ["health"],
            "created_at": "2026-01-06T10:00:00-08:00",
            "updated_at": "2026-01-06T10:00:00-08:00",
        },
        {"id": "m-1", "memory": "Ida keeps bees.", "user_id": "ida", "created_at": "2026-01-05T10:00:00-08:00"},
        {"id": "m-3", "memory": "Tor plays chess.", "user_id": "tor/../x", "created_at": "2026-01-05T10:00:00-08:00"},
        {"id": "m-4", "user_id": "tor"},
    ]
}
BASIC = {
    "coffee/Coffee Brewing.md": """---
title: Coffee Brewing
type: note
tags: [coffee]
permalink: coffee/coffee-brewing
---

# Coffee Brewing

## Observations
- [method] Pour over is clearer than French press
- [technique] Water at 96 degrees #brewing (tried)
- [ ] buy beans

## Relations
- relates_to [[Coffee Beans]]
""",
    "Plain.md": "Only words.\n",
}
