"""A chat read page by page: every message once, in both directions, within a budget of bytes."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from agents.models import Agent, Transcript
from agents.transcripts import files, reading, store, store_turns
from agents.transcripts.reading import ChatPart, Place, moment, read_after, read_all, read_before
from search.documents.transcripts import Turn

KEY = "agent:al:telegram:direct:42"


def said(number: int) -> Turn:
    return Turn("user" if number % 2 else "assistant", f"word{number}", id=str(number), at="2026-11-30T08:00:00Z")


def texts(part: ChatPart) -> list[str]:
    return [message.text for message in part.messages]


@pytest.fixture
def chat(al: Agent, monkeypatch: pytest.MonkeyPatch) -> Transcript:
    """41 messages in six parts, with lines between them that are not shown."""
    monkeypatch.setattr(store, "PART_BYTES", 100)
    for start in range(0, 41, 7):
        turns = [said(number) for number in range(start, min(start + 7, 41))]
        store_turns(agent=al, session_key=KEY, turns=[*turns, Turn("other", "", id=f"t{start}", raw='{"tool": "x"}')])
    found = Transcript.objects.get()
    assert found.part == 6
    return found


def test_pages_join_without_gap_or_repetition_in_both_directions(
    chat: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = [f"word{number}" for number in range(41)]
    for limit, block in itertools.product((1, 6, 14, 200), (200, 64 * 1024)):
        monkeypatch.setattr(reading, "BLOCK", block)
        pages = [read_before(chat, limit=limit)]
        while pages[-1].older is not None:
            pages.append(read_before(chat, pages[-1].older, limit=limit))
        assert list(itertools.chain(*(texts(page) for page in reversed(pages)))) == every
        assert pages[0].newer is None and all(len(page.messages) <= limit for page in pages)
        onward = [read_after(chat, Place(chat.first_part, 0), limit=limit)]
        while onward[-1].newer is not None:
            onward.append(read_after(chat, onward[-1].newer, limit=limit))
        assert list(itertools.chain(*map(texts, onward))) == every
        assert [message.text for message in read_all(chat)] == every
        if len(pages) > 1:
            place = pages[1].newer
            assert place is not None and texts(read_after(chat, place, limit=limit)) == texts(pages[0])


def test_a_page_reads_a_few_blocks_of_a_long_chat(chat: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    inner = reading._Part.read

    def counting(self: Any, start: int, length: int) -> bytes:
        read.append(length)
        return inner(self, start, length)

    monkeypatch.setattr(reading._Part, "read", counting)
    assert len(read_before(chat, limit=5).messages) == 5 and sum(read) < 3_000
    read.clear()
    nothing = read_before(chat, limit=50, containing="nowhere", budget=6_000)
    assert not nothing.messages and nothing.older is not None and sum(read) <= 9_000


def test_a_search_finds_words_in_any_case_and_goes_on_where_it_stopped(chat: Transcript) -> None:
    assert texts(read_before(chat, limit=50, containing="WORD40")) == ["word40"]
    first = read_before(chat, limit=10, containing="word1")
    second = read_before(chat, first.older, limit=10, containing="word1")
    assert texts(second) + texts(first) == ["word1", *(f"word{number}" for number in range(10, 20))]


def test_a_line_beyond_a_block_is_counted_and_the_rest_is_shown(al: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    long = Turn("user", "x" * 3_000, id="long", at="2026-11-30T08:00:00Z")
    store_turns(agent=al, session_key=KEY, turns=[said(1), long, said(2)])
    chat = Transcript.objects.get()
    monkeypatch.setattr(reading, "BLOCK", 500)
    monkeypatch.setattr(reading, "BUDGET", 10_000)
    for part in (read_before(chat, limit=9, budget=10_000), read_after(chat, Place(1, 0), limit=9)):
        assert texts(part) == ["word1", "word2"] and part.passed


def test_what_search_hides_is_hidden_here_too(al: Agent) -> None:
    turns = [
        Turn("user", "my password: hunter2secret", id="1"),
        Turn("user", "/new", id="2"),
        Turn("assistant", "NO_REPLY", id="3"),
        Turn("other", "", id="4", raw='{"role": "tool", "content": "raw"}'),
    ]
    store_turns(agent=al, session_key=KEY, turns=turns)
    (only,) = read_before(Transcript.objects.get(), limit=9).messages
    assert "hunter2" not in only.text and only.at is None


def test_any_place_in_an_address_is_survived(chat: Transcript) -> None:
    for place in (Place(0, 0), Place(99, 5), Place(1, 10**15), Place(10**15, 0), Place(2, 3)):
        assert len(read_before(chat, place, limit=5).messages) <= 5
        assert len(read_after(chat, place, limit=5).messages) <= 5


def test_parts_that_are_gone_are_passed_over(chat: Transcript) -> None:
    Path(files.turns_path(chat, 3)).unlink()
    assert len(list(read_all(chat))) == 34


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-30T08:00:00Z", "2026-11-30T08:00:00+00:00"),
        ("2026-11-30T09:00:00+01:00", "2026-11-30T08:00:00+00:00"),
        ("2026-11-30 08:00", "2026-11-30T08:00:00+00:00"),
        ("1796025600", "2026-11-30T08:00:00+00:00"),
        ("1796025600000", "2026-11-30T08:00:00+00:00"),
        ("yesterday", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("", None),
    ],
)
def test_times_of_messages(text: str, expected: str | None) -> None:
    found = moment(text)
    assert (found and found.isoformat()) == expected
