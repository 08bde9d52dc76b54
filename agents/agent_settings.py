"""The typed table of what can be set per agent; an agent's row keeps only what differs from the defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.errors import Invalid
from search.spec import Mode, RankingSpec


class AgentSettings(BaseModel):
    """Ranking values that are null come from the ranking profile; intervals that are null from the server's options."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    memory_enabled: bool = Field(True, description="Off: the agent has no memory tools, and its index rests.")
    mode: Mode = Field("hybrid", description="Search mode when a request names none.")
    max_results: int = Field(6, ge=1, le=100, description="Results of a search that names no number.")
    min_score: float = Field(0.35, ge=0, le=1, description="Results below this score are left out.")
    snippet_chars: int = Field(700, ge=80, le=4000, description="Longest passage shown for a result.")
    citations: Literal["auto", "on", "off"] = Field(
        "auto", description="Whether results name their source; auto: not in groups and channels."
    )
    remember_across_conversations: bool = Field(
        True, description="Whether a private chat may search the transcripts of the agent's other private chats."
    )
    deadline_ms: int = Field(30_000, ge=50, le=120_000, description="A search answers by then with what it has.")
    ranking_profile: Literal["default", "reference"] = Field(
        "default", description="Named set of ranking values: measured best, or the reference's 0.7 / 0.3 and 30 days."
    )
    vector_weight: float | None = Field(None, ge=0, le=1, description="Weight of the meaning.")
    keyword_weight: float | None = Field(None, ge=0, le=1, description="Weight of the words.")
    decay: Literal["off", "exponential", "gentle"] | None = Field(None, description="How age lowers a score.")
    half_life_days: float | None = Field(None, ge=1, le=36_500, description="Age at which the decay is half done.")
    importance: bool | None = Field(None, description="Whether `importance:` annotations weigh.")
    mmr: bool | None = Field(None, description="Whether results that repeat each other are spread.")
    mmr_lambda: float | None = Field(None, ge=0, le=1, description="1: relevance alone; 0: variety alone.")
    context_file_chars: int = Field(
        20_000, ge=100, le=200_000, description="Characters of MEMORY.md that a new chat starts with; USER.md: 4,000."
    )
    context_total_chars: int = Field(
        60_000, ge=100, le=500_000, description="Characters of all curated files together at the start of a chat."
    )
    context_daily_days: int = Field(
        2, ge=0, le=14, description="Days whose notes a new chat starts with: today, yesterday …"
    )
    context_daily_file_chars: int = Field(
        1_200, ge=100, le=10_000, description="Characters of one day's notes at the start of a chat."
    )
    context_daily_total_chars: int = Field(
        2_800, ge=100, le=50_000, description="Characters of all notes together at the start of a chat."
    )
    update_interval_seconds: int | None = Field(
        None, ge=5, le=86_400, description="How often the files are looked at; null: MEMORY_UPDATE_INTERVAL_SECONDS."
    )
    update_debounce_seconds: float | None = Field(
        None,
        ge=0,
        le=3600,
        description="Pause between updates while files change; null: MEMORY_UPDATE_DEBOUNCE_SECONDS.",
    )

    def stored(self) -> dict[str, Any]:
        """What differs from the defaults: the JSON that the agent's row keeps."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def ranking(self) -> RankingSpec:
        return RankingSpec(
            profile=self.ranking_profile,
            vector_weight=self.vector_weight,
            keyword_weight=self.keyword_weight,
            decay=self.decay,
            half_life_days=self.half_life_days,
            importance=self.importance,
            mmr=self.mmr,
            mmr_lambda=self.mmr_lambda,
        )


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One line of the table as doors show it. `schema` is the JSON schema of the value."""

    name: str
    value: Any
    default: Any
    help: str
    schema: dict[str, Any]


def read_settings(stored: dict[str, Any]) -> AgentSettings:
    """Settings of a row. A value that a newer or older version wrote and this one does not know is left out."""
    known = {name: value for name, value in stored.items() if name in AgentSettings.model_fields}
    try:
        return AgentSettings.model_validate(known)
    except ValidationError as error:
        bad = {str(problem["loc"][0]) for problem in error.errors()}
        return AgentSettings.model_validate({name: value for name, value in known.items() if name not in bad})


def changed_settings(stored: dict[str, Any], changes: dict[str, Any]) -> AgentSettings:
    """`stored` with `changes`; a null returns a setting to its default. Raises `Invalid`, naming the setting."""
    values = {**read_settings(stored).stored(), **changes}
    unknown = sorted(set(changes) - set(AgentSettings.model_fields))
    if unknown:
        raise Invalid(
            f"There is no setting named {', '.join(unknown)}.",
            hint=f"Settings are: {', '.join(AgentSettings.model_fields)}.",
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


def settings_table(settings: AgentSettings) -> tuple[SettingRow, ...]:
    """Every setting with its value, default and help, in the order of the table."""
    schemas = AgentSettings.model_json_schema()["properties"]
    return tuple(
        SettingRow(
            name=name,
            value=getattr(settings, name),
            default=field.default,
            help=field.description or "",
            schema={
                key: value for key, value in schemas[name].items() if key not in ("title", "description", "default")
            },
        )
        for name, field in AgentSettings.model_fields.items()
    )
