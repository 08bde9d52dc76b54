"""SearchForm: the playground's fields, a GET form whose address is the link to share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from agents.core.agent_settings import AgentSettings
from agents.memory.reads import MAX_RESULTS
from memory_appliance.web.as_chat import ChatFields
from memory_appliance.web.playground.asked import MODES, Asked
from search.spec import Corpus, Mode

MODE_LABELS = {
    "search": _("Words"),
    "vsearch": _("Meaning"),
    "hybrid": _("Words and meaning"),
    "query": _("Best quality (slower)"),
}
_CORPORA = (("memory", _("notes")), ("sessions", _("chats")), ("all", _("notes and chats")))


class SearchForm(ChatFields):
    """Always bound: an empty address is a search that nobody has typed yet."""

    q = forms.CharField(label=_("Question or keywords"), required=False, strip=False)
    mode = forms.MultipleChoiceField(label=_("Search modes"), required=False, choices=list(MODE_LABELS.items()))
    collection = forms.MultipleChoiceField(label=_("Collections"), required=False)
    corpus = forms.ChoiceField(label=_("Search in"), required=False, choices=_CORPORA)
    limit = forms.IntegerField(label=_("Maximum results"), required=False, min_value=1, max_value=MAX_RESULTS)
    min_score = forms.FloatField(
        label=_("Minimum score"),
        required=False,
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )
    intent = forms.CharField(
        label=_("Intent"),
        required=False,
        max_length=2000,
        help_text=_("A sentence that tells a reranking model what you want."),
    )
    abstain = forms.BooleanField(label=_("Hide uncertain results"), required=False)
    explain = forms.BooleanField(label=_("Expand all score details"), required=False)

    def __init__(self, data: QueryDict, own: AgentSettings, collections: Sequence[str]) -> None:
        super().__init__(data)
        self._own = own
        self._collections = collections
        cast(forms.MultipleChoiceField, self.fields["collection"]).choices = [(name, name) for name in collections]
        self.fields["limit"].widget.attrs["placeholder"] = str(own.max_results)
        self.fields["min_score"].widget.attrs["placeholder"] = str(own.min_score)

    def asked(self) -> Asked:
        """Call on a valid form. Ways to search come in their own order; none chosen is the agent's own."""
        values = self.cleaned_data
        modes = tuple(mode for mode in MODES if mode in values["mode"])
        return Asked(
            query=values["q"],
            modes=modes or (self._own.mode,),
            collections=tuple(values["collection"]),
            corpus=cast(Corpus, values["corpus"] or "memory"),
            limit=values["limit"],
            min_score=values["min_score"],
            intent=values["intent"],
            abstain=values["abstain"],
            explain=values["explain"],
            chat=self.chat(),
        )

    @property
    def chosen_modes(self) -> tuple[Mode, ...]:
        """What the page shows as chosen, also while other fields are wrong."""
        wanted = self.data.getlist("mode") if isinstance(self.data, QueryDict) else []
        return tuple(mode for mode in MODES if mode in wanted) or (self._own.mode,)

    @property
    def collection_choices(self) -> list[tuple[str, bool]]:
        """Each collection with whether it is chosen; nothing to choose where there is one alone."""
        wanted = self.data.getlist("collection") if isinstance(self.data, QueryDict) else []
        return [(name, name in wanted) for name in self._collections] if len(self._collections) > 1 else []

    @property
    def narrowed(self) -> bool:
        """Whether any of the fields that are folded away is in use or wrong."""
        folded = ("collection", "corpus", "limit", "min_score", "intent", "abstain")
        return any(self.data.get(name) for name in folded)
