"""How an owner writes which model does what."""

from __future__ import annotations

import pytest

from search.runtime.providers.choice import ModelChoice, parse_choice


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("local", ModelChoice("local")),
        ("none", ModelChoice("none")),
        ("openai", ModelChoice("openai", "text-embedding-3-small")),
        ("ollama:qwen3-embedding:0.6b", ModelChoice("ollama", "qwen3-embedding:0.6b")),
        ("local:/models/own model.gguf", ModelChoice("local", "/models/own model.gguf")),
        (" gemini : gemini-embedding-2 ", None),
    ],
)
def test_a_choice_is_provider_and_model(text: str, choice: ModelChoice | None) -> None:
    if choice is None:
        with pytest.raises(ValueError, match="no provider"):
            parse_choice("embed", text)
    else:
        assert parse_choice("embed", text) == choice


@pytest.mark.parametrize("text", ["", "nobody", "cohere", "none:x", "openai:a\nb", "openai:" + "x" * 400])
def test_what_is_no_choice_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_choice("embed", text)


def test_every_role_has_its_own_providers() -> None:
    assert parse_choice("rerank", "cohere").model == "rerank-v3.5"
    with pytest.raises(ValueError, match="no provider for generate"):
        parse_choice("generate", "voyage")
