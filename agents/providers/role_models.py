"""embedder_for(), reranker_for(), generator_for(): who does a role for an agent; None when nobody is to."""

from __future__ import annotations

from agents.models import Agent
from agents.providers.embedding import get_embedder
from agents.providers.local_models import local_models
from agents.providers.plans import RolePlan, address_of, agent_plan, recall_plan, server_plan
from search.errors import EmbedderUnavailable
from search.runtime.own_queries import OwnQueries
from search.runtime.protocols import Embedder, Generator, Reranker
from search.runtime.providers.choice import LOCAL, NONE, ModelChoice
from search.runtime.providers.fallback import FallbackEmbedder, FallbackGenerator, FallbackReranker
from search.runtime.providers.make import remote_embedder, remote_embedders, remote_generator, remote_reranker
from search.spec import EmbeddingIdentity


def embedder_for(agent: Agent, server: RolePlan | None = None) -> Embedder | None:
    """Its query vectors are remembered for this agent alone.

    `server`: the server's plan, where it was read already for many agents.
    """
    return _own(plan_embedder(agent_plan("embed", agent, server)), agent)


def reranker_for(agent: Agent) -> Reranker | None:
    """Raises `RerankerUnavailable` only where this process has no local models at all."""
    return plan_reranker(agent_plan("rerank", agent))


def generator_for(agent: Agent) -> Generator | None:
    """Raises `GeneratorUnavailable` only where this process has no local models at all."""
    return plan_generator(agent_plan("generate", agent))


def recall_generator_for(agent: Agent) -> Generator | None:
    """The same for the summaries of recall."""
    return plan_generator(recall_plan(agent))


def plan_embedder(plan: RolePlan) -> Embedder | None:
    first, second = _embedder(plan, plan.first), _embedder(plan, plan.second)
    if first is None or second is None:
        return first
    return _with_fallback(first, second)


def plan_reranker(plan: RolePlan) -> Reranker | None:
    first, second = _reranker(plan, plan.first), _reranker(plan, plan.second)
    return FallbackReranker(first, second) if first is not None and second is not None else first


def plan_generator(plan: RolePlan) -> Generator | None:
    first, second = _generator(plan, plan.first), _generator(plan, plan.second)
    return FallbackGenerator(first, second) if first is not None and second is not None else first


def former_embedder(agent: Agent, identity: EmbeddingIdentity) -> Embedder | None:
    """Whoever makes vectors of this identity, although another is to do it now: for an index not rebuilt yet."""
    return _own(embedder_of(identity), agent)


def embedder_of(identity: EmbeddingIdentity) -> Embedder | None:
    plan = server_plan("embed")
    candidates = [
        *remote_embedders(),
        _embedder(plan, plan.first),
        _embedder(plan, plan.second),
        _embedder(plan, ModelChoice(LOCAL)),
    ]
    if identity.provider == LOCAL:
        candidates.append(local_models().embedder(identity.model))
    return next((embedder for embedder in candidates if embedder is not None and _is(embedder, identity)), None)


def _own(embedder: Embedder | None, agent: Agent) -> Embedder | None:
    return None if embedder is None else OwnQueries(embedder, agent.pk)


def _is(embedder: Embedder, identity: EmbeddingIdentity) -> bool:
    try:
        return embedder.identity().fingerprint == identity.fingerprint
    except EmbedderUnavailable:
        return False


_pairs: dict[tuple[int, int], FallbackEmbedder] = {}


def _with_fallback(first: Embedder, second: Embedder) -> FallbackEmbedder:
    """One per pair and process: whose turn it is must not be forgotten between two jobs."""
    # The pair holds on to both, so that their ids stay theirs.
    return _pairs.setdefault((id(first), id(second)), FallbackEmbedder(first, second))


def _embedder(plan: RolePlan, choice: ModelChoice) -> Embedder | None:
    if choice.is_remote:
        return remote_embedder(choice, address_of(plan, choice), plan.dims if choice == plan.first else None)
    if choice.provider == NONE:
        return None
    return local_models().embedder(choice.model) if choice.model else get_embedder()


def _reranker(plan: RolePlan, choice: ModelChoice) -> Reranker | None:
    if choice.is_remote:
        return remote_reranker(choice, address_of(plan, choice))
    return None if choice.provider == NONE else local_models().reranker(choice.model)


def _generator(plan: RolePlan, choice: ModelChoice) -> Generator | None:
    if choice.is_remote:
        return remote_generator(choice, address_of(plan, choice))
    return None if choice.provider == NONE else local_models().generator(choice.model)
