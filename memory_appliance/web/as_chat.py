"""To look at a memory as one of its chats would: the two fields that name the chat, and the caller that it makes."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.access.sessions import MAX_KEY_CHARS, Session
from agents.core.actors import Actor, Caller
from memory_appliance.web.scope.words import CHAT_TYPES


@dataclass(frozen=True, slots=True)
class AsChat:
    """Both empty: the person's own call."""

    session_key: str = ""
    chat_type: str = ""

    def __bool__(self) -> bool:
        return bool(self.session_key or self.chat_type)

    @property
    def session(self) -> Session | None:
        return Session(key=self.session_key or None, chat_type=self.chat_type or None) if self else None

    def caller(self, person: Actor) -> Caller:
        """A chat that is named by its key is let in by the rules alone, as a gateway's would be."""
        return Caller(person, trusted=not self.session_key)


class ChatFields(forms.Form):
    """A form that can name a chat; without one it is about the person's own call."""

    session = forms.CharField(
        label=_("Session key"),
        required=False,
        max_length=MAX_KEY_CHARS,
        help_text=_("For example agent:main:telegram:direct:42. The scope rules decide what this chat can recall."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "dir": "ltr"}),
    )
    chat_type = forms.ChoiceField(
        label=_("Chat type"),
        required=False,
        choices=[("", _("from the key")), *CHAT_TYPES.items()],
        help_text=_("Can make a chat less private than its key says, never more private."),
    )

    def chat(self) -> AsChat:
        """Call on a valid form."""
        return AsChat(self.cleaned_data["session"].strip(), self.cleaned_data["chat_type"])

    @property
    def as_a_chat(self) -> bool:
        """Whether a chat is named, also while other fields are wrong."""
        return bool(self.data.get("session") or self.data.get("chat_type"))
