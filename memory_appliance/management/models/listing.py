"""`models list`: the registry, what is on the disk, who uses it, and what it takes in memory."""

from __future__ import annotations

from memory_appliance.api.schemas.models import ModelAnswer, models_answer
from memory_appliance.management.memory.output import Output

_MB = 1_000_000


def show_models(output: Output) -> None:
    answer = models_answer()
    if output.as_json:
        output.answer(answer.model_dump(mode="json"))
        return
    output.line(f"Models in {answer.folder}")
    for model in answer.items:
        output.line(_line(model))
    output.line()
    output.line("Sets for a home server (`models pull SET`, then `models use SET`)")
    for entry in answer.sets:
        names = ", ".join(name for name in (entry.embed, entry.rerank, entry.generate) if name)
        output.line(f"  {entry.id:<10} {entry.memory_gb:>2} GB  {names}. {entry.note}")
    output.line()
    detail = f" ({answer.process.detail})" if answer.process.detail else ""
    output.line(f"Models process: {answer.process.state}{detail}, {answer.process.rss_bytes // _MB} MB in memory")


def _line(model: ModelAnswer) -> str:
    size = f"~{model.about_mb}" if model.bytes is None else f"{model.bytes // _MB}"
    state = "there" if model.installed else "made at the first start" if model.source == "bundled" else "-"
    if model.loaded is not None:
        state = f"{model.loaded.state}, {model.loaded.memory_bytes // _MB} MB in memory"
    users = f"  used by {', '.join(model.used_by)}" if model.used_by else ""
    shape = f"{model.dims} dims, " if model.dims else ""
    return f"  {model.id:<30} {model.role or 'any':<8} {size:>5} MB  {state:<24} {shape}{model.licence}{users}"
