"""An agent's settings as the API shows them: the values, and the table that explains each."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, RootModel

from agents.core.agent_settings import AgentSettings, Source, settings_table
from memory_appliance.api.schemas.base import Answer, plain_values

Settings = Annotated[dict[str, Any], AfterValidator(lambda given: plain_values(given, AgentSettings))]


class SettingsBody(RootModel[Settings]):
    """Names with their new values; null returns a setting to its default."""


class SettingAnswer(Answer):
    name: str
    value: Any
    default: Any
    """What null returns it to."""
    source: Source
    help: str
    allowed: dict[str, Any]
    """JSON schema of the value."""


class SettingsAnswer(Answer):
    settings: dict[str, Any]
    items: list[SettingAnswer]


def settings_answer(own: dict[str, Any], defaults: dict[str, Any]) -> SettingsAnswer:
    rows = settings_table(own, defaults)
    return SettingsAnswer(
        settings={row.name: row.value for row in rows},
        items=[
            SettingAnswer(
                name=row.name,
                value=row.value,
                default=row.default,
                source=row.source,
                help=row.help,
                allowed=row.schema,
            )
            for row in rows
        ],
    )
