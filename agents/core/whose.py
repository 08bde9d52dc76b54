"""whose_workspace(): which agent a folder belongs to, found by an index and not by comparing all of them."""

from __future__ import annotations

from pathlib import Path

from django.db import connection
from django.db.models import Q, QuerySet

from agents.core.paths import data_dir
from agents.models import Agent


def whose_workspace(folder: Path, agents: QuerySet[Agent]) -> str:
    """The slug of one of `agents` whose workspace this folder is, is in, or holds; "" when it is free."""
    # No service stores a workspace that holds the data folder; a row that does must not take the others' folders away.
    own = data_dir().resolve()
    holds = Q(workspace__in=[str(one) for one in (folder, *folder.parents) if not own.is_relative_to(one)])
    below = f"{str(folder).rstrip('/')}/"
    if connection.vendor == "sqlite":  # LIKE looks at every row there; "0" is what follows "/"
        inside = Q(workspace__gte=below, workspace__lt=f"{below[:-1]}0")
    else:
        inside = Q(workspace__startswith=below)
    for condition in (holds, inside):
        for slug in agents.filter(condition).order_by().values_list("slug", flat=True)[:1]:
            return slug
    return ""
