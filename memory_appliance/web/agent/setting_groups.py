"""The settings of an agent in groups, each with a title that people understand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from agents.agent_settings import AgentSettings

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Group:
    """`titles`: the group's settings in their order, each with what a person calls it."""

    name: str
    title: StrOrPromise
    text: StrOrPromise
    titles: Mapping[str, StrOrPromise]


_NAMED: tuple[Group, ...] = (
    Group(
        "search",
        _("Search"),
        _("What a search answers when the request does not say otherwise."),
        {
            "mode": _("Search mode"),
            "max_results": _("Results"),
            "min_score": _("Lowest score"),
            "snippet_chars": _("Length of a passage"),
            "citations": _("Citations"),
            "remember_across_conversations": _("Search other conversations"),
            "deadline_ms": _("Time limit in milliseconds"),
        },
    ),
    Group(
        "ranking",
        _("Ranking"),
        _("How words, meaning, age and importance make the order. Empty fields follow the profile."),
        {
            "ranking_profile": _("Profile"),
            "vector_weight": _("Weight of the meaning"),
            "keyword_weight": _("Weight of the words"),
            "decay": _("Ageing"),
            "half_life_days": _("Half-life in days"),
            "importance": _("Importance counts"),
            "mmr": _("Spread similar results"),
            "mmr_lambda": _("Relevance against variety"),
        },
    ),
    Group(
        "recall",
        _("Recall before a reply"),
        _("When the memory is asked before the agent answers, and for whom."),
        {
            "recall_enabled": _("Recall"),
            "recall_mode": _("When to search"),
            "recall_chat_types": _("For these kinds of chat"),
            "recall_allowed_chat_ids": _("Only for these chats"),
            "recall_denied_chat_ids": _("Never for these chats"),
            "recall_timeout_ms": _("Time limit in milliseconds"),
            "recall_max_summary_chars": _("Length of the summary"),
        },
    ),
    Group(
        "writing",
        _("The writing model in a recall"),
        _("Only for agents with a writing model."),
        {
            "recall_query_mode": _("What it is shown"),
            "recall_prompt_style": _("How readily it brings something up"),
            "recall_prompt_append": _("Added to its instructions"),
            "recall_prompt_override": _("In place of its instructions"),
            "recall_thinking": _("Room to think"),
        },
    ),
    Group(
        "start",
        _("What a new chat starts with"),
        _("Budgets in characters; what is cut is announced in the text."),
        {
            "context_file_chars": _("MEMORY.md"),
            "context_total_chars": _("All curated files"),
            "context_daily_days": _("Days of notes"),
            "context_daily_file_chars": _("Notes of one day"),
            "context_daily_total_chars": _("All notes of days"),
        },
    ),
    Group(
        "keeping",
        _("What is kept"),
        _("Transcripts, decisions, and the log of recalls."),
        {
            "transcript_retention_days": _("Days that turns are kept"),
            "disk_quota_mb": _("Disk quota in megabytes"),
            "decisions_to": _("Where decisions go"),
            "consolidate_enabled": _("Promote what is used"),
            "recall_store_messages": _("Messages in the recall log"),
            "recall_retention_days": _("Days that the recall log is kept"),
        },
    ),
    Group(
        "models",
        _("Models"),
        _("This agent's own choice; empty fields follow the server's."),
        {
            "embed_model": _("Who embeds"),
            "embed_fallback": _("Who embeds when the first fails"),
            "rerank_model": _("Who reranks"),
            "rerank_fallback": _("Who reranks when the first fails"),
            "generate_model": _("Who writes"),
            "generate_fallback": _("Who writes when the first fails"),
            "share_vectors": _("Share vectors of equal text"),
        },
    ),
    Group(
        "index",
        _("Index"),
        _("Whether and how often the files are looked at."),
        {
            "memory_enabled": _("Memory"),
            "update_interval_seconds": _("Seconds between two looks"),
            "update_debounce_seconds": _("Pause while files change"),
        },
    ),
)

_UNNAMED = [name for name in AgentSettings.model_fields if not any(name in group.titles for group in _NAMED)]
_OTHER = Group("other", _("More"), "", {name: name.replace("_", " ").capitalize() for name in _UNNAMED})

GROUPS: tuple[Group, ...] = (*_NAMED, _OTHER) if _UNNAMED else _NAMED
