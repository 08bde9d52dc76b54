"""`models pull`: the same download as the run of the API, in this process, with its progress on the terminal."""

from __future__ import annotations

from django.conf import settings
from tqdm import tqdm

from agents.providers.downloads import models_dir
from memory_appliance.management.memory.output import Failed, Output
from search.runtime.bundled import ensure_bundled
from search.runtime.download import download
from search.runtime.presets import BUNDLED
from search.runtime.registry import LocalModel, hub_address, locate_any, model_set, set_models


def pull(output: Output, *, name: str) -> None:
    """One model, or every model of a set. Raises `ModelUnavailable` with what to do without a network."""
    entry = model_set(name)
    names = [name] if entry is None else [model for model in set_models(entry).values() if model]
    files = [_pull_one(output, locate_any(model, models_dir())) for model in names]
    if output.as_json:
        output.answer({"files": files})


def _pull_one(output: Output, model: LocalModel) -> str:
    if model.preset is BUNDLED:
        path = ensure_bundled(models_dir(), report=output.remark)
    elif model.path.is_file():
        path = model.path
    elif not model.preset.repo:
        raise Failed(f"{model.path} is your own file: copy it there.")
    else:
        path = model.path
        with tqdm(unit="B", unit_scale=True, desc=path.name, disable=not output.on_terminal) as bar:

            def progress(done: int, total: int) -> None:
                bar.total = total or None
                bar.update(done - bar.n)

            download(hub_address(model, settings.MEMORY_HUB_URL), path, sha256=model.preset.sha256, progress=progress)
    if not output.as_json:
        output.line(f"{model.preset.id}: {path}")
    return str(path)
