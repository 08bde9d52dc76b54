"""`manage.py makemessages`: as Django's, and the templates of `sentence()` too."""

from __future__ import annotations

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    xgettext_options = [*makemessages.Command.xgettext_options, "--keyword=sentence"]
