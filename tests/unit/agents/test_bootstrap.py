"""bootstrap(): the first start makes a user, a key and the demo; every later one leaves things alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command

from agents.access.keys import revoke_key
from agents.access.secrets import find_key
from agents.models import Agent, ApiKey
from agents.registry.agents import delete_agent
from agents.registry.selectors import get_agent
from agents.setup.bootstrap import bootstrap, new_admin_key
from tests.cast import OWNER, index

pytestmark = pytest.mark.usefixtures("db", "data_dir")
KEY = "k" * 32


def again(**values: object) -> object:
    return bootstrap(**{"admin_password": None, "bootstrap_key": None, "demo": True, **values})  # type: ignore[arg-type]


def test_the_first_start_generates_secrets_that_work() -> None:
    made = bootstrap(admin_password=None, bootstrap_key=None, demo=False)
    assert authenticate(username="admin", password=made.password) is not None
    key = find_key(made.key or "")
    assert key is not None and (key.rights, key.agents) == (["admin"], "*")
    assert not Agent.objects.exists()


def test_given_secrets_are_used_and_not_repeated() -> None:
    made = bootstrap(admin_password="tea and toast", bootstrap_key=KEY, demo=False)
    assert (made.password, made.key) == (None, None)
    assert authenticate(username="admin", password="tea and toast") is not None and find_key(KEY) is not None


def test_a_later_start_makes_nothing_new() -> None:
    again(bootstrap_key=KEY)
    delete_agent(actor=OWNER, agent=get_agent("demo"))
    revoke_key(actor=OWNER, key=ApiKey.objects.get())
    made = bootstrap(admin_password=None, bootstrap_key=KEY, demo=True)
    assert (made.password, made.key, made.demo, made.first) == (None, None, None, False)
    assert find_key(KEY) is None and not Agent.objects.exists()


def test_the_demo_agent_speaks_two_languages_and_can_be_indexed() -> None:
    again()
    demo = get_agent("demo")
    report = index(demo)
    assert (report.added, report.problems) == (8, 0)
    assert "钥匙" in (Path(demo.workspace) / "MEMORY.md").read_text("utf-8")


def test_files_that_are_there_already_are_not_overwritten(data_dir: Path) -> None:
    (data_dir / "workspaces" / "demo").mkdir(parents=True)
    (data_dir / "workspaces" / "demo" / "MEMORY.md").write_text("mine")
    again()
    assert (data_dir / "workspaces" / "demo" / "MEMORY.md").read_text() == "mine"


def test_a_lost_key_is_replaced_by_one_more() -> None:
    again(demo=False)
    assert find_key(new_admin_key()) is not None and ApiKey.objects.count() == 2


def test_the_command_shows_the_secrets_once(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("bootstrap")
    shown = capsys.readouterr().out
    secret = next(word for word in shown.split() if word.startswith("maa_"))
    assert find_key(secret) is not None and "password" in shown
    call_command("bootstrap")
    assert capsys.readouterr().out == ""
