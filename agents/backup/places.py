"""Where restored folders go: to the places of then, moved along when the data folder lies elsewhere now."""

from __future__ import annotations

from pathlib import Path

from agents.core.errors import Invalid
from agents.core.paths import checked_folder, data_dir, default_workspace
from agents.models import Agent, Collection
from search.sentences import sentence


def moved(path: str, old_data_dir: str) -> Path:
    """A path of then as it is now."""
    found = Path(path)
    return data_dir() / found.relative_to(old_data_dir) if found.is_relative_to(old_data_dir) else found


def workspace_now(slug: str, path: str, old_data_dir: str) -> tuple[Path, str]:
    """The workspace's folder, and a remark when it cannot be that of then."""
    wanted = moved(path, old_data_dir)
    try:
        checked_folder(str(wanted), field="workspace")
        if not wanted.is_relative_to(data_dir()):
            wanted.mkdir(parents=True, exist_ok=True)
    except (Invalid, OSError):
        return default_workspace(slug), sentence(
            "The workspace of {slug} was {path}, which cannot be used here.", slug=slug, path=path
        )
    return wanted, ""


def adapt_places(database: str, old_data_dir: str, slug: str | None = None) -> tuple[str, ...]:
    """Write the places of now into a restored control database; returns remarks for the owner."""
    remarks = []
    agents = Agent.objects.using(database).prefetch_related("collections")
    for agent in agents if slug is None else agents.filter(slug=slug):
        then = agent.workspace
        folder, remark = workspace_now(agent.slug, then, old_data_dir)
        if remark:
            remarks.append(f"{remark} It is {folder} now.")
        Agent.objects.using(database).filter(pk=agent.pk).update(workspace=str(folder))
        for collection in agent.collections.all():
            path = Path(collection.path)
            place = folder / path.relative_to(then) if path.is_relative_to(then) else moved(str(path), old_data_dir)
            Collection.objects.using(database).filter(pk=collection.pk).update(path=str(place))
    return tuple(remarks)
