"""The table of providers: what a new row needs, and where it must be named."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from memory_appliance.settings.groups import GROUPS
from memory_appliance.settings.options import Options, is_secret
from search.runtime.presets import Role
from search.runtime.providers.choice import MODELS, parse_choice
from search.runtime.providers.table import EMBEDDING, PROVIDERS, WRITING, Provider

MODELS_PAGE = Path(__file__).resolve().parents[3] / "docs" / "models.md"


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_a_row_has_all_that_its_roles_need(provider: Provider) -> None:
    assert provider.models and set(provider.models) <= set(get_args(Role))
    assert (provider.name in EMBEDDING) == ("embed" in provider.models)
    assert (provider.name in WRITING) == ("generate" in provider.models)
    assert provider.base_url.startswith(("http://", "https://")) or provider.own_address
    for role, model in provider.models.items():
        assert parse_choice(role, provider.name).model == model == MODELS[role][provider.name]


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_a_row_has_its_options_and_is_explained(provider: Provider) -> None:
    shown = {name for group in GROUPS for name in group.fields}
    assert is_secret(f"{provider.name}_api_key") and f"{provider.name}_api_key" in shown
    assert (f"{provider.name}_base_url" in Options.model_fields) == bool(provider.own_address)
    assert f"`{provider.name}`" in MODELS_PAGE.read_text(encoding="utf-8"), "explain it in docs/models.md"
