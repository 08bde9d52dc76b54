"""API keys: shown once, kept as a digest, found by their secret, closed when revoked or run out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from agents.access.keys import create_key, revoke_key, rotate_key
from agents.access.secrets import find_key, is_trusted, may, note_use, sees
from agents.core.errors import Conflict, Invalid, NotFound
from agents.models import ApiKey, AuditEvent
from agents.registry.agents import create_agent
from agents.registry.selectors import get_key, list_agents, list_keys
from tests.cast import OWNER, person

pytestmark = pytest.mark.usefixtures("db", "data_dir")


@pytest.mark.parametrize(
    ("rights", "prefix"),
    [(["read"], "mar_"), (["read", "write"], "maw_"), (["admin"], "maa_"), (["admin", "read"], "maa_")],
)
def test_the_prefix_shows_the_highest_right(rights: list[Any], prefix: str) -> None:
    assert person("k", rights=rights).secret.startswith(prefix)


def test_no_part_of_the_secret_is_kept() -> None:
    secret = person("k", rights=["read"]).secret
    kept = str(ApiKey.objects.values().get()) + str(list(AuditEvent.objects.values()))
    assert all(secret[start : start + 6] not in kept for start in range(4, len(secret) - 6))


def test_a_key_is_found_by_its_secret_alone(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    made = person("k", rights=["read"])
    assert find_key(made.secret) == made.key
    with django_assert_num_queries(1):
        assert find_key(made.secret) == made.key
    for wrong in ("", "x", made.secret[:-1], made.secret + "x", made.secret.upper(), "\ud800", "a" * 100_000):
        assert find_key(wrong) is None


def test_the_last_use_is_noted_once_a_minute(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    made = person("k", rights=["read"])
    note_use(made.key, "10.0.0.7")
    used = ApiKey.objects.get(pk=made.key.pk)
    assert used.last_used_at is not None and used.last_address == "10.0.0.7"
    with django_assert_num_queries(0):
        note_use(used, "10.0.0.8")


def test_revoked_and_expired_keys_are_not_found() -> None:
    revoked, expired = person("r", rights=["read"]), person("e", rights=["read"])
    revoke_key(actor=OWNER, key=revoked.key)
    ApiKey.objects.filter(pk=expired.key.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert find_key(revoked.secret) is None and find_key(expired.secret) is None
    assert list(list_keys()) == [expired.key]
    with pytest.raises(NotFound):
        get_key(revoked.key.pk)


def test_the_old_secret_of_a_rotated_key_works_until_the_overlap_ends() -> None:
    old = person("k", rights=["write"])
    new = rotate_key(actor=OWNER, key=old.key, overlap=timedelta(minutes=5))
    assert find_key(old.secret) == find_key(new.secret) == old.key
    ApiKey.objects.update(previous_until=timezone.now() - timedelta(seconds=1))
    assert find_key(old.secret) is None and find_key(new.secret) == old.key


def test_a_key_never_has_more_than_two_secrets() -> None:
    first = person("k", rights=["read"])
    second = rotate_key(actor=OWNER, key=first.key, overlap=timedelta(hours=1))
    third = rotate_key(actor=OWNER, key=second.row, overlap=timedelta(hours=1))
    assert [find_key(secret) for secret in (first.secret, second.secret, third.secret)] == [None, third.row, third.row]


def test_revoking_closes_both_secrets_of_a_rotated_key() -> None:
    old = person("k", rights=["read"])
    new = rotate_key(actor=OWNER, key=old.key, overlap=timedelta(hours=1))
    revoke_key(actor=OWNER, key=new.row)
    assert find_key(old.secret) is None and find_key(new.secret) is None


def test_without_overlap_the_old_secret_ends_at_once() -> None:
    old = person("k", rights=["write"])
    new = rotate_key(actor=OWNER, key=old.key, overlap=timedelta())
    assert find_key(old.secret) is None and find_key(new.secret) == old.key
    revoke_key(actor=OWNER, key=old.key)
    with pytest.raises(Conflict):
        rotate_key(actor=OWNER, key=old.key)


def test_a_right_is_had_only_when_given_and_admin_includes_all() -> None:
    reader, writer, admin = (person("k", rights=[right]).key for right in ("read", "write", "admin"))
    assert [may(reader, right) for right in ("read", "write", "admin")] == [True, False, False]
    assert [may(writer, right) for right in ("read", "write", "admin")] == [False, True, False]
    assert may(admin, "read") and is_trusted(admin) and not is_trusted(writer)


def test_a_key_for_one_agent_does_not_see_its_look_alike() -> None:
    for slug in ("al", "al-2"):
        create_agent(actor=OWNER, slug=slug)
    key = person("k", agents=["al"], rights=["read"]).key
    assert sees(key, "al") and not sees(key, "al-2") and not sees(key, "a")
    from agents.access.secrets import visible_agents

    assert [agent.slug for agent in list_agents(visible_agents(key))] == ["al"]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"agents": ["nobody"]}, "agents"),
        ({"agents": []}, "agents"),
        ({"rights": []}, "rights"),
        ({"rights": ["root"]}, "rights"),
        ({"name": " "}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"expires_at": timezone.now() - timedelta(days=1)}, "expires_at"),
        ({"expires_at": timezone.now().replace(tzinfo=None) + timedelta(days=1)}, "expires_at"),
        ({"secret": "x" * 31}, "key"),
    ],
)
def test_bad_values_are_refused_and_named(values: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as error:
        create_key(actor=OWNER, **{"name": "k", "agents": "*", "rights": ["read"], **values})
    assert error.value.field == field and not ApiKey.objects.exists()


def test_a_given_secret_is_used_once() -> None:
    for _ in range(1):
        create_key(actor=OWNER, name="k", agents="*", rights=["admin"], secret="y" * 32)
    assert find_key("y" * 32) is not None
    with pytest.raises(Conflict):
        create_key(actor=OWNER, name="k", agents="*", rights=["admin"], secret="y" * 32)
