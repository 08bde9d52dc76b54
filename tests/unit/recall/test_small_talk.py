"""Messages that need no memory in any mode."""

from __future__ import annotations

import pytest

from agents.models import Agent
from search.recall.small_talk import MOST_CHARS, is_small_talk
from tests.unit.api.conftest import Api, as_helper  # noqa: F401 - a fixture
from tests.unit.recall.test_api import CHAT, RECALL


@pytest.mark.parametrize(
    "message",
    [
        "haha ok", "Thanks a lot!", "👍", "👍 great", "?!", "yes please", "哈哈好的", "好的，谢谢", "了解です！",
        "ㅋㅋㅋ 네",
        "да, спасибо", "vale, gracias", "danke dir!", "d'accord merci", "good night then", "hahahaha",
    ],
)  # fmt: skip
def test_greetings_thanks_laughter_and_nods_are(message: str) -> None:
    assert is_small_talk(message)


@pytest.mark.parametrize(
    "message",
    [
        "", "ok where is the key", "red", "Where?", "好的，钥匙呢", "the usual", "hello, my key?", "нет, синий", "1234",
        "網",
        "haha " * MOST_CHARS,
    ],
)  # fmt: skip
def test_what_may_be_about_something_is_not(message: str) -> None:
    assert not is_small_talk(message)


@pytest.mark.parametrize("mode", ["always", "escalate"])
def test_nothing_is_looked_up_for_it(as_helper: Api, al: Agent, mode: str) -> None:  # noqa: F811
    answer = as_helper.post(RECALL, {"message": "haha ok, thanks", "session": CHAT, "mode": mode}).json()
    assert (answer["status"], answer["reason"], answer["context"]) == ("skipped", "no_recall_intent", "")
