"""TriggerIndex: the reference's scores for words, and characters in order for CJK."""

from __future__ import annotations

import pytest

from search.recall.outcome import Source
from search.recall.triggers import STRONG, TriggeredEntry, TriggerIndex


def entry(*triggers: str, text: str = "something else", line: int = 1, **more: object) -> TriggeredEntry:
    return TriggeredEntry(Source("MEMORY.md", line, line), text, triggers, **more)  # type: ignore[arg-type]


def score(trigger: str, message: str, text: str = "the gate") -> float:
    """0 when the message does not strongly call the entry up."""
    hits = TriggerIndex([entry(trigger, text=text)]).hits(message)
    return hits[0].score if hits else 0.0


@pytest.mark.parametrize(
    ("trigger", "message", "expected"),
    [
        ("Tobin", "is tobin around?", 0.68),
        ("third party", "may a third party see it", 0.8),
        ("blue garden gate", "the garden gate", 0.8 * (0.8 * 2 / 3 + 0.2) + 0.2 * 1 / 2),
    ],
)
def test_words_score_as_in_the_reference(trigger: str, message: str, expected: float) -> None:
    assert score(trigger, message) == pytest.approx(expected)


def test_relevance_lifts_two_of_three_words_over_the_bar() -> None:
    assert score("blue garden gate", "paint the garden gate", text="nothing of it") == 0
    assert score("blue garden gate", "paint the garden gate", text="paint the garden gate in May") >= STRONG


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ("生日", "我的生日是哪天"),
        ("女儿", "女兒的學校在哪"),  # traditional
        ("ＮＡＳ", "重启nas怎么做"),  # full width
        ("リリース", "次のリリースはいつですか"),
        ("유나", "유나가 언제 쉬어?"),
        ("деплой", "когда деплой?"),
        ("服务器 shiitake", "那台服务器 shiitake 在哪"),
        ("संस्कृत", "संस्कृत की किताब कहाँ है"),
        ("कील", "दीवार की कील कहाँ है"),
        ("มะม่วง", "แม่ซื้อมะม่วงที่ไหน"),
        ("ទន្លេសាប", "យើងទៅទន្លេសាបនៅថ្ងៃណា"),
        ("ဘုရား", "ရွှေတိဂုံဘုရားသို့သွားမလား"),
        ("ວຽງຈັນ", "ຕະຫຼາດຢູ່ວຽງຈັນ"),
        ("ספר", "איפה הַסְּפָר? הסֵפֶר או סֵפֶר"),
        ("مدرسة", "أين المَدرَسه أو مدرسه"),
        ("மாம்பழம்", "மாம்பழம் எங்கே"),
        ("Łódź", "lodz im Winter"),
        ("Straße", "welche STRASSE"),
        ("wifi", "the Wi‑Fi is down"),
        ("C++", "who writes C++?"),
    ],
)
def test_a_trigger_is_found_inside_running_text(trigger: str, message: str) -> None:
    assert score(trigger, message) >= STRONG


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ("猫", "猫和狗"),
        ("x", "x marks the spot"),
        ("女儿", "女孩和儿子"),  # both characters, with something between them
        ("生日", "日生"),
        ("cat", "concatenate"),
        ("Marisol", "who wrote this?"),
        ("third party", "the third one"),
        ("燕麦牛奶", "今天牛奶没了"),
        ("काल", "दीवार में कील है"),  # another vowel
        ("เสือ", "น้องซักเสื้อ"),
        ("มะม่วง", "พ่อปลูกมะละกอไว้"),
        ("C++", "he knows C"),
        ("", "anything"),
    ],
)
def test_what_is_no_trigger_does_not_fire(trigger: str, message: str) -> None:
    assert score(trigger, message) == 0


def test_the_share_of_characters_in_order_counts_as_overlap() -> None:
    found = score("燕麦牛奶", "燕麦的牛奶", text="牛奶")
    assert found == pytest.approx(0.8 * (0.8 * 3 / 4 + 0.2) + 0.2 * 1 / 4)


def test_an_entry_of_a_project_needs_all_of_its_keys() -> None:
    index = TriggerIndex([entry("boat", projects=frozenset({"house", "lake"}))])
    assert not index.hits("the boat", projects=["house"])
    assert index.hits("the boat", projects=["lake", "house"])


def test_the_best_entry_comes_first_and_importance_breaks_ties() -> None:
    index = TriggerIndex(
        [entry("boat", line=1, importance=2), entry("boat", line=2, importance=9), entry("red boat", line=3)]
    )
    assert [hit.entry.source.start_line for hit in index.hits("the red boat")] == [3, 2, 1]
