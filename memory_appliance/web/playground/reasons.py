"""REASONS: why a search found nothing, in the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from memory_appliance.web.phrases import Phrases

REASONS = Phrases(
    {
        "the query is blank": _("Nothing was asked."),
        "the query holds no word to look for": _("There is no word in it to look for."),
        "the index holds no text yet": _("There is no text in the memory yet."),
        "none of the asked collections is indexed yet": _("None of the chosen collections is indexed yet."),
        "no indexed text has these words or comes near this meaning": _(
            "No note has these words or comes near this meaning."
        ),
        "{found} passages were found, the best scores {best}, below min_score": _(
            "%(found)s passages were found, but the best scores %(best)s: less than the least score."
        ),
        "the best passage scores {best}; below {least} it rarely answers the question": _(
            "The best passage scores %(best)s. Below %(least)s it rarely answers the question."
        ),
    }
)
