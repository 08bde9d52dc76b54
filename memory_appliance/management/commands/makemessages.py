"""`manage.py makemessages`: as Django's, and the templates of `sentence()` too."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.xgettext_options = [*self.xgettext_options, "--keyword=sentence"]
