"""The pages as their visitors see them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client


@pytest.fixture
def admin(client: Client, db: None) -> Client:
    """A browser in which the owner is signed in."""
    client.force_login(User.objects.create_superuser("owner", password="a long password"))
    return client


@pytest.fixture
def guest(client: Client, db: None) -> Client:
    """A browser in which somebody without any role is signed in."""
    client.force_login(User.objects.create_user("guest", password="a long password"))
    return client
