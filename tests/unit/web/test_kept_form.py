"""What somebody wrote survives a session that ended, and a sign-in in another tab."""

from __future__ import annotations

import re
import shutil
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client

from agents.access.users import create_user
from agents.models import Agent
from memory_appliance.web.files import new
from tests import cast

HERE = {"origin": "http://testserver"}
TEXT = "- The boiler <b>wants</b> 1.4 bar.\n\n- 锅炉\n"
NOTE = {"text": TEXT, "target": "file", "path": "memory/boiler.md", "key": "k1"}
NEW = "/agents/al/files/new"


@pytest.fixture
def tab(al: Agent) -> Client:
    """A browser that sends a form's token as a real one does; its session has ended."""
    return Client(enforce_csrf_checks=True)


def fields(page: Any) -> dict[str, str]:
    """What a browser would send from the form that holds the text."""
    form = page.content.decode().split('enctype="multipart/form-data"')[1].split("</form>")[0]
    hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
    written = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", form, re.DOTALL)
    assert written is not None
    return {unescape(name): unescape(value) for name, value in hidden} | {"text": unescape(written[1])}


def signed_in_elsewhere(tab: Client) -> None:
    User.objects.create_superuser("owner", password="a long password")
    token = tab.get("/accounts/login/").cookies["csrftoken"].value
    tab.post("/accounts/login/", {"username": "owner", "password": "a long password", "csrfmiddlewaretoken": token})


def test_a_text_sent_after_the_session_ended_is_kept_and_sent_again(tab: Client, al: Agent) -> None:
    User.objects.create_superuser("someone")
    token = tab.get("/accounts/login/").cookies["csrftoken"].value
    kept = tab.post(NEW, {**NOTE, "csrfmiddlewaretoken": token}, headers=HERE)
    assert kept.status_code == 403 and "You have been signed out" in kept.content.decode()
    assert "<b>" not in kept.content.decode() and not Path(al.workspace, "memory/boiler.md").exists()
    signed_in_elsewhere(tab)
    too_old = tab.post(NEW, fields(kept), headers=HERE)
    assert too_old.status_code == 403 and "You have signed in since" in too_old.content.decode()
    assert tab.post(NEW, fields(too_old), headers=HERE).status_code == 302
    assert "The boiler <b>wants</b> 1.4 bar." in Path(al.workspace, "memory/boiler.md").read_text()


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        ({}, "The form was not sent from this page."),
        ({"origin": "http://evil.example"}, "Pages of this origin may not call this server."),
        ({"origin": "null"}, "Pages of this origin may not call this server."),
    ],
)
def test_a_form_of_another_site_is_not_offered_to_be_sent(
    tab: Client, al: Agent, origin: dict[str, str], said: str
) -> None:
    signed_in_elsewhere(tab)
    page = tab.post(NEW, NOTE, headers=origin)
    assert page.status_code == 403 and "boiler" not in page.content.decode()
    assert said in page.content.decode()


def test_what_is_no_writing_is_asked_to_sign_in_as_ever(client: Client, al: Agent) -> None:
    cast.write_files(al, {"MEMORY.md": "- a\n"})
    for form in ({"path": "MEMORY.md", "confirmed": "yes"}, {"text": " \n"}):
        assert "/login/" in client.post("/agents/al/file/forget", form, headers=HERE)["Location"]


def _deleted(agent: Agent, _monkeypatch: Any) -> None:
    agent.delete()


def _without_a_folder(agent: Agent, _monkeypatch: Any) -> None:
    shutil.rmtree(agent.workspace)


def _locked(_agent: Agent, monkeypatch: Any) -> None:
    def locked(**_values: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(new, "note", locked)


@pytest.mark.parametrize(("happens", "status"), [(_deleted, 404), (_without_a_folder, 503), (_locked, 503)])
def test_whatever_happens_between_opening_and_sending_the_text_is_there(
    admin: Client, al: Agent, monkeypatch: Any, happens: Any, status: int
) -> None:
    admin.raise_request_exception = False
    happens(al, monkeypatch)
    page = admin.post(NEW, NOTE, headers=HERE)
    assert page.status_code == status and fields(page).items() >= NOTE.items()


def test_a_role_that_was_taken_away_takes_no_text_along(client: Client, al: Agent) -> None:
    client.force_login(create_user(actor=cast.OWNER, name="bob", roles={"al": "view"}))
    page = client.post(NEW, NOTE, headers=HERE)
    assert page.status_code == 403 and fields(page)["text"] == TEXT


@pytest.mark.parametrize("referer", ["https://evil.example/form", "https://testserver:8443/"])
def test_a_form_of_another_site_is_told_which_setting_would_let_it_in(
    tab: Client, owner: cast.Person, admin: Any, referer: str
) -> None:
    """Over HTTPS, from browsers that name no origin."""
    token = tab.get("/accounts/login/", secure=True).cookies["csrftoken"].value
    sent = tab.post("/accounts/login/", {"csrfmiddlewaretoken": token}, secure=True, headers={"referer": referer})
    assert sent.status_code == 403 and "MEMORY_TRUSTED_ORIGINS" in sent.content.decode()


def test_a_form_without_its_token_is_no_matter_of_origins(tab: Client) -> None:
    sent = tab.post("/accounts/login/", {"username": "x"}, headers=HERE)
    assert sent.status_code == 403 and "MEMORY_TRUSTED_ORIGINS" not in sent.content.decode()
