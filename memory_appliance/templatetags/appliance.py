"""Tags and filters of the templates: asset addresses, an agent's tabs, and text that is safe to look at."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django import template
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.http import urlencode

from memory_appliance.web.agent.job_words import KINDS
from memory_appliance.web.tabs import TABS, Tab
from memory_appliance.web.told import told
from search.documents.lines import split_lines

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

register = template.Library()
register.filter("visible", told)


@register.filter
def kind_of_job(kind: str) -> StrOrPromise:
    """A kind of job as people read it."""
    return KINDS[kind]


@register.filter
def visible_lines(text: str) -> str:
    """`visible`, with the line breaks left as they are: for what wraps as it was written."""
    return "\n".join(told(line.rstrip("\r\n")) for line in split_lines(text))


@lru_cache(maxsize=64)
def _digest(path: str) -> str:
    found = finders.find(path)
    if not isinstance(found, str):
        raise template.TemplateSyntaxError(f"no static file {path!r}")
    return hashlib.sha256(Path(found).read_bytes()).hexdigest()[:12]


@register.simple_tag
def asset(path: str) -> str:
    """The address of a static file, with its content's digest: browsers keep it until it changes."""
    return f"{static(path)}?v={_digest(path)}"


@register.simple_tag(takes_context=True)
def agent_tabs(context: template.Context) -> list[Tab]:
    """The pages of the agent in `access` that this person may open."""
    return [tab for tab in TABS if context["access"].may(tab.role)]


@register.simple_tag(takes_context=True)
def query(context: template.Context, **changes: Any) -> str:
    """The page's own `?query` with some parameters changed; None or "" takes one out."""
    parameters = context["request"].GET.copy()
    for name, value in changes.items():
        if value in (None, ""):
            parameters.pop(name, None)
        else:
            parameters[name] = str(value)
    return f"?{urlencode(list(parameters.lists()), doseq=True)}"
