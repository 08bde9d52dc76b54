"""The fingerprint changes with everything that makes vectors incomparable, and with nothing else."""

from dataclasses import replace
from typing import Any

import pytest

from search.runtime.fingerprint import local_identity
from search.runtime.presets import BUNDLED


def test_the_same_set_up_has_the_same_fingerprint_on_every_machine() -> None:
    assert local_identity(BUNDLED, chunker_version=1).fingerprint == "ac64a4ca161dbf92"


@pytest.mark.parametrize(
    "change",
    [
        {"id": "another"},
        {"sha256": "0" * 64},
        {"dims": 385},
        {"pooling": "cls"},
        {"query_prompt": "{text}"},
        {"document_prompt": "{text}"},
        {"context": 256},
    ],
    ids=lambda change: next(iter(change)),
)
def test_another_model_or_prompt_has_another_fingerprint(change: dict[str, Any]) -> None:
    before = local_identity(BUNDLED, chunker_version=1)
    assert local_identity(replace(BUNDLED, **change), chunker_version=1).fingerprint != before.fingerprint


def test_another_chunker_has_another_fingerprint() -> None:
    identities = {local_identity(BUNDLED, chunker_version=version).fingerprint for version in (1, 2)}
    assert len(identities) == 2


def test_the_licence_and_the_calibration_do_not_matter() -> None:
    before = local_identity(BUNDLED, chunker_version=1)
    assert local_identity(replace(BUNDLED, licence="other"), chunker_version=1) == before
