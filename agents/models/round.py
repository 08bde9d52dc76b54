"""Round: when work that comes round, such as the sweep, was last begun by any of several servers."""

from __future__ import annotations

from django.db import models


class Round(models.Model):
    name = models.CharField(max_length=40, primary_key=True)
    next_at = models.DateTimeField(help_text="By the database's clock: it is not begun again before.")

    def __str__(self) -> str:
        return self.name
