"""lines_of(): a hit's score as an arithmetic that a person can follow from line to line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from search.outcome import Explain


@dataclass(frozen=True, slots=True)
class Line:
    """`what` it is, `how` it comes about, and what comes out: a number or a factor."""

    what: str
    how: str
    value: str


def lines_of(explain: Explain) -> tuple[Line, ...]:
    return tuple(_lines(explain))


def _lines(e: Explain) -> Iterator[Line]:
    yield Line(_("Words"), _words(e), _number(e.keyword_score))
    yield Line(_("Meaning"), _meaning(e), _number(e.vector_score))
    together = e.keyword_weight * e.keyword_score + e.vector_weight * e.vector_score
    yield Line(
        _("Combined"),
        f"{e.keyword_weight:.2f} × {_number(e.keyword_score)} + {e.vector_weight:.2f} × {_number(e.vector_score)}",
        _number(together),
    )
    if e.rrf is not None:
        for variant in e.variants:
            yield Line(
                _("Rephrased"),
                _("%(kind)s “%(text)s” found it at rank %(rank)d")
                % {"kind": variant.kind, "text": variant.text[:200], "rank": variant.rank},
                "",
            )
        yield Line(
            _("With rephrased queries"),
            _("the mean of %(together)s and %(share)s, its share of the best rank in every list")
            % {"together": _number(together), "share": _number(e.rrf)},
            _number(e.fused),
        )
    if e.late is not None:
        yield Line(_("Word by word"), _("for each word of the query the nearest one in it"), _number(e.late))
        yield Line(
            _("With that"),
            f"{1 - e.late_weight:.2f} × {_number(e.fused)} + {e.late_weight:.2f} × {_number(e.late)}",
            _number(e.relevance),
        )
    yield Line(_("Age"), _age(e), _factor(e.decay))
    yield Line(_("Importance"), _importance(e), _factor(e.importance))
    if e.project != 1:
        yield Line(_("Project"), _project(e), _factor(e.project))
    if e.date != 1:
        yield Line(_("Day"), _day(e), _factor(e.date))
    yield Line(_("Weighted"), _product(e), _number(e.weighed))
    if e.rerank is not None:
        yield Line(
            _("Reranker"),
            f"{1 - e.rerank_weight:.2f} × {_number(e.weighed)} + {e.rerank_weight:.2f} × {_number(e.rerank)}",
            _number(e.score),
        )
    if e.rerank is None and e.weighed > 1:
        yield Line(_("Shown"), _("at most 1"), _number(1.0))
    yield Line(_("Score"), _chosen(e), _number(e.score))


def _words(e: Explain) -> str:
    if e.keyword_rank is None or e.keyword_raw is None:
        return _("contains none of the query's words")
    return _("rank %(rank)d by its words; %(raw)s of the highest possible score") % {
        "rank": e.keyword_rank,
        "raw": f"BM25 {e.keyword_raw:.2f}",
    }


def _meaning(e: Explain) -> str:
    if e.vector_raw is None:
        return _("not compared by meaning")
    if e.vector_rank is None:
        return _("cosine %(cosine)s of its nearest passage") % {"cosine": f"{e.vector_raw:.3f}"}
    return _("rank %(rank)d by its nearest passage; cosine %(cosine)s, scaled to 0 … 1") % {
        "rank": e.vector_rank,
        "cosine": f"{e.vector_raw:.3f}",
    }


def _age(e: Explain) -> str:
    if e.age_days is None:
        return _("no date, or it doesn't age")
    days = round(e.age_days)
    return ngettext("%(days)d day old", "%(days)d days old", days) % {"days": days}


def _importance(e: Explain) -> str:
    if e.importance == 1:
        return _("like every note without importance")
    return _("marked as more important") if e.importance > 1 else _("marked as less important")


def _project(e: Explain) -> str:
    return _("about the chat's project") if e.project > 1 else _("about another project")


def _day(e: Explain) -> str:
    return _("from a day that the query names") if e.date > 1 else _("from another day than the query names")


def _product(e: Explain) -> str:
    factors = [e.decay, e.importance, *(factor for factor in (e.project, e.date) if factor != 1)]
    return " × ".join([_number(e.relevance), *(f"{factor:.3f}" for factor in factors)])


def _chosen(e: Explain) -> str:
    match e.selected_by:
        case "file name":
            return _("the query names this file, so it comes first whatever its score")
        case "keyword":
            return _("below the minimum score, kept because it contains the query's words")
    if e.mmr_penalty > 0:
        return _("above the minimum score, but moved down: it resembles results above it by %(penalty)s") % {
            "penalty": _number(e.mmr_penalty)
        }
    return _("above the minimum score")


def _number(value: float) -> str:
    return f"{value:.3f}"


def _factor(value: float) -> str:
    return f"× {value:.3f}"
