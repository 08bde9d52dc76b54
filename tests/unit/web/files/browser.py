"""People at the files of agent `al`, and what no page of theirs may hold."""

from __future__ import annotations

import re

from django.test import Client

from agents.access.roles import Role
from agents.access.users import create_user
from tests import cast

INLINE_OR_FOREIGN = re.compile(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|(?:src|href)=\"(?:https?:)?//")


def person(role: Role, *, csrf: bool = False) -> Client:
    """A browser in which somebody with this role for agent `al` alone is signed in."""
    client = Client(enforce_csrf_checks=csrf)
    client.force_login(create_user(actor=cast.OWNER, name=role, roles={"al": role}))
    return client
