"""Words of every script are found by keyword: the own note first, marks and signs told apart."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from search.retrieve.marks import Marks
from search.retrieve.query import parse_query
from search.snippet import best_lines, query_words
from tests.engine import Workspace

TABLE = tomllib.loads(Path(__file__).with_name("scripts.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Workspace]:
    """A workspace per script, with a note for each of its lines."""
    made = {}
    for script, table in TABLE.items():
        made[script] = Workspace(Path(tmp_path_factory.mktemp(script)))
        for number, line in enumerate(table["notes"].values()):
            made[script].write(f"memory/{number:03}.md", f"{line}\n")
        made[script].update()
    return made


@pytest.mark.parametrize(
    ("script", "query", "name"),
    [(script, query, name) for script, table in TABLE.items() for query, name in table["first"].items()],
)
def test_the_own_note_is_first(homes: dict[str, Workspace], script: str, query: str, name: str) -> None:
    found = homes[script].paths(query, mode="search", min_score=0)
    assert found[:1] == [f"memory/{[*TABLE[script]['notes']].index(name):03}.md"]


MARKED = [
    ("มะม่วง", "แม่ซื้อมะม่วงที่ตลาด", "มะม่วง"),
    ("น้ํา", "ตลาดน้ำ", "น้ำ"),
    ("มะม่วง", "มะละกอกับมะม่วง", "มะม่วง"),
    ("संस्कृत", "दादी संस्कृत पढ़ाती हैं", "संस्कृत"),
    ("הספר", "הַסֵּפֶר עַל הַשֻּׁלְחָן", "הַסֵּפֶר"),
    ("lodz", "In Łódź war es kalt", "Łódź"),
    ("strasse", "Die Straße war gesperrt", "Straße"),
    ("Haftpflicht", "Die Haft\u00adpflicht zahlt", "Haft\u00adpflicht"),
    ("email", "Send an e-mail today", "e-mail"),
    ("eau", "On boit de l’eau", "eau"),
    ("C++", "Ann knows C++, Tom C", "C++"),
    ("網關", "重启网关之后", "网关"),
    ("7", "Shelf 7 and 17", "7"),
    ("ខ្មែរ", "រៀនភាសាខ្មែរ", "ខ្មែរ"),
    ("カメラ", "新しいｶﾒﾗ三台", "ｶﾒﾗ"),
]


@pytest.mark.parametrize(("query", "text", "marked"), MARKED)
def test_the_words_are_marked_as_they_stand_in_the_text(query: str, text: str, marked: str) -> None:
    marks = Marks(parse_query(query))
    found = sorted({at for start, end, _ in marks.spans(text) for at in range(start, end)})
    assert "".join(text[at] for at in found) == marked
    if marked != "e-mail":  # only found where compounds are looked for, which costs too much for fifty long texts
        assert [start for start, _ in marks.starts(text)][:1] == [text.index(marked)]


def test_a_long_passage_is_shown_from_the_words_in_any_script() -> None:
    filler = "".join(f"บรรทัดที่ {n} ไม่มีอะไรน่าสนใจ\n" for n in range(60))
    words = query_words(parse_query("มะม่วง"), {})
    snippet = best_lines(f"{filler}แม่ซื้อมะม่วง\n{filler}", 1, words, [], 200)
    assert snippet is not None and "มะม่วง" in snippet.text
