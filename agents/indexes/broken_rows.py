"""row_faults(): what an agent's rows hold that no service of today would have stored, and what becomes of it.

Rows come from older versions, from a restore, or from a person with a database tool. One of them must stop neither
this agent nor any other; where it is about who may see what, the narrower reading holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.db.models import DateTimeField

from agents.access.scope import Match, Rule
from agents.access.sessions import CHAT_TYPES
from agents.columns.stored_values import is_no_time
from agents.core.errors import Invalid
from agents.core.paths import outside_roots, refuse_server_folders, workspace_fault
from agents.core.whose import whose_workspace
from agents.models import Agent, Collection, ScopeRule
from search.dates.zone import known_zone
from search.sentences import sentence

DENY_ALL = Rule("deny", Match())


def rule_of(row: ScopeRule) -> Rule:
    """The stored rule; one that cannot be read denies every chat that no rule before it has decided about."""
    match = _match(row.match)
    return DENY_ALL if match is None or row.action not in ("allow", "deny") else Rule(row.action, match)  # type: ignore[arg-type]


def _match(stored: object) -> Match | None:
    if not isinstance(stored, dict) or not all(value is None or isinstance(value, str) for value in stored.values()):
        return None
    if stored.get("chat_type") not in (None, *CHAT_TYPES):
        return None
    try:
        return Match(**stored)
    except TypeError:  # a condition of another version
        return None


def collection_fault(collection: Collection) -> str:
    """Why the collection is left out of its agent's memory; "" when it is not. A query for folders elsewhere only."""
    agent = collection.agent
    if not isinstance(collection.ignore, list) or not all(isinstance(one, str) for one in collection.ignore):
        return sentence("what it ignores is no list of patterns; save the collection again")
    if collection.kind == Collection.Kind.MEMORY:
        fault = workspace_fault(agent.workspace)
        return sentence("the workspace {workspace!r} {fault}", workspace=agent.workspace, fault=fault) if fault else ""
    folder = Path(collection.path)
    if "\0" in collection.path or not folder.is_absolute() or ".." in folder.parts:
        return sentence("its folder is no absolute path; give it another one")
    if outside_roots(folder):
        return sentence("{folder} lies outside the allowed roots (MEMORY_ALLOWED_ROOTS)", folder=folder)
    if folder.is_relative_to(agent.workspace):
        return ""
    try:
        own = agent.slug if collection.kind == Collection.Kind.SESSIONS else ""
        refuse_server_folders(folder, "path", own)
    except Invalid:
        return sentence("{folder} takes in the server's own files; give it another folder", folder=folder)
    if other := whose_workspace(folder, Agent.objects.exclude(pk=agent.pk)):
        return sentence(
            "{folder} belongs to the workspace of agent {other}, or holds it; let that agent share a collection",
            folder=folder,
            other=other,
        )
    return ""


def row_faults(agent: Agent) -> Iterator[str]:
    """In words, each with what to do."""
    if not isinstance(agent.settings, dict):
        yield sentence("Its settings are no object, so the defaults hold; save its settings again")
    if fault := workspace_fault(agent.workspace):
        yield sentence("Its workspace {workspace!r} {fault}; give it another", workspace=agent.workspace, fault=fault)
    if not known_zone(agent.timezone):
        yield sentence("There is no time zone {timezone!r}, so UTC holds; choose another", timezone=agent.timezone)
    for column in (field.attname for field in Agent._meta.fields if isinstance(field, DateTimeField)):
        if is_no_time(getattr(agent, column)):
            yield sentence(
                "Its row holds no time in {column}, so 1970 counts; write one with a database tool", column=column
            )
    for position, row in enumerate(agent.scope_rules.all(), 1):
        if rule_of(row) is DENY_ALL:
            yield sentence(
                "Rule {position} of its scope cannot be read and denies every chat; save the rules again",
                position=position,
            )
    for collection in agent.collections.all():
        if fault := collection_fault(collection):
            yield sentence("Collection {name} is left out: {fault}", name=collection.name, fault=fault)
