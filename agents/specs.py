"""The border: rows of the control plane become the engine's frozen values here and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agents.models import Agent, Collection
from agents.paths import index_path
from agents.scope import Match, Rule, Scope
from search.spec import MEMORY_PATTERNS, CollectionSpec, IndexSpec

CURATED = ("MEMORY.md", "USER.md")


def index_spec(agent: Agent) -> IndexSpec:
    """One query for the collections, none when they were prefetched."""
    return IndexSpec(
        agent=agent.slug,
        path=index_path(agent.slug),
        collections=tuple(collection_spec(agent, collection) for collection in agent.collections.all()),
        timezone=agent.timezone,
    )


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
    )
    if collection.kind != Collection.Kind.MEMORY:
        return spec
    return replace(spec, root=Path(agent.workspace), patterns=MEMORY_PATTERNS, prefix="", curated=CURATED)


def scope_of(agent: Agent) -> Scope:
    """One query for the rules, none when they were prefetched."""
    return Scope(
        default="allow" if agent.scope_default == "allow" else "deny",
        rules=tuple(
            Rule("allow" if rule.action == "allow" else "deny", Match(**rule.match)) for rule in agent.scope_rules.all()
        ),
    )
