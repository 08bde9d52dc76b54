"""`manage.py options`: print the option table as the documentation page or as the sample `.env`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memory_appliance.settings.reference import env_sample, markdown


class Command(BaseCommand):
    help = "Print every option with its type, default and meaning."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--markdown", action="store_true", help="as docs/configuration.md (the default)")
        form.add_argument("--env", action="store_true", help="as .env.example")

    def handle(self, *args: Any, env: bool, **options: Any) -> None:
        self.stdout.write(env_sample() if env else markdown(), ending="")
