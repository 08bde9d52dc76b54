"""Pull: bring one model from the hub into the folder that all agents share."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from agents.models import Run
from search.index.report import Progress
from search.runtime.bundled import ensure_bundled
from search.runtime.download import download
from search.runtime.presets import BUNDLED
from search.runtime.registry import hub_address, locate_any
from workers.app import app
from workers.door import work_on
from workers.lease import Lease

_MB = 1_000_000


@app.task(name="workers.pull")
def pull(run_id: int) -> None:
    work_on(run_id, Run.Kind.PULL, _pull)


def _pull(run: Run, lease: Lease) -> dict[str, Any]:
    models_dir = settings.MEMORY_LOCAL_DIR / "models"
    if run.subject == BUNDLED.id:
        return {"file": ensure_bundled(models_dir).name}
    model = locate_any(run.subject, models_dir)
    if not model.path.is_file():
        download(
            hub_address(model, settings.MEMORY_HUB_URL),
            model.path,
            sha256=model.preset.sha256,
            progress=lambda done, total: lease.progress(Progress(done // _MB, max(done, total) // _MB, "MB")),
            cancelled=lease.cancelled,
        )
    return {"file": model.path.name, "bytes": model.path.stat().st_size}
