"""Models and roles on their pages: downloads are asked for, a choice is tried before it is saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from agents.models import Agent, ProviderChoice, Run
from agents.providers.plans import server_plan
from tests.unit.web.system.test_pages import text_of

RERANKER = "qwen3-reranker-0.6b-q8"
EMBEDDER = "embeddinggemma-300m-q8"


@pytest.fixture(autouse=True)
def no_broker(data_dir: Path, settings: Any) -> None:
    settings.CELERY_BROKER_URL = f"redis+socket://{data_dir}/no-broker.sock"


def on_disk(data_dir: Path, filename: str) -> Path:
    path = data_dir / "models" / filename
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"GGUF")
    return path


def test_a_download_is_asked_for_and_shows_how_far_it_is(admin: Client) -> None:
    admin.post("/system/models/pull", {"model": EMBEDDER})
    Run.objects.update(state="running", done=100, total=318)
    page = admin.get("/system/models")
    assert "100 of 318 MB" in text_of(page) and 'data-poll="2"' in page.content.decode()
    Run.objects.update(state="failed", error="The hub does not answer.")
    assert "The hub does not answer." in text_of(admin.get("/system/models"))


@pytest.mark.parametrize("name", ["", "nothing", "hf:x", "/etc/passwd", "hf:../../x.gguf"])
def test_what_is_no_model_is_not_downloaded(admin: Client, name: str) -> None:
    page = admin.post("/system/models/pull", {"model": name})
    assert page.status_code == 422 and not Run.objects.exists()


def test_a_model_on_the_disk_is_chosen_for_its_role(admin: Client, data_dir: Path) -> None:
    on_disk(data_dir, "qwen3-reranker-0.6b-q8_0.gguf")
    assert "Use" in text_of(admin.get("/system/models"))
    admin.post("/system/models/use", {"role": "rerank", "model": RERANKER})
    assert str(server_plan("rerank").first) == f"local:{RERANKER}"
    assert "used by server (rerank)" in text_of(admin.get("/system/models"))


def test_another_embedder_is_asked_about_first(admin: Client, al: Agent) -> None:
    form = {"role": "embed", "model": "multilingual-e5-small-q4"}
    assert "is rebuilt" in text_of(admin.post("/system/models/use", form))
    assert not ProviderChoice.objects.exists()
    admin.post("/system/models/use", {**form, "confirmed": "yes"})
    assert ProviderChoice.objects.get().role == "embed"


def test_a_model_that_is_not_there_is_not_chosen(admin: Client) -> None:
    page = admin.post("/system/models/use", {"role": "rerank", "model": RERANKER})
    assert page.status_code == 422 and not ProviderChoice.objects.exists()
    assert admin.post("/system/models/use", {"role": "king", "model": RERANKER}).status_code == 404


def test_a_file_is_deleted_after_a_yes_unless_it_is_used(admin: Client, data_dir: Path) -> None:
    path = on_disk(data_dir, "qwen3-reranker-0.6b-q8_0.gguf")
    address = "/system/models/remove"
    assert f"Delete the file of {RERANKER}?" in text_of(admin.get(address, {"model": RERANKER}))
    ProviderChoice.objects.create(role="rerank", model=f"local:{RERANKER}")
    assert admin.post(address, {"model": RERANKER, "confirmed": "yes"}).status_code == 409 and path.exists()
    ProviderChoice.objects.all().delete()
    admin.post(address, {"model": RERANKER, "confirmed": "yes"})
    assert not path.exists()


def test_a_choice_is_saved_and_taken_back(admin: Client) -> None:
    form = {"model": "cohere:rerank-v3.5", "fallback": "none", "base_url": ""}
    assert admin.post("/system/roles/rerank", {"do": "save", **form})["Location"] == "/system/models"
    assert str(server_plan("rerank").first) == "cohere:rerank-v3.5"
    assert "no key is set" in text_of(admin.get("/system/models"))
    admin.post("/system/roles/rerank", {"do": "reset"})
    assert server_plan("rerank").source == "option"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model": ""}, "This field is required."),
        ({"model": "nobody"}, "nobody"),
        ({"fallback": "nobody"}, "nobody"),
        ({"base_url": "ftp://x"}, "Such as http://"),
        ({"dimensions": "3"}, "greater than or equal to 8"),
    ],
)
def test_what_cannot_be_used_is_said_beside_the_field(admin: Client, change: dict[str, str], said: str) -> None:
    form = {"do": "save", "confirmed": "yes", "model": "ollama", "fallback": "", "base_url": "", "dimensions": ""}
    page = admin.post("/system/roles/embed", {**form, **change})
    assert page.status_code == 422 and said in text_of(page) and not ProviderChoice.objects.exists()
    assert 'class="errorlist' in page.content.decode()


def test_another_embedder_for_the_role_is_asked_about_and_what_was_filled_in_is_kept(admin: Client) -> None:
    form = {"do": "save", "model": "ollama:bge-m3", "fallback": "local", "base_url": "", "dimensions": "256"}
    page = admin.post("/system/roles/embed", form).content.decode()
    assert "is rebuilt" in page and 'name="dimensions" value="256"' in page and not ProviderChoice.objects.exists()
    admin.post("/system/roles/embed", {**form, "confirmed": "yes"})
    assert ProviderChoice.objects.get().dimensions == 256


def test_a_test_says_what_came_of_it_and_saves_nothing(admin: Client) -> None:
    form = {"do": "test", "model": "ollama:bge-m3", "base_url": "http://127.0.0.1:9"}
    text = text_of(admin.post("/system/roles/embed", form))
    assert "It doesn't work" in text and not ProviderChoice.objects.exists()
    text = text_of(admin.post("/system/roles/rerank", {"do": "test", "model": "none"}))
    assert "It works" in text and "results keep their order" in text
