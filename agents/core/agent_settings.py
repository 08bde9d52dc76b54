"""The typed table of what can be set per agent; an agent's row keeps only what was set for it.

What was not comes from the owner's defaults for all agents (`DefaultSettings`), then from the table itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, cast, get_args

from django.utils.translation import gettext_noop as _
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from agents.core.errors import Invalid, MemoryDisabled
from agents.models import Agent, DefaultSettings
from search.profiles import MOST_CANDIDATES
from search.recall.choices import PromptStyle, QueryMode, RecallMode
from search.runtime.presets import Role
from search.runtime.protocols import Thinking
from search.runtime.providers.choice import parse_choice
from search.sentences import sentence
from search.spec import Mode, RankingSpec

ChatId = Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, min_length=1, max_length=200)]
_ROLE_FIELDS = tuple(f"{role}_{rank}" for role in get_args(Role) for rank in ("model", "fallback"))


_FORMER_LEVELS = {"minimal": "low", "adaptive": "medium", "xhigh": "high", "max": "high"}

OF_ONE_AGENT = frozenset({"memory_enabled", "share_vectors", *_ROLE_FIELDS})
"""Settings without a default for all agents: each agent is switched on and shares by its own choice, and the default of
models is the server's choice for each role."""


class AgentSettings(BaseModel):
    """Ranking values that are null come from the ranking profile; intervals that are null from the server's options."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    memory_enabled: bool = Field(
        True, description=_("Off: the agent has no memory tools, and its index isn't updated.")
    )
    mode: Mode = Field("hybrid", description=_("Search mode if a request doesn't name one."))
    max_results: int = Field(6, ge=1, le=100, description=_("Number of results if a search doesn't name one."))
    min_score: float = Field(0.35, ge=0, le=1, description=_("Results below this score are left out."))
    keyword_fill: bool = Field(
        True,
        description=_("Fill the list with results below the minimum score that hold words of the query."),
    )
    snippet_chars: int = Field(1300, ge=80, le=4000, description=_("Maximum length of the text shown for a result."))
    citations: Literal["auto", "on", "off"] = Field(
        "auto", description=_("Show the source of results. auto: not in groups and channels.")
    )
    remember_across_conversations: bool = Field(
        True, description=_("Let a private chat search transcripts of the agent's other private chats.")
    )
    deadline_ms: int = Field(
        30_000, ge=50, le=120_000, description=_("After this time a search returns what it has found so far.")
    )
    ranking_profile: Literal["default", "reference"] = Field(
        "default",
        description=_("A preset of ranking values: the best measured, or 0.7 / 0.3 with 30 days."),
    )
    vector_weight: float | None = Field(None, ge=0, le=1, description=_("Weight of meaning."))
    keyword_weight: float | None = Field(None, ge=0, le=1, description=_("Weight of words."))
    late_interaction: bool = Field(
        True,
        description=_("Compare the best candidates word by word; off: nothing is kept for it either."),
    )
    decay: Literal["off", "exponential", "gentle"] | None = Field(None, description=_("How age lowers a score."))
    half_life_days: float | None = Field(
        None, ge=1, le=36_500, description=_("Age at which a score has lost half of what ageing takes away.")
    )
    importance: bool | None = Field(None, description=_("Use `importance:` annotations in ranking."))
    mmr: bool | None = Field(None, description=_("Show fewer results that repeat each other."))
    mmr_lambda: float | None = Field(None, ge=0, le=1, description=_("1: relevance only; 0: variety only."))
    candidates: int | None = Field(
        None, ge=10, le=MOST_CANDIDATES, description=_("Passages that words and meaning each contribute.")
    )
    context_file_chars: int = Field(
        20_000,
        ge=100,
        le=200_000,
        description=_("Characters of MEMORY.md that a new chat starts with (USER.md: 4,000)."),
    )
    context_total_chars: int = Field(
        60_000, ge=100, le=500_000, description=_("Characters of all curated files together at the start of a chat.")
    )
    context_daily_days: int = Field(
        2, ge=0, le=14, description=_("How many days of notes a new chat starts with: today, yesterday …")
    )
    context_daily_file_chars: int = Field(
        1_200, ge=100, le=10_000, description=_("Characters of one day's notes at the start of a chat.")
    )
    context_daily_total_chars: int = Field(
        2_800, ge=100, le=50_000, description=_("Characters of all notes together at the start of a chat.")
    )
    disk_quota_mb: int | None = Field(
        None,
        ge=0,
        le=10**7,
        description=_("Megabytes that the workspace and transcripts may use; more is refused. 0: no limit."),
    )
    transcript_retention_days: int | None = Field(
        None, ge=1, le=36_500, description=_("How long messages are kept in transcripts. Empty: forever.")
    )
    decisions_to: Literal["memory", "daily"] = Field(
        "memory", description=_("Where a flush writes decisions: MEMORY.md while it has room, or the daily log.")
    )
    consolidate_enabled: bool = Field(
        False,
        description=_("On: usage is counted, and notes that searches keep using are promoted to MEMORY.md at night."),
    )
    recall_enabled: bool = Field(True, description=_("Off: no recall for this agent."))
    recall_mode: RecallMode = Field(
        "escalate",
        description=_(
            "always: search on every turn; escalate: only if the message asks about something "
            "remembered; off: trigger phrases only."
        ),
    )
    recall_chat_types: tuple[Literal["direct", "group", "channel", "explicit"], ...] = Field(
        ("direct", "explicit"), description=_("Chat types with recall.")
    )
    recall_allowed_chat_ids: tuple[ChatId, ...] = Field(
        (), max_length=1000, description=_("If set, only these chats have recall.")
    )
    recall_denied_chat_ids: tuple[ChatId, ...] = Field(
        (), max_length=1000, description=_("Chats without recall, even if they are allowed below.")
    )
    recall_timeout_ms: int = Field(
        15_000, ge=250, le=120_000, description=_("After this time recall returns what it has found so far.")
    )
    recall_max_summary_chars: int = Field(220, ge=40, le=1000, description=_("Maximum length of a summary."))
    recall_query_mode: QueryMode = Field(
        "recent", description=_("What the writing model sees: the message, recent turns too, or all turns.")
    )
    recall_prompt_style: PromptStyle = Field(
        "auto", description=_("How readily the writing model mentions something. auto: depends on the query mode.")
    )
    recall_prompt_append: str = Field("", max_length=4000, description=_("Added to the writing model's instructions."))
    recall_prompt_override: str = Field(
        "", max_length=8000, description=_("Replaces the writing model's instructions.")
    )
    recall_model: str | None = Field(
        None,
        description=_(
            "Model that writes recall's summaries, `provider` or `provider:model`. Empty: the writing model."
        ),
    )
    recall_thinking: Thinking = Field("off", description=_("How much the writing model may think before it answers."))
    recall_store_messages: bool = Field(
        False, description=_("Keep the message and the full query in the recall log; otherwise only search terms.")
    )
    recall_retention_days: int = Field(30, ge=1, le=3650, description=_("How long recall events are kept."))
    embed_model: str | None = Field(
        None, description=_("Embedding model, `provider` or `provider:model`. Empty: the server default.")
    )
    embed_fallback: str | None = Field(None, description=_("Fallback for embedding. `none`: no fallback."))
    rerank_model: str | None = Field(None, description=_("Reranking model, `provider` or `provider:model`."))
    rerank_fallback: str | None = Field(None, description=_("Fallback for reranking."))
    generate_model: str | None = Field(None, description=_("Writing model, `provider` or `provider:model`."))
    generate_fallback: str | None = Field(None, description=_("Fallback for writing."))
    share_vectors: bool = Field(
        False,
        description=_(
            "On: reuse vectors of identical text among agents that also allow it. Only vectors are shared, never text."
        ),
    )
    update_interval_seconds: int | None = Field(
        None,
        ge=5,
        le=86_400,
        description=_("How often files are checked for changes. Empty: MEMORY_UPDATE_INTERVAL_SECONDS."),
    )
    update_debounce_seconds: float | None = Field(
        None,
        ge=0,
        le=3600,
        description=_("Wait between updates while files change. Empty: MEMORY_UPDATE_DEBOUNCE_SECONDS."),
    )

    @field_validator(*_ROLE_FIELDS)
    @classmethod
    def _known_provider(cls, value: str | None, info: ValidationInfo) -> str | None:
        role = cast(Role, str(info.field_name).split("_")[0])
        return None if value is None else str(parse_choice(role, value))

    @field_validator("recall_model")
    @classmethod
    def _known_writer(cls, value: str | None) -> str | None:
        return None if value is None else str(parse_choice("generate", value))

    @field_validator("recall_thinking", mode="before")
    @classmethod
    def _former_level(cls, value: object) -> object:
        """Earlier versions, and OpenClaw, tell more levels apart than any provider does."""
        return _FORMER_LEVELS.get(value, value) if isinstance(value, str) else value

    def stored(self) -> dict[str, Any]:
        """What was set, also where it is the default: the JSON that a row keeps."""
        return self.model_dump(mode="json", exclude_unset=True)

    def ranking(self) -> RankingSpec:
        return RankingSpec(
            profile=self.ranking_profile,
            vector_weight=self.vector_weight,
            keyword_weight=self.keyword_weight,
            late_interaction=self.late_interaction,
            decay=self.decay,
            half_life_days=self.half_life_days,
            importance=self.importance,
            mmr=self.mmr,
            mmr_lambda=self.mmr_lambda,
            candidates=self.candidates,
        )


Source = Literal["agent", "defaults", "built-in"]
"""Where a value comes from: the agent's row, the owner's defaults for all agents, the table."""


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One line of the table as doors show it. `default`: the value without one of its own, `schema` its JSON schema."""

    name: str
    value: Any
    default: Any
    source: Source
    help: str
    schema: dict[str, Any]


def default_settings() -> dict[str, Any]:
    """The owner's defaults for all agents, as they are stored."""
    row = DefaultSettings.objects.first()
    return _usable(row.values) if row is not None else {}


def held_default_settings() -> dict[str, Any]:
    """The same for a row of an agent that is written in this transaction: they do not change before its end."""
    DefaultSettings.objects.get_or_create(pk=True)
    return _usable(DefaultSettings.objects.select_for_update().get(pk=True).values)


def read_settings(agent: Agent) -> AgentSettings:
    """The agent's own settings over the defaults for all agents, which its row holds too.

    A value that a newer or older version wrote and this one does not know is left out, and so is a whole column that
    holds no object: one broken row must not stop what is done for all agents.
    """
    return settings_over(agent.settings, agent.defaults)


def settings_over(own: Any, defaults: Any) -> AgentSettings:
    """`own` and `defaults`: what rows hold."""
    try:
        return AgentSettings.model_validate({**defaults, **own})
    except (TypeError, ValidationError):
        return AgentSettings.model_validate({**_usable(defaults), **_usable(own)})


def _usable(stored: Any) -> dict[str, Any]:
    """The part of a stored object that this version knows and takes."""
    held = stored if isinstance(stored, dict) else {}
    known = {name: value for name, value in held.items() if name in AgentSettings.model_fields}
    try:
        AgentSettings.model_validate(known)
    except ValidationError as error:
        bad = {str(problem["loc"][0]) for problem in error.errors()}
        return {name: value for name, value in known.items() if name not in bad}
    return known


def memory_on(own: dict[str, Any]) -> bool:
    """Whether the agent with this row of settings is switched on: no default speaks for it, so nothing else is read."""
    return settings_over(own, {}).memory_enabled


def enabled_settings(agent: Agent) -> AgentSettings:
    """Raises `MemoryDisabled` where the agent's memory is off."""
    own = read_settings(agent)
    if not own.memory_enabled:
        raise MemoryDisabled(agent.slug)
    return own


def changed_settings(stored: dict[str, Any], changes: dict[str, Any]) -> AgentSettings:
    """`stored` with `changes`; a null returns a setting to its default. Raises `Invalid`, naming the setting."""
    values = {**_usable(stored), **changes}
    unknown = sorted(set(changes) - set(AgentSettings.model_fields))
    if unknown:
        raise Invalid(
            sentence("There is no setting named {unknown}.", unknown=", ".join(unknown)),
            hint=sentence("Settings are: {model_fields}.", model_fields=", ".join(AgentSettings.model_fields)),
            field=f"settings.{unknown[0]}",
            code="unknown_setting",
        )
    try:
        return AgentSettings.model_validate({name: value for name, value in values.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0])
        raise Invalid(
            f"{name}: {first['msg']}.",
            hint=AgentSettings.model_fields[name].description or "",
            field=f"settings.{name}",
        ) from error


def without_texts(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as the log keeps them: a prompt is a text that only the owner's settings hold."""
    return {
        name: "(text)" if isinstance(value, str) and (" " in value or len(value) > 60) else value
        for name, value in settings.items()
    }


@cache
def _schemas() -> dict[str, dict[str, Any]]:
    """The JSON schema of every value; it takes milliseconds to make and never changes."""
    return dict(AgentSettings.model_json_schema()["properties"])


def settings_table(own: Any, defaults: Any) -> tuple[SettingRow, ...]:
    """Every setting of a row over a row of defaults and where it comes from, in the table's order."""
    schemas, mine, below = _schemas(), _usable(own), _usable(defaults)
    values, inherited = settings_over(mine, below), settings_over({}, below)
    return tuple(
        SettingRow(
            name=name,
            value=getattr(values, name),
            default=getattr(inherited, name),
            source="agent" if name in mine else "defaults" if name in below else "built-in",
            help=field.description or "",
            schema={
                key: value for key, value in schemas[name].items() if key not in ("title", "description", "default")
            },
        )
        for name, field in AgentSettings.model_fields.items()
    )
