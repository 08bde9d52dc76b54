"""REASONS: why a search found nothing, in the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from memory_appliance.web.phrases import Phrases

REASONS = Phrases(
    {
        "the query is blank": _("Enter a question."),
        "the query holds no word to look for": _("The question has no words to search for."),
        "the index holds no text yet": _("This memory has no text yet."),
        "none of the asked collections is indexed yet": _("The chosen collections aren't indexed yet."),
        "no indexed text has these words or comes near this meaning": _("No note matches these words or this meaning."),
        "{found} passages were found, the best scores {best}, below min_score": _(
            "%(found)s passages were found, but the best score is %(best)s, below the minimum score."
        ),
        "the best passage scores {best}; below {least} it rarely answers the question": _(
            "The best passage scores %(best)s. Below %(least)s a passage rarely answers the question."
        ),
    }
)
