"""What can be chosen about recall, by its names: modes, query modes, prompt styles."""

from typing import Literal

RecallMode = Literal["escalate", "always", "off"]
QueryMode = Literal["message", "recent", "full"]
PromptStyle = Literal["auto", "strict", "balanced", "contextual", "recall-heavy", "precision-heavy", "preference-only"]
