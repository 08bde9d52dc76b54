"""Which model a name means and where its file lies: a registry id, `hf:owner/repo/file.gguf`, or a path."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from search.errors import ModelUnavailable
from search.runtime.checksums import known_sha256
from search.runtime.gguf_header import read_header
from search.runtime.presets import BUNDLED, PRESETS, Pooling, Preset, Role
from search.runtime.providers.prompts import facts_of_open_model
from search.sentences import sentence

HUB = "hf:"
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}/(?:[\w-][\w.-]*/)?[\w-][\w.-]*\.gguf")
_USUAL_POOLING: Mapping[str, Pooling] = {
    "bert": "mean",
    "nomic-bert": "mean",
    "gemma-embedding": "mean",
    "qwen2": "last",
    "qwen3": "last",
}


@dataclass(frozen=True, slots=True)
class ModelSet:
    """Models that go together on a home server with so much memory; the second and third are loaded on demand."""

    id: str
    memory_gb: int
    embed: str
    rerank: str = ""
    generate: str = ""
    note: str = ""


SETS = (
    ModelSet("bundled", 2, BUNDLED.id, note="Nothing to download: searches by words and by meaning in 6 languages."),
    ModelSet("home-4", 4, "embeddinggemma-300m-q8", note="Better vectors; nothing else is loaded."),
    ModelSet(
        "home-8", 8, "embeddinggemma-300m-q8", "qwen3-reranker-0.6b-q8", "qwen3-0.6b-q8",
        note="Reranks about five candidates in a few seconds, writes short summaries.",
    ),
    ModelSet(
        "home-16", 16, "qwen3-embedding-0.6b-q8", "bge-reranker-v2-m3-q8", "qwen3-1.7b-q8",
        note="Wants four cores or more.",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model and its file, whether or not the file is there yet."""

    preset: Preset
    path: Path


def locate(name: str, role: Role, models_dir: Path) -> LocalModel:
    """Where the file of this name belongs; the disk is not looked at. Raises `ModelUnavailable` for no name at all."""
    if name in PRESETS:
        preset = PRESETS[name]
        if preset.role != role:
            raise ModelUnavailable(
                sentence("{name} is a model to {role}, not to {role_2}", name=name, role=preset.role, role_2=role),
                hint=_choose(role),
            )
        return LocalModel(preset, models_dir / preset.filename)
    if name.startswith(HUB) and _HUB_NAME.fullmatch(name.removeprefix(HUB)) and ".." not in name:
        repo, filename = _hub_parts(name)
        own = Preset(
            id=name, role=role, filename=filename, licence=sentence("see the model card"), context=0, repo=repo
        )
        return LocalModel(own, models_dir / filename.rsplit("/", 1)[-1])
    path = Path(name)
    if path.is_absolute() and path.suffix == ".gguf":
        return LocalModel(Preset(id=name, role=role, filename=path.name, licence="your own", context=0), path)
    raise ModelUnavailable(sentence("there is no model named {name!r}", name=name[:80]), hint=_choose(role))


def installed(role: Role, models_dir: Path) -> list[LocalModel]:
    """Models of the registry whose file is in the folder, the bundled one always, in the registry's order."""
    found = [locate(preset.id, role, models_dir) for preset in PRESETS.values() if preset.role == role]
    return [model for model in found if model.preset is BUNDLED or model.path.is_file()]


def ready_to_load(name: str, role: Role, models_dir: Path) -> LocalModel:
    """The model with every value known; "" means the first that is installed.

    Raises `ModelUnavailable` when the file is missing, with what to do.
    """
    if not name:
        there = installed(role, models_dir)
        if not there:
            raise ModelUnavailable(sentence("no local model to {role} is installed", role=role), hint=_choose(role))
        return there[0]
    model = locate(name, role, models_dir)
    if model.preset is not BUNDLED and not model.path.is_file():
        raise ModelUnavailable(
            sentence("the file of {name} is not there: {path}", name=name, path=model.path), hint=how_to_get(model)
        )
    return model if name in PRESETS else _described_by_its_file(model)


def how_to_get(model: LocalModel, hub_url: str = "https://huggingface.co") -> str:
    """What to do, with and without a network, until the file is where it belongs."""
    if not model.preset.repo:
        return f"Copy the file to {model.path}."
    return (
        f"Run `manage.py models pull {model.preset.id}`. Without a network: download {hub_address(model, hub_url)} "
        f"elsewhere and copy it to {model.path}."
    )


def hub_address(model: LocalModel, hub_url: str) -> str:
    return f"{hub_url}/{model.preset.repo}/resolve/main/{model.preset.filename}"


def _described_by_its_file(model: LocalModel) -> LocalModel:
    """The file's own header fills in what no registry knows; prompts go by well-known names."""
    header = read_header(model.path)
    role = model.preset.role
    known = facts_of_open_model(header.name.replace(" ", "-") or model.path.stem)
    pooling = header.pooling if header.pooling != "none" else _USUAL_POOLING.get(header.architecture, "mean")
    preset = replace(
        model.preset,
        dims=header.dims if role == "embed" else 0,
        context=header.context or 512,
        pooling="rank" if role == "rerank" else pooling if role == "embed" else "none",
        query_prompt=known.query_prompt if role == "embed" else "{text}",
        document_prompt=known.document_prompt if role == "embed" else "{text}",
        sha256=known_sha256(model.path),
    )
    return LocalModel(preset, model.path)


def _hub_parts(name: str) -> tuple[str, str]:
    owner, repo, filename = name.removeprefix(HUB).split("/", 2)
    return f"{owner}/{repo}", filename


def _choose(role: Role) -> str:
    ids = ", ".join(preset.id for preset in PRESETS.values() if preset.role == role)
    return f"Use a registry id ({ids}), hf:owner/repo/file.gguf, or the absolute path of a .gguf file."


def locate_any(name: str, models_dir: Path) -> LocalModel:
    """As `locate`, for whatever role the model has."""
    return locate(name, PRESETS[name].role if name in PRESETS else "embed", models_dir)


def model_set(name: str) -> ModelSet | None:
    return next((entry for entry in SETS if entry.id == name), None)


def set_models(entry: ModelSet) -> dict[Role, str]:
    """The set's model for each role; "" where it has none."""
    return {"embed": entry.embed, "rerank": entry.rerank, "generate": entry.generate}


def own_files(models_dir: Path) -> list[Path]:
    """GGUF files in the folder that no row of the registry names."""
    known = {preset.filename for preset in PRESETS.values()}
    return sorted(path for path in models_dir.glob("*.gguf") if path.name not in known)
