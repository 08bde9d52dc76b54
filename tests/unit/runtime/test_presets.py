"""Every row of the registry is usable as it stands."""

import string

import pytest

from search.runtime.presets import BUNDLED, PRESETS, Preset


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.id)
def test_prompts_take_exactly_one_text(preset: Preset) -> None:
    assert preset.query_prompt.count("{text}") == preset.document_prompt.count("{text}") == 1


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.id)
def test_recorded_checksums_are_sha256(preset: Preset) -> None:
    assert preset.sha256 is None or (len(preset.sha256) == 64 and set(preset.sha256) <= set(string.hexdigits))


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.id)
def test_models_that_embed_say_how(preset: Preset) -> None:
    assert (preset.dims > 0) == (preset.role == "embed")
    assert preset.calibration.floor < preset.calibration.ceiling


def test_every_preset_is_found_by_its_id_and_says_where_it_comes_from() -> None:
    assert all(preset.id == key for key, preset in PRESETS.items())
    assert [preset.id for preset in PRESETS.values() if not preset.repo] == [BUNDLED.id]
