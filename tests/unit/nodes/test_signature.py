"""What one node believes another: the header it made itself, for this node and this request, just now."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.nodes.signature import Hop, NotSigned, sign, verify

HOP = Hop("b", "a", peer="fe80::1%eth0", scheme="https", waited_ms=12)
TARGET = "/api/v1/agents/al/get?x=ä%20&y=1"

pytestmark = pytest.mark.usefixtures("node")


def test_what_is_said_arrives() -> None:
    assert verify(sign(HOP, "POST", TARGET), "POST", TARGET, own="a") == HOP


@pytest.mark.parametrize(
    ("method", "target", "own"), [("GET", TARGET, "a"), ("POST", TARGET + "1", "a"), ("POST", TARGET, "b")]
)
def test_it_is_for_one_request_to_one_node(method: str, target: str, own: str) -> None:
    with pytest.raises(NotSigned):
        verify(sign(HOP, "POST", TARGET), method, target, own=own)


@pytest.mark.parametrize("seconds", [-90, 90])
def test_it_is_for_now(seconds: int) -> None:
    with pytest.raises(NotSigned, match="clocks"):
        verify(sign(HOP, "POST", TARGET, now=time.time() + seconds), "POST", TARGET, own="a")


@pytest.mark.parametrize("value", ["", "&mac=", "x", "sender=b&to=a&at=1&mac=00", "\x00&mac=ü"])
def test_nonsense_is_refused(value: str) -> None:
    with pytest.raises(NotSigned):
        verify(value, "POST", TARGET, own="a")


@given(place=st.integers(0), sign_=st.characters(codec="latin-1"))
def test_no_character_can_be_another(place: int, sign_: str) -> None:
    value = sign(HOP, "POST", TARGET)
    place %= len(value)
    changed = value[:place] + sign_ + value[place + 1 :]
    if changed != value:
        with pytest.raises(NotSigned):
            verify(changed, "POST", TARGET, own="a")
