"""told(): what the engine and the rules say, in the reader's language, safe to look at."""

from __future__ import annotations

from django.utils.translation import gettext

from agents.core.errors import RuleError
from memory_appliance.web.diff import visible as shown
from search.errors import SearchError
from search.sentences import Sentence, ended, in_turn


def told(text: str) -> str:
    """A sentence in the reader's language; other text as it is. What has no shape is written as its code points."""
    return shown(_in_language(text))


def remark(text: str) -> str:
    """The same with a capital and a full stop."""
    said = told(ended(text))
    return said[:1].upper() + said[1:]


def refusal(error: RuleError | SearchError) -> str:
    """What is wrong and what to do."""
    said = told(in_turn(error.message, error.hint))
    return said[:1].upper() + said[1:]


def _in_language(text: str) -> str:
    if not isinstance(text, Sentence):
        return text
    template = gettext(text.template)
    if not text.values:
        return template
    values = {name: _in_language(one) if isinstance(one, str) else one for name, one in text.values.items()}
    try:
        return template.format(**values)
    except (LookupError, ValueError):  # a translation that names another value
        return str(text)
