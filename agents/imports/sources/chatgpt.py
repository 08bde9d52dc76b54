"""ChatGPT's export (Settings, Data controls): a zip with conversations.json, since 2026 also conversations-000.json …

A conversation is a tree of messages in `mapping`; `current_node` is the end of the branch that the person sees. What
ChatGPT remembered stands in messages that it sent to its tool `bio`; the person's custom instructions in one of type
`user_editable_context`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from agents.imports.found import Chat, Found, document
from agents.imports.given import Given
from agents.imports.reading import Json, branch, iso, listed, named, no_export, objects, others, tally, text, turn
from search.documents.transcripts import Turn, one_line
from search.sentences import sentence

_ROLES = frozenset({"user", "assistant"})
_CITATION = re.compile("\ue200(?:file)?cite\ue202[^\ue200\ue201]{0,2000}\ue201")
"""Where the page shows a link to a source; in the export it names nothing."""
_SPOKEN = frozenset({"text", "multimodal_text"})


def read(given: Given) -> Iterator[Found]:
    files = named(given, r"conversations(-\d+)?\.json")
    if not files:
        raise no_export(
            given,
            "ChatGPT",
            sentence("Name the zip file that ChatGPT sent, or the folder with its conversations.json."),
        )
    saved: dict[str, str] = {}
    instructions = ("", "")
    for name in files:
        for conversation in objects(given, name):
            chat, remembered, own = _conversation(conversation, name)
            saved |= remembered
            instructions = max(instructions, (iso(conversation.get("create_time")), own) if own else ("", ""))
            yield chat
    if saved:
        lines = [f"- {said}" for said, _ in sorted(saved.items(), key=lambda item: (item[1], item[0]))]
        yield document(files[0], "saved-memories.md", "\n".join(["# What ChatGPT saved as memories", "", *lines]))
    if instructions[1]:
        yield document(files[0], "custom-instructions.md", f"# Custom instructions in ChatGPT\n\n{instructions[1]}")
    yield from others(given, files, lambda _: sentence("only conversations are imported"))


def _conversation(conversation: Json, name: str) -> tuple[Chat, dict[str, str], str]:
    """The chat; what was saved as memory in it, each with its time; and the custom instructions it began with."""
    mapping = conversation.get("mapping")
    nodes = {key: node for key, node in mapping.items() if isinstance(node, dict)} if isinstance(mapping, dict) else {}
    way = branch(text(conversation.get("current_node")), {key: text(node.get("parent")) for key, node in nodes.items()})
    turns: list[Turn] = []
    saved: dict[str, str] = {}
    own = ""
    other = attachments = 0
    for key in way or nodes:
        message = nodes[key].get("message")
        if not isinstance(message, dict):
            continue
        content = message.get("content")
        content = content if isinstance(content, dict) else {}
        if content.get("content_type") == "user_editable_context":
            own = _instructions(content)
            continue
        at = iso(message.get("create_time"))
        said, pictures = _said(content)
        metadata = message.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        if message.get("recipient") == "bio" and said:
            saved.setdefault(one_line(said), at)
        attachments += max(pictures, len(listed(metadata.get("attachments"))))
        found = turn(id=text(message.get("id")) or key, role=_role(message), said=said, at=at)
        if found and _shown(message, metadata):
            turns.append(found)
        else:
            other += _role(message) != "system"
    title = text(conversation.get("title")) or sentence("without a title")
    chat_id = text(conversation.get("conversation_id")) or text(conversation.get("id"))
    replaced = sum(isinstance(nodes[key].get("message"), dict) for key in nodes.keys() - set(way or nodes))
    left = tally(replaced=replaced, other=other, attachments=attachments)
    return Chat(f"{name}: {title}", chat_id, tuple(turns), left), saved, own


def _shown(message: Json, metadata: Json) -> bool:
    return (
        _role(message) in _ROLES
        and message.get("recipient") in (None, "all")
        and not metadata.get("is_visually_hidden_from_conversation")
    )


def _said(content: Json) -> tuple[str, int]:
    """The words of a message, and how many pictures and recordings it has."""
    kind, parts = content.get("content_type"), content.get("parts")
    if kind == "code":  # a call of a tool; for `bio` that is the memory
        return text(content.get("text")), 0
    if kind not in _SPOKEN or not isinstance(parts, list):
        return "", 0
    words = [text(part.get("text") if isinstance(part, dict) else part) for part in parts]
    silent = sum(isinstance(part, dict) and not word for part, word in zip(parts, words, strict=True))
    return _CITATION.sub("", "\n".join(word for word in words if word)), silent


def _instructions(content: Json) -> str:
    texts: list[Any] = [content.get("user_profile"), content.get("user_instructions")]
    return "\n\n".join(text(one).strip() for one in texts if text(one).strip())


def _role(message: Json) -> str:
    author = message.get("author")
    return text(author.get("role")) if isinstance(author, dict) else ""
