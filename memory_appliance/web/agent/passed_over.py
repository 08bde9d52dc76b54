"""What a look at a folder passed over, in words."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import ngettext

from search.documents.scan import PassedOver


def passed_over_in_words(counts: Mapping[PassedOver, int]) -> list[str]:
    """A sentence for each reason that there is, in a settled order."""
    order: tuple[PassedOver, ...] = ("pattern", "ignored", "unread_type", "hidden", "tools")
    return [_sentence(reason, counts[reason]) for reason in order if counts.get(reason)]


def _sentence(reason: PassedOver, n: int) -> str:
    text = {
        "pattern": ngettext("%(n)d entry does not match the pattern", "%(n)d entries do not match the pattern", n),
        "ignored": ngettext("%(n)d entry is excluded", "%(n)d entries are excluded", n),
        "unread_type": ngettext(
            "%(n)d file is of a type that is not read", "%(n)d files are of types that are not read", n
        ),
        "hidden": ngettext("%(n)d hidden file or folder", "%(n)d hidden files or folders", n),
        "tools": ngettext("%(n)d folder of a tool, such as .git", "%(n)d folders of tools, such as node_modules", n),
    }[reason]
    return text % {"n": n}
