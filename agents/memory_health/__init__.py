"""How an agent's memory fares: what grows too large, what is never found, what stands twice or disagrees."""

from agents.memory_health.review import Pair, Reviewed, carry_out, last_review, request_review
from agents.memory_health.sizes import Size, sizes
from agents.memory_health.uses import Uses, count_found, forget_uses, store_uses, uses

__all__ = [
    "Pair",
    "Reviewed",
    "Size",
    "Uses",
    "carry_out",
    "count_found",
    "forget_uses",
    "last_review",
    "request_review",
    "sizes",
    "store_uses",
    "uses",
]
