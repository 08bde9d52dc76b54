"""Addresses of keys, people and the audit log."""

from __future__ import annotations

from django.urls import URLPattern, path

from memory_appliance.web.people.audit import audit
from memory_appliance.web.people.key_changes import new_key, revoke_key, rotate_key
from memory_appliance.web.people.keys import keys
from memory_appliance.web.people.user_changes import change_user, delete_user, new_user
from memory_appliance.web.people.users import users

pages: list[URLPattern] = [
    path("keys", keys, name="keys"),
    path("keys/new", new_key, name="key-new"),
    path("keys/<int:number>/rotate", rotate_key, name="key-rotate"),
    path("keys/<int:number>/revoke", revoke_key, name="key-revoke"),
    path("users", users, name="users"),
    path("users/new", new_user, name="user-new"),
    path("users/<int:number>", change_user, name="user"),
    path("users/<int:number>/delete", delete_user, name="user-delete"),
    path("audit", audit, name="audit"),
]
