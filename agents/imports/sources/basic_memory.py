"""Basic Memory's folder, or a zip of it: notes as they are, with their observations and relations counted.

An observation is `- [category] text #tag (context)`, a relation `- how_it_relates [[Other note]]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.imports.found import Document, Found
from agents.imports.given import Given
from agents.imports.reading import no_export
from agents.imports.vault import notes
from search.sentences import sentence

_OBSERVATION = re.compile(rb"^[ \t]*[-*] \[(?![ xX-]?\])[^\[\]()\n]{1,80}\](?!\() \S", re.MULTILINE)
_RELATION = re.compile(rb"^[ \t]*[-*] (?:[^\[\]\n]{1,80} )?\[\[[^\[\]\n]{1,300}\]\]", re.MULTILINE)
_PERMALINK = re.compile(rb"\A(?:\xef\xbb\xbf)?---\r?\n(?:.*\n){0,40}?permalink:")
_HINT = sentence("Name the project's folder (by default ~/basic-memory); for other notes the source is obsidian.")


def read(given: Given) -> Iterator[Found]:
    its_own = False
    for found in notes(given, "Basic Memory", _HINT, _about):
        its_own = its_own or (isinstance(found, Document) and bool(found.detail))
        yield found
    if not its_own:
        raise no_export(given, "Basic Memory", _HINT)


def _about(data: bytes) -> str:
    """ "" for a note that is none of Basic Memory's."""
    observations, relations = len(_OBSERVATION.findall(data)), len(_RELATION.findall(data))
    if not (observations or _PERMALINK.match(data)):
        return ""
    return sentence(
        "observations: {observations}, relations: {relations}", observations=observations, relations=relations
    )
