"""Claude's export (Settings, Privacy): a zip with conversations.json, memories.json and projects.json.

Newer ones have a file for each account and project: memories/<id>.json, projects/<id>.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from agents.imports.found import Chat, Found, document
from agents.imports.given import Given
from agents.imports.names import file_name
from agents.imports.reading import Json, branch, listed, named, no_export, objects, others, tally, text, turn, whole
from search.documents.transcripts import Turn
from search.file_types import MARKDOWN
from search.sentences import sentence

_ROLES = {"human": "user", "assistant": "assistant"}


def read(given: Given) -> Iterator[Found]:
    files = named(given, r"conversations(-\d+)?\.json")
    memories, projects = _listed(given, "memories"), _listed(given, "projects")
    if not files and not memories:
        raise no_export(
            given, "Claude", sentence("Name the zip file that Claude sent, or the folder with its conversations.json.")
        )
    titles: dict[str, str] = {}
    documents: dict[str, tuple[str, str]] = {}
    for name, project in projects:
        uuid, title = text(project.get("uuid")), file_name(text(project.get("name")))
        title = f"{title} {file_name(uuid)[:8]}" if title in titles.values() else title
        titles[uuid] = title
        documents |= {target: (name, said) for target, said in _project(title, project)}
    for name, memory in memories:
        documents |= {target: (name, said) for target, said in _memory(memory, titles)}
    for target, (name, said) in documents.items():
        if said.strip():
            yield document(name, target, said)
    for name in files:
        for conversation in objects(given, name):
            yield _conversation(conversation, name)
    used = {*files, *(name for name, _ in memories), *(name for name, _ in projects)}
    yield from others(given, used, lambda _: sentence("only conversations, memories and projects are imported"))


def _listed(given: Given, what: str) -> list[tuple[str, Json]]:
    """The objects of `what`.json and of the files in the folder `what`, each with its file's name."""
    names = [name for name in given.names if re.fullmatch(rf"(.*/)?{what}(/[^/]+)?\.json", name)]
    found = []
    for name in names:
        value = whole(given, name)
        found += [(name, one) for one in listed(value if isinstance(value, list) else [value])]
    return found


def _project(title: str, project: Json) -> Iterator[tuple[str, str]]:
    about = [text(project.get("description")), text(project.get("prompt_template"))]
    yield f"projects/{title}/instructions.md", "\n\n".join(one.strip() for one in about if one.strip())
    for one in listed(project.get("docs")):
        name = file_name(text(one.get("filename")).removesuffix(MARKDOWN))
        yield f"projects/{title}/{name}.md", text(one.get("content"))


def _memory(memory: Json, titles: dict[str, str]) -> Iterator[tuple[str, str]]:
    yield "memory.md", text(memory.get("conversations_memory"))
    own: Any = memory.get("project_memories")
    for uuid, said in own.items() if isinstance(own, dict) else ():
        yield f"projects/{titles.get(uuid) or file_name(uuid)}/memory.md", text(said)


def _conversation(conversation: Json, name: str) -> Chat:
    given = listed(conversation.get("chat_messages"))
    messages = {text(message.get("uuid")) or str(at): message for at, message in enumerate(given)}
    parents = {key: text(one.get("parent_message_uuid")) for key, one in messages.items()}
    # Exports of before 2025 name no message before; then the list is the conversation.
    way = branch(next(reversed(messages)), parents) if any(parents.values()) else list(messages)
    turns: list[Turn] = []
    other = attachments = 0
    for key in way:
        message = messages[key]
        attachments += len(listed(message.get("attachments"))) + len(listed(message.get("files")))
        role = _ROLES.get(text(message.get("sender")), "")
        at = text(message.get("created_at"))
        found = turn(id=key if message.get("uuid") else "", role=role, said=_said(message), at=at) if role else None
        if found:
            turns.append(found)
        else:
            other += 1
    title = text(conversation.get("name")) or sentence("without a title")
    left = tally(replaced=len(messages) - len(way), other=other, attachments=attachments)
    return Chat(f"{name}: {title}", text(conversation.get("uuid")), tuple(turns), left)


def _said(message: Json) -> str:
    """Its text blocks; `text` holds notes on tools and thinking as well, and is all that old exports have."""
    blocks = listed(message.get("content"))
    said = [text(block.get("text")) for block in blocks if block.get("type") == "text"]
    return "\n\n".join(one for one in said if one) if blocks else text(message.get("text"))
