"""Share a collection with other agents, read-only, and take it back."""

from __future__ import annotations

from collections.abc import Collection as Slugs

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agents.core.actors import Actor
from agents.core.audit import record
from agents.core.errors import Conflict, Invalid
from agents.models import Agent, Collection, CollectionShare
from search.sentences import sentence


def share_collection(*, actor: Actor, collection: Collection, readers: Slugs[str], known: Q | None = None) -> None:
    """Make `readers` the agents that may search and read `collection`; those not named lose it at once.

    `known`: the agents that the caller may know of. Others can be neither given a share nor lose theirs.

    Raises `Invalid` for an agent that does not exist or owns the collection, `Conflict` for transcripts, which stay
    with the agent whose chats they are.
    """
    owner = collection.agent
    if readers and collection.kind == Collection.Kind.SESSIONS:
        raise Conflict(sentence("Transcripts are not shared with other agents."), hint=sentence("Share notes instead."))
    if owner.slug in readers:
        raise Invalid(
            sentence("An agent needs no share of its own collection."),
            hint=sentence("Leave it out."),
            field="shared_with",
        )
    agents = {agent.slug: agent for agent in Agent.objects.filter(known or Q(), slug__in=readers)}
    unknown = sorted(set(readers) - set(agents))
    if unknown:
        raise Invalid(
            sentence("There is no agent {unknown}.", unknown=", ".join(unknown)),
            hint=sentence("GET /api/v1/agents lists them."),
            field="shared_with",
        )
    with transaction.atomic():
        theirs = Agent.objects.filter(known or Q()).values("pk")
        before = {share.reader.slug: share for share in collection.shares.filter(reader__in=theirs)}
        added, removed = sorted(set(agents) - set(before)), sorted(set(before) - set(agents))
        for slug in added:
            CollectionShare.objects.create(collection=collection, reader=agents[slug])
        for slug in removed:
            before[slug].delete()
        if added or removed:
            _note(actor, collection, added=added, removed=removed)


def leave_share(*, actor: Actor, share: CollectionShare) -> None:
    """The reader's side: this agent reads the collection no more."""
    with transaction.atomic():
        slug = share.reader.slug
        share.delete()
        _note(actor, share.collection, added=[], removed=[slug])


def want_update_of_readers(collection: Collection) -> None:
    """What changes for the owner's index changes for the indexes of those who read it."""
    Agent.objects.filter(shared_in__collection=collection).update(update_requested_at=timezone.now())


def want_update_of_all_readers(agent: Agent) -> None:
    """The same for everything that `agent` shares."""
    readers = Agent.objects.filter(shared_in__collection__agent=agent)
    Agent.objects.filter(pk__in=readers.values("pk")).update(update_requested_at=timezone.now())


def _note(actor: Actor, collection: Collection, *, added: list[str], removed: list[str]) -> None:
    """One line for the owner's log and one for every reader's; their indexes follow within seconds."""
    owner = collection.agent.slug
    target = f"{owner}/{collection.name}"
    Agent.objects.filter(slug__in=[*added, *removed]).update(update_requested_at=timezone.now())
    record(
        actor=actor,
        action="collection.share",
        target=target,
        agent_slug=owner,
        detail={"added": added, "removed": removed},
    )
    for action, slugs in (("collection.shared_in", added), ("collection.share_ended", removed)):
        for slug in slugs:
            record(actor=actor, action=action, target=target, agent_slug=slug)
