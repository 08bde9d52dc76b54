"""What each role of a model is for, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from search.runtime.presets import Role

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class RoleWords:
    """`without`: what searches do when nobody has the role."""

    title: StrOrPromise
    about: StrOrPromise
    without: StrOrPromise


ROLE_WORDS: dict[Role, RoleWords] = {
    "embed": RoleWords(
        _("Embedding"),
        _("Turns notes and questions into vectors, so that searches find what is meant."),
        _("Nobody: searches go by words alone."),
    ),
    "rerank": RoleWords(
        _("Reranking"),
        _("Reads the best candidates of a thorough search again and puts them in order."),
        _("Nobody: results keep their order."),
    ),
    "generate": RoleWords(
        _("Writing"),
        _("Writes a few lines: summaries of a recall, other words for a question."),
        _("Nobody: summaries are taken from the notes word for word."),
    ),
}
