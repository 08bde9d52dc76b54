"""What a new chat starts with: curated memory and the last days' notes, within budgets, and never silently cut."""

from agents.context.assemble import Context, context
from agents.context.budget import Budgets, Injected
from agents.context.limits import near_limits

__all__ = ["Budgets", "Context", "Injected", "context", "near_limits"]
