"""The addresses of chats; `session` names the chat."""

from __future__ import annotations

from django.urls import URLPattern, path

from memory_appliance.web.chats.chat import chat
from memory_appliance.web.chats.delete import delete
from memory_appliance.web.chats.export import export
from memory_appliance.web.chats.list import chats

pages: list[URLPattern] = [
    path("agents/<slug:slug>/chats", chats, name="chats"),
    path("agents/<slug:slug>/chat", chat, name="chat"),
    path("agents/<slug:slug>/chat/export", export, name="chat-export"),
    path("agents/<slug:slug>/chat/delete", delete, name="chat-delete"),
]
