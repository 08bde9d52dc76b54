"""The settings of an agent in groups, each with a title that people understand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from agents.core.agent_settings import AgentSettings

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Group:
    """`titles`: the group's settings in their order, each with what a person calls it; `advanced`: those shown last."""

    name: str
    title: StrOrPromise
    text: StrOrPromise
    titles: Mapping[str, StrOrPromise]
    advanced: tuple[str, ...] = ()


_NAMED: tuple[Group, ...] = (
    Group(
        "search",
        _("Search"),
        _("Defaults for searches that don't say otherwise."),
        {
            "mode": _("Search mode"),
            "max_results": _("Results"),
            "min_score": _("Minimum score"),
            "keyword_fill": _("Fill with keyword results"),
            "snippet_chars": _("Length of a result's text"),
            "citations": _("Citations"),
            "remember_across_conversations": _("Search other chats"),
            "deadline_ms": _("Time limit in milliseconds"),
        },
        advanced=("keyword_fill", "snippet_chars", "deadline_ms"),
    ),
    Group(
        "ranking",
        _("Ranking"),
        _("How words, meaning, age and importance set the order. Empty fields follow the profile."),
        {
            "ranking_profile": _("Profile"),
            "vector_weight": _("Weight of meaning"),
            "keyword_weight": _("Weight of words"),
            "late_interaction": _("Compare word by word"),
            "decay": _("Ageing"),
            "half_life_days": _("Half-life in days"),
            "importance": _("Use importance"),
            "mmr": _("Avoid similar results"),
            "mmr_lambda": _("Relevance against variety"),
            "candidates": _("Candidates"),
        },
        advanced=("vector_weight", "keyword_weight", "late_interaction", "mmr", "mmr_lambda", "candidates"),
    ),
    Group(
        "recall",
        _("Recall before a reply"),
        _("When memory is recalled before the agent replies, and in which chats."),
        {
            "recall_enabled": _("Recall"),
            "recall_mode": _("When to search"),
            "recall_chat_types": _("Chat types with recall"),
            "recall_allowed_chat_ids": _("Only in these chats"),
            "recall_denied_chat_ids": _("Never in these chats"),
            "recall_timeout_ms": _("Time limit in milliseconds"),
            "recall_max_summary_chars": _("Length of the summary"),
        },
        advanced=("recall_timeout_ms",),
    ),
    Group(
        "writing",
        _("Writing model in recall"),
        _("Only with a writing model."),
        {
            "recall_query_mode": _("What it sees"),
            "recall_prompt_style": _("How readily it mentions something"),
            "recall_prompt_append": _("Add to its instructions"),
            "recall_prompt_override": _("Replace its instructions"),
            "recall_model": _("Model"),
            "recall_thinking": _("Thinking"),
        },
        advanced=("recall_model", "recall_query_mode", "recall_prompt_override"),
    ),
    Group(
        "start",
        _("Start of a new chat"),
        _("Limits in characters. The text says where it was cut."),
        {
            "context_file_chars": _("MEMORY.md"),
            "context_total_chars": _("All curated files"),
            "context_daily_days": _("Days of notes"),
            "context_daily_file_chars": _("One day's notes"),
            "context_daily_total_chars": _("All daily notes"),
        },
        advanced=("context_total_chars", "context_daily_file_chars", "context_daily_total_chars"),
    ),
    Group(
        "keeping",
        _("What is kept"),
        _("Transcripts, decisions and the recall log."),
        {
            "transcript_retention_days": _("Days to keep transcripts"),
            "disk_quota_mb": _("Disk quota in megabytes"),
            "decisions_to": _("Where decisions go"),
            "consolidate_enabled": _("Promote what is used"),
            "recall_store_messages": _("Keep messages in the recall log"),
            "recall_retention_days": _("Days to keep the recall log"),
        },
    ),
    Group(
        "models",
        _("Models"),
        _("This agent's own choice. Empty fields use the server default."),
        {
            "embed_model": _("Embedding model"),
            "embed_fallback": _("Embedding fallback"),
            "rerank_model": _("Reranking model"),
            "rerank_fallback": _("Reranking fallback"),
            "generate_model": _("Writing model"),
            "generate_fallback": _("Writing fallback"),
            "share_vectors": _("Share vectors of identical text"),
        },
        advanced=("embed_fallback", "rerank_fallback", "generate_fallback", "share_vectors"),
    ),
    Group(
        "index",
        _("Index"),
        _("Whether and how often files are checked for changes."),
        {
            "memory_enabled": _("Memory"),
            "update_interval_seconds": _("Seconds between updates"),
            "update_debounce_seconds": _("Wait while files change"),
        },
        advanced=("update_interval_seconds", "update_debounce_seconds"),
    ),
)

_UNNAMED = [name for name in AgentSettings.model_fields if not any(name in group.titles for group in _NAMED)]
_OTHER = Group("other", _("More"), "", {name: name.replace("_", " ").capitalize() for name in _UNNAMED})

GROUPS: tuple[Group, ...] = (*_NAMED, _OTHER) if _UNNAMED else _NAMED
