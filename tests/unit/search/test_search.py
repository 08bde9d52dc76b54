"""What a search answers: the right passage, in order, with reasons; and never an error for any text."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from search.errors import Cancelled
from search.index import driver
from search.index.update import update_index
from search.pipeline import NO_WORD
from search.spec import RankingSpec
from tests.engine import WordEmbedder, Workspace, ignore
from tests.unit.index.test_update import rows

NASTY = Path(__file__).parents[4] / "shared" / "data" / "nasty.jsonl"


@pytest.fixture
def home(workspace):
    workspace.write(
        "MEMORY.md", "# Memory\n\n- 路由器的密码是 mushroom42 <!-- importance: 9 -->\n- Ana likes green tea\n"
    )
    workspace.write(
        "memory/2026-09-01.md", "# 2026-09-01\n\nReplaced ERR_AUTH_EXPIRED handling on port 18789, Wi-Fi is back.\n"
    )
    workspace.write(
        "memory/network.md", "# Network\n\nThe VLAN for cameras is 10.77.30.0/24.\n\n网关重启后要等两分钟。\n"
    )
    workspace.update()
    workspace.embed(WordEmbedder())
    return workspace


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("密码", "MEMORY.md"),
        ("重启", "memory/network.md"),
        ("两", "memory/network.md"),
        ("網關", "memory/network.md"),
        ("ERR_AUTH_EXPIRED", "memory/2026-09-01.md"),
        ("18789", "memory/2026-09-01.md"),
        ("10.77.30.0/24", "memory/network.md"),
        ("cameras'", "memory/network.md"),
        ("what does Ana like to drink?", "MEMORY.md"),
        ("replacing", "memory/2026-09-01.md"),
        ("ＶＬＡＮ", "memory/network.md"),
        ("wifi", "memory/2026-09-01.md"),
        ("Wi-Fi", "memory/2026-09-01.md"),
    ],
)
def test_words_numbers_and_characters_are_found(home, query, path):
    assert home.paths(query, mode="search")[0] == path


def test_quoted_words_must_stand_together_and_minus_excludes(home):
    assert home.paths('"green tea"', mode="search") == ["MEMORY.md"]
    assert home.paths("port vlan -cameras", mode="search") == ["memory/2026-09-01.md"]


def test_lines_and_passage_are_exact(home):
    hit = home.search("网关", mode="search").results[0]
    lines = (home.root / hit.path).read_text().splitlines()
    assert hit.snippet in "\n".join(lines[hit.start_line - 1 : hit.end_line]) + "\n"
    assert "网关" in hit.snippet


def test_a_missing_model_degrades_and_says_so(home):
    embedder = WordEmbedder()
    embedder.down = True
    outcome = home.search("vlan", embedder)
    assert (outcome.outcome, outcome.mode, outcome.requested_mode) == ("ok", "search", "hybrid")
    assert [d.code for d in outcome.degraded] == ["no_query_vector"]
    assert "away" in outcome.degraded[0].detail


def test_without_the_extension_numpy_computes_the_same(home, monkeypatch):
    embedder = WordEmbedder()
    with_extension = home.search("vlan cameras", embedder).results
    monkeypatch.setattr(driver, "_vec_library", lambda: "/nonexistent/vec0")
    driver.capabilities.cache_clear()
    try:
        outcome = home.search("vlan cameras", embedder)
    finally:
        monkeypatch.undo()
        driver.capabilities.cache_clear()
    assert outcome.results == with_extension
    assert outcome.degraded == ()


def test_without_the_word_index_vectors_answer(home):
    connection = driver.open_writer(home.spec.path)
    connection.execute("DROP TABLE chunks_fts")
    connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
    connection.close()
    outcome = home.search("Ana likes green tea", WordEmbedder(), min_score=0.0)
    assert (outcome.mode, outcome.results[0].path) == ("vsearch", "MEMORY.md")
    assert "no_keyword" in [d.code for d in outcome.degraded]
    home.update()
    assert home.paths("vlan", mode="search") == ["memory/network.md"]


def test_an_empty_index_is_empty_with_a_reason(workspace):
    workspace.update()
    outcome = workspace.search("vlan", WordEmbedder())
    assert (outcome.outcome, outcome.reason) == ("empty", "this memory has no text yet")


def test_a_word_that_was_asked_for_before_it_was_written_is_found_afterwards(home):
    for n in range(40):
        home.write(f"memory/filler-{n}.md", f"filler text number {n}\n")
    home.update()
    assert home.paths("cormorant") == []
    home.write("memory/birds.md", "A cormorant sat on the pier.\n")
    home.update()
    assert home.paths("cormorant") == ["memory/birds.md"]


def test_an_index_in_the_making_says_so(workspace):
    for n in range(40):
        workspace.write(f"memory/{n:02}.md", f"heron {n} " * 2_000)
    calls = iter([False] * 20 + [True])
    with pytest.raises(Cancelled):
        update_index(workspace.spec, identity=None, progress=ignore, cancelled=lambda: next(calls))
    assert [d.code for d in workspace.search("heron", mode="search").degraded] == ["no_index"]
    workspace.update()
    assert workspace.search("heron", mode="search").degraded == ()


def test_a_blank_query_is_empty_with_a_reason(home):
    outcome = home.search(" \n\t ", WordEmbedder())
    assert (outcome.outcome, outcome.results, outcome.reason) == ("empty", (), "the query is blank")


@pytest.mark.parametrize(
    "query", ["....", "?!", "*", "\x01\x07", "\u200b\u200b", "\u202e\u202c", "\ufeff", "\ufffd", "---"]
)
@pytest.mark.parametrize("mode", ["hybrid", "vsearch", "query"])
def test_marks_alone_mean_nothing(home, query, mode):
    outcome = home.search(query, WordEmbedder(), mode=mode, min_score=0)
    assert (outcome.outcome, outcome.reason) == ("empty", NO_WORD)


def test_an_emoji_or_a_number_is_looked_for(home):
    assert {home.search(query, WordEmbedder()).reason for query in ("\U0001f9c5", "18789", "端")}.isdisjoint({NO_WORD})


def test_nothing_found_says_why(home):
    outcome = home.search("zzyzx", None, mode="search")
    assert outcome.outcome == "empty"
    assert "no note matches" in outcome.reason


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_first_results_do_not_change_with_their_number(home, count):
    few = home.paths("the port of the vlan for ana", WordEmbedder(), max_results=count, min_score=0.0)
    many = home.paths("the port of the vlan for ana", WordEmbedder(), max_results=10, min_score=0.0)
    assert few == many[:count]


def test_collections_filter_inside_the_ranking(tmp_path):
    house = tmp_path / "house"
    house.mkdir()
    (house / "boiler.md").write_text("boiler manual\n")
    workspace = Workspace(tmp_path, house=house)
    for n in range(300):
        workspace.write(f"memory/{n}.md", "boiler boiler boiler manual\n")
    workspace.update()
    assert workspace.paths("boiler", collections=("house",)) == ["house/boiler.md"]
    assert set(workspace.paths("boiler", collections=("memory",), max_results=50)).isdisjoint({"house/boiler.md"})


def test_a_collection_that_is_no_longer_the_agents_is_not_searched(tmp_path):
    house = tmp_path / "house"
    house.mkdir()
    (house / "secret.md").write_text("the boiler secret\n")
    workspace = Workspace(tmp_path, house=house)
    workspace.update()
    workspace.spec = type(workspace.spec)("al", workspace.spec.path, workspace.spec.collections[:1])
    assert workspace.paths("boiler") == []


def test_of_two_equally_good_notes_the_fresh_one_wins(workspace):
    today = datetime.now(UTC).date()
    for age in (200, 3):
        workspace.write(f"memory/{today - timedelta(days=age)}.md", "The plumber is called Otto.\n")
    workspace.update()
    assert workspace.paths("plumber Otto")[0] == f"memory/{today - timedelta(days=3)}.md"


def test_importance_lifts_a_note(workspace):
    workspace.write("memory/a.md", "- parking permit is blue\n")
    workspace.write("memory/b.md", "- parking permit is green <!-- importance: 10 -->\n")
    workspace.update()
    assert workspace.paths("parking permit")[0] == "memory/b.md"


def test_the_explanation_recomputes_the_score(home):
    for profile in ("default", "reference"):
        outcome = home.search(
            "password of the vlan port",
            WordEmbedder(),
            explain=True,
            min_score=0.0,
            ranking=RankingSpec(profile=profile),
        )
        assert outcome.results
        for hit in outcome.results:
            e = hit.explain
            fused = e.vector_weight * e.vector_score + e.keyword_weight * e.keyword_score
            assert hit.score == pytest.approx(min(1.0, fused * e.decay * e.importance * e.project * e.date))


def nasty_queries():
    own = [
        '"',
        '""',
        "*",
        "NEAR(",
        "a AND",
        "-x",
        "'; DROP TABLE chunks; --",
        "\x00",
        "\ud800",
        "💥",
        "，。！",
        "a:b",
        "x" * 10_000,
    ]
    if not NASTY.exists():
        return own
    cases = [json.loads(line) for line in NASTY.read_text("utf-8").splitlines()]
    inputs = [case["input"] for case in cases if case["kind"] == "query"]
    return own + [i if isinstance(i, str) else i["prefix"] + i["repeat"] * i["count"] + i["suffix"] for i in inputs]


@pytest.mark.parametrize("mode", ["search", "vsearch", "hybrid"])
def test_any_text_is_a_query(home, mode):
    for query in nasty_queries():
        outcome = home.search(query, WordEmbedder(), mode=mode)
        assert outcome.outcome in ("ok", "empty")
    assert rows(home, "SELECT count(*) FROM files") == [(3,)]


@pytest.mark.parametrize("query", ["network", "network.md", "memory/network.md", "./memory\\Network.MD"])
def test_a_file_named_by_the_query_comes_first(home, query):
    home.write("memory/other.md", "network network network network\n" * 5)
    home.update()
    hit = home.search(query, explain=True).results[0]
    assert (hit.path, hit.start_line, hit.explain.selected_by) == ("memory/network.md", 1, "file name")


@pytest.mark.parametrize("query", ["%", "_", "memory/", "nosuch.md", "a" * 5_000])
def test_what_is_no_file_name_names_no_file(home, query):
    assert all(hit.explain.selected_by != "file name" for hit in home.search(query, explain=True).results)


def test_the_same_paragraph_is_not_returned_twice_through_overlap(workspace):
    filler = "".join(f"line {n} of many words that fill the page up to its end\n" for n in range(24))
    workspace.write("memory/a.md", filler + "the heron nests by the mill\n" + filler)
    workspace.update()
    hits = workspace.search("heron mill", mode="search", snippet_chars=200).results
    assert [("heron" in hit.snippet) for hit in hits].count(True) == 1


def test_a_search_that_may_abstain_does_so_when_nothing_answers(home):
    embedder = WordEmbedder()
    asked = home.search("who won the world cup in 1974", embedder, abstain=True, min_score=0.0)
    assert (asked.outcome, asked.results) == ("abstained", ())
    assert "below" in asked.reason
    assert home.search("Ana likes green tea", embedder, abstain=True).outcome == "ok"


def test_a_question_about_a_day_finds_that_days_note_whatever_its_words_are(workspace):
    for day in ("2026-03-04", "2026-03-05", "2026-03-06"):
        workspace.write(f"memory/{day}.md", "The heating engineer came by and the kettle broke.\n")
    workspace.write("memory/topic.md", "What happened, happened on that day.\n")
    workspace.update()
    now = datetime(2026, 6, 1, tzinfo=UTC)
    for question in ("what happened on 2026-03-05", "what happened on March 5th", "3月5日 what happened"):
        hits = workspace.search(question, mode="search", now=now, explain=True, min_score=0.0).results
        dated = [hit for hit in hits if hit.date]
        assert (dated[0].date, dated[0].explain.date) == ("2026-03-05", 1.25)
