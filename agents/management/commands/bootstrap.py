"""`manage.py bootstrap`: make the first user, key and demo agent, and show generated secrets once, in a box."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from pydantic import SecretStr

from agents.setup.bootstrap import ADMIN, Bootstrapped, bootstrap, new_admin_key


class Command(BaseCommand):
    help = "Make the first admin user, the first admin API key and the demo agent. Safe to repeat."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--new-key", action="store_true", help="make and show one more admin API key")

    def handle(self, *args: Any, new_key: bool, **options: Any) -> None:
        chosen = settings.OPTIONS
        try:
            made = bootstrap(
                admin_password=_revealed(chosen.admin_password),
                bootstrap_key=_revealed(chosen.bootstrap_key),
                demo=chosen.demo,
            )
            lines = _lines(made)
            if new_key:
                lines.append(f"one more admin API key  {new_admin_key()}")
        except DatabaseError as error:
            raise CommandError(
                f"The control database in {chosen.data_dir} cannot be used: {error}. "
                "Name the server's MEMORY_DATA_DIR, or start the server once."
            ) from error
        if lines:
            self.stdout.write(_box([*lines, "", "Shown this once: keep it in a safe place."]))
        if made.demo is not None:
            self.stdout.write(f"Demo agent `{made.demo.slug}` made in {made.demo.workspace}.")


def _revealed(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()


def _lines(made: Bootstrapped) -> list[str]:
    lines = []
    if made.password is not None:
        lines.append(f"user           {ADMIN}")
        lines.append(f"password       {made.password}")
    if made.key is not None:
        lines.append(f"admin API key  {made.key}")
    return lines


def _box(lines: list[str]) -> str:
    width = max(len(line) for line in lines)
    body = [f"│ {line:<{width}} │" for line in lines]
    return "\n".join([f"┌{'─' * (width + 2)}┐", *body, f"└{'─' * (width + 2)}┘"])
