"""sentence_of(): a line of the audit log as a sentence; ACTIONS: the sentences of all actions that are recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.models import AuditEvent
from memory_appliance.web.diff import visible

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

ACTIONS: Mapping[str, StrOrPromise] = {
    "agent.create": gettext_lazy("%(who)s created agent %(agent)s"),
    "agent.update": gettext_lazy("%(who)s changed the settings of %(agent)s"),
    "agent.delete": gettext_lazy("%(who)s deleted agent %(agent)s"),
    "agent.restore": gettext_lazy("%(who)s restored agent %(agent)s from a backup"),
    "scope.set": gettext_lazy("%(who)s changed the scope rules of %(agent)s"),
    "recall.toggle": gettext_lazy("%(who)s turned recall on or off in %(agent)s for %(what)s"),
    "collection.create": gettext_lazy("%(who)s added collection %(what)s"),
    "collection.update": gettext_lazy("%(who)s changed collection %(what)s"),
    "collection.delete": gettext_lazy("%(who)s removed collection %(what)s"),
    "collection.share": gettext_lazy("%(who)s changed who can read collection %(what)s"),
    "collection.shared_in": gettext_lazy("%(who)s let %(agent)s read collection %(what)s"),
    "collection.share_ended": gettext_lazy("%(who)s stopped %(agent)s from reading collection %(what)s"),
    "file.save": gettext_lazy("%(who)s saved %(what)s in %(agent)s"),
    "file.restore": gettext_lazy("%(who)s restored an earlier version of %(what)s in %(agent)s"),
    "file.denied": gettext_lazy("%(who)s was denied a file of %(agent)s"),
    "memory.forget": gettext_lazy("%(who)s made %(agent)s forget %(what)s"),
    "memory.import": gettext_lazy("%(who)s imported notes into %(agent)s"),
    "memory.export": gettext_lazy("%(who)s exported the memory of %(agent)s"),
    "memory.consolidate": gettext_lazy("%(who)s consolidated the notes of %(agent)s"),
    "memory.review": gettext_lazy("%(who)s scanned the notes of %(agent)s for conflicts"),
    "index.update": gettext_lazy("%(who)s asked for an index update of %(agent)s"),
    "index.rebuild": gettext_lazy("%(who)s asked to rebuild the index of %(agent)s"),
    "run.cancel": gettext_lazy("%(who)s stopped job %(what)s"),
    "search.denied": gettext_lazy("%(who)s was denied a search in %(agent)s"),
    "get.denied": gettext_lazy("%(who)s was denied a note of %(agent)s"),
    "recall.denied": gettext_lazy("%(who)s was denied recall from %(agent)s"),
    "transcript.denied": gettext_lazy("%(who)s was denied a chat of %(agent)s"),
    "context.denied": gettext_lazy("%(who)s was denied context from %(agent)s"),
    "flush.denied": gettext_lazy("%(who)s was denied a flush into %(agent)s"),
    "forget.denied": gettext_lazy("%(who)s was denied forgetting in %(agent)s"),
    "export.denied": gettext_lazy("%(who)s was denied an export of %(agent)s"),
    "key.create": gettext_lazy("%(who)s created key %(what)s"),
    "key.rotate": gettext_lazy("%(who)s replaced the secret of key %(what)s"),
    "key.revoke": gettext_lazy("%(who)s revoked key %(what)s"),
    "key.denied": gettext_lazy("%(who)s was denied %(what)s: the key doesn’t have the right"),
    "user.create": gettext_lazy("%(who)s added %(what)s"),
    "user.update": gettext_lazy("%(who)s changed the access of %(what)s"),
    "user.delete": gettext_lazy("%(who)s removed %(what)s"),
    "user.login": gettext_lazy("%(who)s signed in"),
    "user.login.denied": gettext_lazy("%(who)s gave a wrong name or password"),
    "user.password": gettext_lazy("%(who)s changed their password"),
    "user.start.denied": gettext_lazy("%(who)s was denied the first sign-in"),
    "sign_on.denied": gettext_lazy("%(who)s was denied sign-in by a proxy that isn’t trusted"),
    "audit.export": gettext_lazy("%(who)s exported the audit log"),
    "learned.keep": gettext_lazy("%(who)s kept notes of %(agent)s"),
    "learned.reject": gettext_lazy("%(who)s rejected notes of %(agent)s"),
    "settings.defaults": gettext_lazy("%(who)s changed the defaults for all agents"),
    "provider.set": gettext_lazy("%(who)s chose a model for %(what)s"),
    "provider.reset": gettext_lazy("%(who)s set the model for %(what)s back to the default"),
    "model.pull": gettext_lazy("%(who)s started a download of model %(what)s"),
    "model.remove": gettext_lazy("%(who)s removed model %(what)s"),
    "backup.request": gettext_lazy("%(who)s asked for a backup"),
    "backup.verify": gettext_lazy("%(who)s verified backup %(what)s"),
    "backup.remove": gettext_lazy("%(who)s deleted backup %(what)s"),
    "server.restore": gettext_lazy("%(who)s restored the server from backup %(what)s"),
    "doctor.run": gettext_lazy("%(who)s ran a check of the server"),
}
"""In the order in which the page offers them. `what` is the target; `agent` the slug."""

_ACTORS: Mapping[str, StrOrPromise] = {
    "cli": gettext_lazy("The command line"),
    "system": gettext_lazy("The server"),
    "visitor": gettext_lazy("A visitor"),
    "proxy": gettext_lazy("A proxy"),
}


def choices() -> list[tuple[str, str]]:
    """(action, the sentence without its names), for a select."""
    gaps = {"who": "", "what": "…", "agent": "…"}
    return [(action, (str(sentence) % gaps).strip()) for action, sentence in ACTIONS.items()]


def sentence_of(event: AuditEvent) -> str:
    """Nothing in it is invisible. An action of a newer version is told by its code."""
    what = _what(event)
    names = {"who": who(event.actor), "what": visible(what), "agent": visible(event.agent_slug)}
    sentence = _variant(event) or ACTIONS.get(event.action)
    if sentence is None:
        return " ".join(part for part in (names["who"], visible(event.action), names["what"]) if part)
    return (str(sentence) % names).strip()


def who(actor: str) -> str:
    """A person by name, a key as a key, a process in words."""
    kind, _colon, name = actor.partition(":")
    if kind == "user" and name:
        return visible(name)
    if kind == "key" and name:
        number, _space, label = name.partition(" ")
        return _("Key %(name)s") % {"name": visible(label or number)}
    return str(_ACTORS.get(actor, visible(actor)))


def _what(event: AuditEvent) -> str:
    kind, colon, name = event.target.partition(":")
    if kind == "key" and " " in name:
        return name.partition(" ")[2]
    return name if kind == "user" and colon else event.target


def _variant(event: AuditEvent) -> str | None:
    """Actions that have more than one sentence."""
    detail = event.detail if isinstance(event.detail, dict) else {}
    match event.action:
        case "memory.forget" if event.target == "session":
            return _("%(who)s made %(agent)s forget a chat")
        case "recall.toggle" if event.target == "all chats":
            if detail.get("enabled"):
                return _("%(who)s turned recall on in %(agent)s for all chats")
            return _("%(who)s turned recall off in %(agent)s for all chats")
        case "recall.toggle":
            if detail.get("enabled"):
                return _("%(who)s turned recall on in %(agent)s for one chat")
            return _("%(who)s turned recall off in %(agent)s for one chat")
        case "user.login.denied" if event.target:
            return _("%(who)s gave a wrong password for %(what)s")
    return None
