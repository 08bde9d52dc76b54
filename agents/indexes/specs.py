"""The border: rows of the control plane become the engine's frozen values here and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from django.conf import settings

from agents.access import provenance
from agents.access.scope import Scope
from agents.core.agent_settings import read_settings
from agents.core.paths import index_path
from agents.indexes.broken_rows import collection_fault, rule_of
from agents.models import Agent, Collection, CollectionShare
from agents.servers.common_vectors import CommonVectors
from search.documents.origin import named_origin
from search.sentences import sentence
from search.spec import MEMORY_PATTERNS, CollectionSpec, IndexSpec, Origin

CURATED = ("MEMORY.md", "USER.md")


def index_spec(agent: Agent) -> IndexSpec:
    """A query for the collections and one for those that others share, none when both were prefetched."""
    own = {collection.name: collection for collection in agent.collections.all()}
    shared = {shared_name(share): share for share in agent.shared_in.all()}
    faults = {name: collection_fault(collection) for name, collection in own.items()}
    faults |= {name: collection_fault(share.collection) for name, share in shared.items()}
    return IndexSpec(
        agent=agent.slug,
        path=index_path(agent.slug),
        collections=(
            *(collection_spec(agent, collection) for name, collection in own.items() if not faults[name]),
            *(shared_spec(share) for name, share in shared.items() if not faults[name]),
        ),
        timezone=agent.timezone,
        tokens=read_settings(agent).late_interaction,
        left_out=tuple((name, sentence("left out: {fault}", fault=fault)) for name, fault in faults.items() if fault),
    )


def embedding_spec(agent: Agent) -> IndexSpec:
    """`index_spec` for jobs that embed: it also names the indexes that vectors may be taken from.

    It looks for all other agents that share theirs, which no request should wait for.
    """
    spec, shares = index_spec(agent), read_settings(agent).share_vectors
    if settings.MEMORY_SERVER_NAME:
        return replace(spec, common=CommonVectors(agent.pk, shares))
    if not shares:
        return spec
    others = Agent.objects.filter(settings__share_vectors=True).exclude(pk=agent.pk)
    return replace(spec, vector_sources=tuple(index_path(slug) for slug in others.values_list("slug", flat=True)))


def collection_spec(agent: Agent, collection: Collection) -> CollectionSpec:
    """Paths of `memory` are workspace-relative; those of every other collection begin with its name."""
    spec = CollectionSpec(
        name=collection.name,
        root=Path(collection.path),
        patterns=(collection.pattern,),
        ignore=tuple(collection.ignore),
        source="sessions" if collection.kind == Collection.Kind.SESSIONS else "memory",
        prefix=f"{collection.name}/",
        include_by_default=collection.include_by_default,
        origin=default_origin(collection),
        recorded=provenance.lookup(agent.pk),
    )
    if collection.kind != Collection.Kind.MEMORY:
        return spec
    return replace(spec, root=Path(agent.workspace), patterns=MEMORY_PATTERNS, prefix="", curated=CURATED)


def shared_spec(share: CollectionShare) -> CollectionSpec:
    """The owner's folder as a collection of the reader's index. It is gone from searches as soon as the share is."""
    owner = share.collection.agent
    name = shared_name(share)
    return replace(collection_spec(owner, share.collection), name=name, prefix=f"{name}/", read_only=True)


def shared_name(share: CollectionShare) -> str:
    """`<owner>.<collection>`: neither part can hold a dot, so it is never the name of an own collection."""
    return f"{share.collection.agent.slug}.{share.collection.name}"


def default_origin(collection: Collection) -> Origin:
    """Of lines without a record: the owner's in the agent's own memory, nobody's elsewhere unless the owner says so."""
    if collection.origin:
        return named_origin(collection.origin)
    return "owner" if collection.kind == Collection.Kind.MEMORY else "untrusted"


def scope_of(agent: Agent) -> Scope:
    """One query for the rules, none when they were prefetched."""
    return Scope(
        default="allow" if agent.scope_default == "allow" else "deny",
        rules=tuple(map(rule_of, agent.scope_rules.all())),
    )
