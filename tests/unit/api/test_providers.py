"""/providers: choosing who embeds, reranks and writes, and trying it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from agents.models import Agent, AuditEvent
from agents.providers.embedding import get_embedder
from agents.providers.role_models import embedder_for, generator_for, reranker_for
from tests.unit.api.conftest import Api, error_of
from tests.unit.providers.vendors import Asked, Said, VendorServer, serving, well

KEY = "sk-secret-0123456789abcdef"


@pytest.fixture
def vendor() -> Iterator[VendorServer]:
    with serving(well("openai")) as server:
        yield server


def role_of(answer: Any, role: str) -> dict[str, Any]:
    return next(item for item in answer.json()["items"] if item["role"] == role)


def test_until_something_is_set_the_options_decide(as_owner: Api) -> None:
    answer = as_owner.get("/providers")
    assert (role_of(answer, "embed")["model"], role_of(answer, "embed")["source"]) == ("local", "option")
    assert role_of(answer, "rerank")["provider"] == role_of(answer, "generate")["provider"] == "none"


def test_roles_are_set_one_by_one_and_brought_back_by_null(as_owner: Api) -> None:
    as_owner.put("/providers", {"embed": {"model": "ollama", "fallback": "local"}, "generate": {"model": "mistral"}})
    answer = as_owner.put("/providers", {"generate": None})
    embed = role_of(answer, "embed")
    assert (embed["model"], embed["fallback"], embed["source"]) == ("ollama:nomic-embed-text", "local", "server")
    assert role_of(answer, "generate")["source"] == "option"
    assert list(AuditEvent.objects.values_list("action", flat=True))[:2] == ["provider.reset", "provider.set"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"embed": {"model": "nobody"}}, "embed.model"),
        ({"rerank": {"model": "openai"}}, "rerank.model"),
        ({"embed": {"model": "local", "fallback": "x"}}, "embed.fallback"),
        ({"embed": {"model": "openai", "base_url": "ftp://x"}}, "embed.base_url"),
        ({"embed": {"model": "openai", "dimensions": 1}}, "embed.dimensions"),
        ({"embed": {"model": "openai", "api_key": KEY}}, "embed.api_key"),
        ({"sing": {"model": "local"}}, "sing"),
        ({"generate": {"model": "ollama"}, "embed": {"model": "?"}}, "embed.model"),
    ],
)
def test_what_cannot_be_set_changes_nothing(as_owner: Api, body: Any, field: str) -> None:
    before = as_owner.get("/providers").json()
    refused = as_owner.put("/providers", body)
    assert (refused.status_code, error_of(refused)["field"]) == (422, field)
    assert as_owner.get("/providers").json() == before


def test_a_key_is_shown_nowhere_and_goes_to_no_address_set_here(
    as_owner: Api, settings: Any, vendor: VendorServer
) -> None:
    settings.MEMORY_PROVIDER_KEYS = {"openai": SecretStr(KEY)}
    answer = as_owner.put("/providers", {"embed": {"model": "openai:m", "base_url": vendor.url}})
    assert KEY not in answer.content.decode()
    assert next(item for item in answer.json()["providers"] if item["name"] == "openai")["key_set"]
    assert as_owner.post("/providers/test", {"role": "embed"}).json()["ok"]
    assert "authorization" not in vendor.asked[0].headers


def test_a_key_goes_to_the_address_that_the_environment_names(
    as_owner: Api, settings: Any, vendor: VendorServer
) -> None:
    settings.MEMORY_PROVIDER_KEYS = {"openai": SecretStr(KEY)}
    settings.MEMORY_PROVIDER_URLS = {"openai": vendor.url}
    as_owner.put("/providers", {"embed": {"model": "openai:m"}})
    as_owner.post("/providers/test", {"role": "embed"})
    assert vendor.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_provider_without_its_key_says_which_option_is_missing(as_owner: Api) -> None:
    answer = as_owner.put("/providers", {"embed": {"model": "voyage"}})
    assert role_of(answer, "embed")["lacks"] == "no key is set, see MEMORY_VOYAGE_API_KEY"
    report = as_owner.post("/providers/test", {}).json()
    assert (report["ok"], report["kind"]) == (False, "auth")
    assert "MEMORY_VOYAGE_API_KEY" in report["error"]


def test_a_test_reports_dimension_and_time(as_owner: Api, vendor: VendorServer) -> None:
    body = {"role": "embed", "model": "openai:m", "base_url": vendor.url}
    report = as_owner.post("/providers/test", body).json()
    assert (report["ok"], report["detail"]["dims"], report["model"]) == (True, 4, "openai:m")
    assert report["took_ms"] > 0


def test_a_failing_test_is_an_answer_with_the_class_of_the_error(as_owner: Api, vendor: VendorServer) -> None:
    vendor.answer = lambda asked: Said({"error": {"message": "no", "code": "insufficient_quota"}}, 429)
    body = {"role": "generate", "model": "openai:m", "base_url": vendor.url}
    report = as_owner.post("/providers/test", body)
    assert report.status_code == 200
    assert (report.json()["ok"], report.json()["kind"]) == (False, "quota")
    assert report.json()["hint"]


def test_an_agents_own_choice_goes_before_the_servers(as_owner: Api, al: Agent) -> None:
    as_owner.put("/providers", {"embed": {"model": "none"}, "rerank": {"model": "jina"}})
    al.settings = as_owner.put(
        "/agents/al/settings", {"embed_model": "ollama:m", "rerank_model": "none", "generate_model": "mistral:m"}
    ).json()["settings"]
    assert reranker_for(al) is None
    assert generator_for(al).name == "mistral:m"  # type: ignore[union-attr]
    assert embedder_for(al) is not get_embedder()


def test_a_choice_that_is_none_is_refused_in_the_settings_too(as_owner: Api, al: Agent) -> None:
    refused = as_owner.put("/agents/al/settings", {"embed_model": "cohere"})
    assert (refused.status_code, error_of(refused)["field"]) == (422, "settings.embed_model")


def test_a_chosen_provider_that_fails_is_said_and_words_still_answer(
    as_owner: Api, al: Agent, vendor: VendorServer
) -> None:
    """The index has no vectors yet, so the provider is asked for its dimensions."""

    def refuse(asked: Asked) -> Said:
        return Said({"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}, 429)

    vendor.answer = refuse
    as_owner.put("/providers", {"embed": {"model": "openai:unknown", "base_url": vendor.url}})
    answer = as_owner.post("/agents/al/search", {"query": "spare key"}).json()
    assert answer["outcome"] == "ok" and answer["results"]
    assert "openai failed (quota)" in answer["degraded"][0]["detail"]
    assert answer["degraded"][0]["code"] == "no_query_vector"
