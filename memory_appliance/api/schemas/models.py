"""The registry of local models as the API shows it, with what is on the disk and what is in memory."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, InstanceOf

from agents.providers.downloads import models_dir, models_in_use
from memory_appliance.api.schemas.base import Answer, Body
from memory_appliance.embedding import models_client
from search.runtime.presets import BUNDLED, PRESETS, Preset, Role
from search.runtime.registry import SETS, how_to_get, locate_any, own_files
from search.sentences import sentence
from workers.model_status import ModelStatus


class PullBody(Body):
    model: str = Field(max_length=300, examples=["embeddinggemma-300m-q8"], description="Registry id, or hf:repo/file.")


class LoadedAnswer(Answer):
    state: str
    memory_bytes: int
    idle_seconds: float


class ModelAnswer(Answer):
    id: str
    role: Role | None
    """None: a file of your own, which may be used for any role."""
    filename: str
    source: Literal["bundled", "hub", "own"]
    repo: str
    licence: InstanceOf[str]
    bytes: int | None
    about_mb: int = Field(description="As its publisher shows it, where `bytes` is not known yet; else 0.")
    dims: int
    context: int
    pooling: str
    query_prompt: str
    document_prompt: str
    installed: bool
    used_by: list[str]
    how_to_get: str | None
    loaded: LoadedAnswer | None


class SetAnswer(Answer):
    id: str
    memory_gb: int
    embed: str
    rerank: str
    generate: str
    note: str


class ProcessAnswer(Answer):
    state: str
    detail: str
    rss_bytes: int


class ModelsAnswer(Answer):
    items: list[ModelAnswer]
    sets: list[SetAnswer]
    folder: str
    process: ProcessAnswer


def models_answer() -> ModelsAnswer:
    status, users = models_client().status(), models_in_use()
    own = [
        Preset(id=str(path), role="embed", filename=path.name, licence=sentence("your own"), context=0)
        for path in own_files(models_dir())
    ]
    return ModelsAnswer(
        items=[_model(preset, status, users.get(preset.id, [])) for preset in (*PRESETS.values(), *own)],
        sets=[SetAnswer.model_validate(entry, from_attributes=True) for entry in SETS],
        folder=str(models_dir()),
        process=ProcessAnswer(state=status.state, detail=status.detail, rss_bytes=status.rss_bytes),
    )


def _model(preset: Preset, status: ModelStatus, users: list[str]) -> ModelAnswer:
    known = preset.id in PRESETS
    found = locate_any(preset.id, models_dir())
    there = found.path.is_file()
    try:
        size = found.path.stat().st_size if there else preset.bytes
    except OSError:
        size = preset.bytes
    return ModelAnswer(
        id=preset.id,
        role=preset.role if known else None,
        filename=preset.filename,
        source="bundled" if preset is BUNDLED else "hub" if known else "own",
        repo=preset.repo,
        licence=preset.licence,
        bytes=size,
        about_mb=0 if size is not None else preset.about_mb,
        dims=preset.dims,
        context=preset.context,
        pooling=preset.pooling,
        query_prompt=preset.query_prompt,
        document_prompt=preset.document_prompt,
        installed=there,
        used_by=users,
        how_to_get=None if there or preset is BUNDLED else how_to_get(found),
        loaded=_loaded(preset.id, status),
    )


def _loaded(model: str, status: ModelStatus) -> LoadedAnswer | None:
    if status.model == model and status.state == "ready":
        return LoadedAnswer(state="ready", memory_bytes=status.rss_bytes, idle_seconds=0.0)
    for entry in status.models:
        if entry.get("model") == model:
            return LoadedAnswer(
                state=str(entry["state"]),
                memory_bytes=int(entry["memory_bytes"]),
                idle_seconds=float(entry["idle_seconds"]),
            )
    return None
