"""set_scope(): replace an agent's scope rules as a whole."""

from __future__ import annotations

from dataclasses import asdict, replace

from django.db import transaction

from agents.access.scope import Match, Scope, opens_further
from agents.access.sessions import CHAT_TYPES
from agents.core.actors import Actor
from agents.core.audit import record
from agents.core.errors import Invalid
from agents.indexes.specs import scope_of
from agents.models import Agent, ScopeRule
from search.sentences import sentence

MAX_RULES = 100


def set_scope(*, actor: Actor, agent: Agent, scope: Scope, confirm_open: bool = False) -> Scope:
    """Store `scope` and return it as stored: channels and prefixes trimmed and in lower case, like session keys.

    Raises `Invalid` with field `confirm_open` when it opens the memory to every chat and that was not confirmed.
    """
    stored = cleaned(scope)
    if not confirm_open and opens_further(stored, scope_of(agent)):
        raise Invalid(
            sentence("This opens the memory to every chat."),
            hint=sentence(
                "Give the rule a condition and let the default be deny. If every chat may see it: confirm_open: true."
            ),
            field="confirm_open",
        )
    with transaction.atomic():
        Agent.objects.filter(pk=agent.pk).update(scope_default=stored.default)
        agent.scope_rules.all().delete()
        ScopeRule.objects.bulk_create(
            ScopeRule(agent=agent, position=position, action=rule.action, match=match_json(rule.match))
            for position, rule in enumerate(stored.rules)
        )
        agent.scope_default = stored.default
        record(
            actor=actor,
            action="scope.set",
            target=agent.slug,
            agent_slug=agent.slug,
            detail={
                "default": stored.default,
                "rules": [{"action": rule.action, "match": match_json(rule.match)} for rule in stored.rules],
            },
        )
    return stored


def cleaned(scope: Scope) -> Scope:
    """As it would be stored; raises `Invalid`, which names the field, for what no rule may be."""
    if len(scope.rules) > MAX_RULES:
        raise Invalid(
            sentence("There are more than {max_rules} rules.", max_rules=MAX_RULES),
            hint=sentence("Use fewer, broader rules."),
            field="rules",
        )
    if scope.default not in ("allow", "deny"):
        raise Invalid(sentence("The default is neither allow nor deny."), hint=sentence("Use deny."), field="default")
    rules = tuple(
        replace(rule, match=_clean(rule.match, f"rules.{index}.match")) for index, rule in enumerate(scope.rules)
    )
    for index, rule in enumerate(rules):
        if rule.action not in ("allow", "deny"):
            raise Invalid(
                sentence("The action is neither allow nor deny."), hint="Use one.", field=f"rules.{index}.action"
            )
    return Scope(scope.default, rules)


def match_json(match: Match) -> dict[str, str]:
    return {name: value for name, value in asdict(match).items() if value is not None}


def _clean(match: Match, field: str) -> Match:
    if match.chat_type is not None and match.chat_type not in CHAT_TYPES:
        raise Invalid(
            sentence("There is no chat type {chat_type!r}.", chat_type=match.chat_type),
            hint=sentence("Chat types are {chat_types}.", chat_types=", ".join(CHAT_TYPES)),
            field=f"{field}.chat_type",
        )
    return replace(
        match,
        channel=_word(match.channel, f"{field}.channel"),
        key_prefix=_word(match.key_prefix, f"{field}.key_prefix"),
        raw_key_prefix=_word(match.raw_key_prefix, f"{field}.raw_key_prefix"),
    )


def _word(value: str | None, field: str) -> str | None:
    if value is None:
        return None
    word = value.strip().lower()
    if not word.rstrip(":") or len(word) > 500 or any(ord(sign) < 32 or 0xD800 <= ord(sign) <= 0xDFFF for sign in word):
        raise Invalid(
            sentence("The condition is empty, longer than 500 characters or holds control characters."),
            hint=sentence("Leave the condition out to match every chat."),
            field=field,
        )
    return word
