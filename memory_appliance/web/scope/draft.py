"""Draft: scope rules as they stand in the form, between what is stored and what a person is about to store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import cast

from django.http import QueryDict

from agents.access.scope import Action, Match, Rule, Scope
from agents.access.scope_templates import SCOPE_TEMPLATES
from agents.access.sessions import ChatType
from agents.core.errors import Invalid
from agents.core.paging import as_number
from agents.registry.scope_rules import MAX_RULES
from memory_appliance.web.told import refusal

CONDITIONS = ("chat_type", "channel", "key_prefix", "raw_key_prefix")


@dataclass(frozen=True, slots=True)
class DraftRule:
    """A row of the form. Empty conditions are not asked. `errors`: condition → what is wrong with it."""

    action: str = "deny"
    chat_type: str = ""
    channel: str = ""
    key_prefix: str = ""
    raw_key_prefix: str = ""
    errors: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Draft:
    """`seen` is the digest of the stored rules that it began from; `moved` the row that a button has just
    touched, and `by` what the button did."""

    default: str
    rules: tuple[DraftRule, ...]
    seen: str
    moved: int | None = None
    by: str = ""

    def scope(self) -> Scope:
        """As rules; whether they are sound is `set_scope`'s to say."""
        return Scope("allow" if self.default == "allow" else "deny", tuple(map(_rule, self.rules)))

    def after(self, command: str) -> Draft:
        """The draft after a button: `add`, `up:2`, `down:2`, `remove:2`, `template:private`. Others change nothing."""
        verb, _, subject = command.partition(":")
        rules = list(self.rules)
        if verb == "add" and len(rules) < MAX_RULES:
            return replace(self, rules=(*rules, DraftRule()), moved=len(rules), by=verb)
        if verb == "template" and subject in SCOPE_TEMPLATES:
            return replace(draft_of(SCOPE_TEMPLATES[subject]), seen=self.seen)
        place = as_number(subject)
        if place is None or place >= len(rules):
            return self
        if verb == "remove":
            del rules[place]
            return replace(self, rules=tuple(rules), moved=min(place, len(rules) - 1), by=verb)
        target = {"up": place - 1, "down": place + 1}.get(verb, place)
        if not 0 <= target < len(rules):
            return self
        rules.insert(target, rules.pop(place))
        return replace(self, rules=tuple(rules), moved=target, by=verb)

    def unfinished(self, stored: Scope) -> frozenset[int]:
        """Places of new `deny` rules that have no condition yet: they would silence every rule below them."""
        bare = _rule(DraftRule("deny"))
        if bare in stored.rules:
            return frozenset()
        return frozenset(place for place, row in enumerate(self.rules) if _rule(row) == bare)

    def refused(self, error: Invalid) -> Draft:
        """With the refusal beside the condition that it names (`rules.2.match.channel`)."""
        parts = error.field.split(".")
        if len(parts) < 3 or parts[0] != "rules" or not parts[1].isdigit():
            return self
        rules = list(self.rules)
        rules[int(parts[1])] = replace(rules[int(parts[1])], errors={parts[-1]: refusal(error)})
        return replace(self, rules=tuple(rules))


def draft_of(scope: Scope) -> Draft:
    return Draft(scope.default, tuple(_row(rule) for rule in scope.rules), digest_of(scope))


def read_draft(form: QueryDict) -> Draft:
    """The rows in the order in which they were sent: whoever moves a row on the page moves its fields."""
    actions = form.getlist("action")[: MAX_RULES + 1]
    columns = {name: form.getlist(name) for name in CONDITIONS}
    rules = tuple(
        _filled(action, {name: texts[place] for name, texts in columns.items() if place < len(texts)})
        for place, action in enumerate(actions)
    )
    return Draft(form.get("default", "deny"), rules, form.get("seen", ""))


def digest_of(scope: Scope) -> str:
    return hashlib.sha256(json.dumps(asdict(scope), sort_keys=True).encode()).hexdigest()[:16]


def _row(rule: Rule) -> DraftRule:
    return _filled(rule.action, {name: getattr(rule.match, name) or "" for name in CONDITIONS})


def _filled(action: str, conditions: Mapping[str, str]) -> DraftRule:
    chat_type, channel, key_prefix, raw_key_prefix = (conditions.get(name, "").strip() for name in CONDITIONS)
    return DraftRule(action, chat_type, channel, key_prefix, raw_key_prefix)


def _rule(row: DraftRule) -> Rule:
    match = Match(
        chat_type=cast(ChatType, row.chat_type) if row.chat_type else None,
        channel=row.channel or None,
        key_prefix=row.key_prefix or None,
        raw_key_prefix=row.raw_key_prefix or None,
    )
    return Rule(cast(Action, row.action), match)
