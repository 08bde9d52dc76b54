"""Addresses and names that a proxy hands on: believed from listed addresses alone."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from agents.models import AuditEvent
from memory_appliance.proxies import RealAddress

pytestmark = pytest.mark.django_db


def seen(settings: Any, peer: str, forwarded: str) -> HttpRequest:
    settings.MEMORY_TRUSTED_PROXIES = ("10.0.0.0/8", "::1")
    request = RequestFactory().get("/", REMOTE_ADDR=peer, HTTP_X_FORWARDED_FOR=forwarded)
    RealAddress(lambda _: HttpResponse())(request)
    return request


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "1.2.3.4, 203.0.113.7, 10.0.0.2", "203.0.113.7"),
        ("::ffff:10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("::1", "2001:db8::5", "2001:db8::5"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "203.0.113.7, nonsense", "10.0.0.1"),
        ("192.0.2.1", "203.0.113.7", "192.0.2.1"),
        ("", "203.0.113.7", ""),
    ],
)
def test_the_address_is_the_nearest_that_is_no_proxy(settings: Any, peer: str, forwarded: str, address: str) -> None:
    assert seen(settings, peer, forwarded).META["REMOTE_ADDR"] == address


def test_what_a_stranger_says_of_itself_is_dropped(settings: Any) -> None:
    assert "HTTP_X_FORWARDED_FOR" not in seen(settings, "192.0.2.1", "203.0.113.7").META


@pytest.fixture
def signing_on(settings: Any) -> Client:
    """A server that believes a proxy at 10.0.0.1, and one person it knows."""
    settings.MEMORY_TRUSTED_PROXIES = ("10.0.0.1",)
    settings.MEMORY_SSO_HEADER = "X-Forwarded-User"
    settings.AUTHENTICATION_BACKENDS = [
        "django.contrib.auth.backends.ModelBackend", "memory_appliance.proxies.SignOnBackend"
    ]  # fmt: skip
    get_user_model().objects.create_superuser("ann", password="four words of ann")
    return Client()


def page(client: Client, name: str, peer: str) -> int:
    return client.get("/", headers={"X-Forwarded-User": name}, REMOTE_ADDR=peer).status_code


def test_the_person_that_a_trusted_proxy_names_is_signed_in(signing_on: Client) -> None:
    assert page(signing_on, "ann", "10.0.0.1") == 200


@pytest.mark.parametrize(
    ("name", "peer"), [("ann", "10.0.0.2"), ("ann", "127.0.0.1"), ("bob", "10.0.0.1"), ("", "10.0.0.1")]
)
def test_another_address_or_an_unknown_name_signs_nobody_in(signing_on: Client, name: str, peer: str) -> None:
    assert page(signing_on, name, peer) == 302
    assert not get_user_model().objects.filter(username="bob").exists()


def test_a_person_who_was_switched_off_stays_outside(signing_on: Client) -> None:
    get_user_model().objects.update(is_active=False)
    assert page(signing_on, "ann", "10.0.0.1") == 302


def test_the_header_from_elsewhere_is_noted(signing_on: Client) -> None:
    page(signing_on, "ann", "192.0.2.9")
    event = AuditEvent.objects.get(action="sign_on.denied")
    assert event.address == "192.0.2.9" and "ann" not in str(event.detail)


def test_it_is_off_by_default(settings: Any) -> None:
    get_user_model().objects.create_superuser("ann", password="four words of ann")
    settings.MEMORY_TRUSTED_PROXIES = ("10.0.0.1",)
    assert page(Client(), "ann", "10.0.0.1") == 302
