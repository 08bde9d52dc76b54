"""is_side_request(): what a chat app asks beside the conversation, such as a title for it.

The openings are those of the apps' own prompts. They stand at the start of the request's system message or of its last
message; a person who asks for a title in other words is answered as ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_appliance.chat_proxy.conversation import text_of

OPENINGS = (
    # Open WebUI: title, tags, follow-ups, search queries, autocompletion, images, emoji
    "### task: generate a concise, 3-5 word title",
    "### task: generate 1-3 broad tags",
    "### task: suggest 3-5 relevant follow-up questions",
    "### task: analyze the chat history to determine the necessity of generating search queries",
    "### task: you are an autocompletion system",
    "### task: generate a detailed prompt for am image generation task",
    "your task is to reflect the speaker's likely facial expression through a fitting emoji",
    # LibreChat
    "please generate a concise, 5-word-or-less title for the conversation",
    "provide a concise, 5-word-or-less title for the conversation",
    "analyze this conversation and provide: 1. the detected language of the conversation",
    # LobeChat, Cherry Studio
    "you are a professional conversation summarizer.",
    "you are an assistant skilled in conversation who needs to summarize user conversations into titles",
    "you are a conversation-savvy assistant. summarize the conversation into a title",
    "你是一名擅长会话的助理，你需要将用户的会话总结为 10 个字以内的标题",
    # Chatbox, NextChat
    "based on the chat history, give this conversation a name.",
    "please generate a four to five word title summarizing our conversation",
    "summarize the discussion briefly in 200 words or less to use as a prompt for future context",
)
TASK, HISTORY = "### task:", "<chat_history>"
"""Open WebUI's own form, whatever words the owner has put into the template."""


def is_side_request(body: Mapping[str, Any]) -> bool:
    """Whether the request is the app's own and not a turn of a conversation."""
    messages = [message for message in body.get("messages") or () if isinstance(message, dict)]
    asked = [message for message in messages if message.get("role") in ("system", "developer")][:1] + messages[-1:]
    for message in asked:
        text = text_of(message.get("content"))
        words = " ".join(text[:400].lower().split())
        if words.startswith(OPENINGS) or (words.startswith(TASK) and HISTORY in text):
            return True
    return False
