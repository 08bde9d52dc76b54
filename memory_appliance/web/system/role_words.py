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
        _("Turns notes and questions into vectors for search by meaning."),
        _("None: search uses words only."),
    ),
    "rerank": RoleWords(
        _("Reranking"),
        _("Reads the best results again and improves their order."),
        _("None: results keep their order."),
    ),
    "generate": RoleWords(
        _("Writing"),
        _("Writes recall summaries and rephrases questions."),
        _("None: summaries quote the notes."),
    ),
}
