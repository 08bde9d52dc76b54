"""LlamaGenerator: a GGUF chat model in this process, bounded in tokens and in time."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from search.errors import GeneratorUnavailable
from search.runtime.checksums import verify_file
from search.runtime.llama_native import load_library
from search.runtime.presets import Preset
from search.runtime.protocols import Message, Thinking
from search.runtime.providers.generator import without_thoughts
from search.sentences import sentence

LARGEST_CONTEXT = 4096
_BATCH = 256
_PER_MESSAGE = 16
"""Tokens that a chat template adds to each message, generously."""
_CUT = "\n…\n"
_NO_THOUGHTS = " /no_think"


class LlamaGenerator:
    """Safe from any number of threads; one at a time has the model. Messages that are too long lose their middle."""

    def __init__(self, path: Path, preset: Preset, *, threads: int = 1) -> None:
        """Raises `ModelUnavailable` when the file is damaged or cannot be loaded."""
        if preset.sha256 is not None:
            verify_file(path, preset.sha256)
        self.name = f"local:{preset.id}"
        self._lib = load_library()
        size = min(preset.context or LARGEST_CONTEXT, LARGEST_CONTEXT)
        try:
            self._llama = self._lib.Llama(
                str(path), n_ctx=size, n_batch=_BATCH, n_threads=threads, n_threads_batch=threads, verbose=False
            )
        except (ValueError, RuntimeError) as error:
            raise GeneratorUnavailable(
                sentence("llama.cpp cannot load {name}", name=path.name),
                hint=sentence("Its file may be damaged, or the memory too small."),
            ) from error
        self._size = size
        self._end = 0.0
        self._lock = threading.Lock()
        self._abort = self._lib.ggml_abort_callback(lambda _: time.monotonic() > self._end)
        self._lib.llama_set_abort_callback(self._llama.ctx, self._abort, None)
        self._signs = self._control_signs()

    def generate(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        timeout: float,
        json_schema: Mapping[str, Any] | None = None,
        thinking: Thinking = "off",
    ) -> str:
        """Any level lets a model think that can; it is then not held to a schema, whose grammar leaves no room."""
        end = time.monotonic() + timeout
        if not self._lock.acquire(timeout=max(0.0, timeout)):
            raise _late(timeout)
        try:
            self._end = end
            thinks = thinking != "off" and self._can_think()
            fitting = self._fitting(messages, max_tokens, thinks=thinks)
            return without_thoughts(self._write(fitting, max_tokens, None if thinks else json_schema, end))
        except RuntimeError as error:  # llama.cpp was interrupted, or failed
            if time.monotonic() >= end:
                raise _late(timeout) from error
            raise GeneratorUnavailable(sentence("llama.cpp could not write: {error}", error=error)) from error
        finally:
            self._lock.release()

    def _write(
        self, messages: list[dict[str, str]], max_tokens: int, json_schema: Mapping[str, Any] | None, end: float
    ) -> str:
        form = None if json_schema is None else {"type": "json_object", "schema": dict(json_schema)}
        stream = self._llama.create_chat_completion(
            messages, max_tokens=max_tokens, temperature=0.0, stream=True, response_format=form
        )
        text: list[str] = []
        try:
            for step in stream:
                text.append(step["choices"][0]["delta"].get("content") or "")
                if time.monotonic() >= end:
                    raise RuntimeError("the time is over")
        finally:
            stream.close()
        return "".join(text)

    def _fitting(self, messages: Sequence[Message], max_tokens: int, *, thinks: bool) -> list[dict[str, str]]:
        """The longest message loses its middle until everything fits with room for the answer."""
        texts = [self._harmless(message.text) for message in messages]
        room = max(64, self._size - max_tokens - _PER_MESSAGE * (len(texts) + 1))
        while (total := sum(map(self._count, texts))) > room:
            longest = max(range(len(texts)), key=lambda index: len(texts[index]))
            text = texts[longest]
            keep = int(len(text) * max(0.1, 0.95 - (total - room) / self._count(text)))
            if keep < len(_CUT) + 2:
                break
            texts[longest] = text[: keep // 2] + _CUT + text[len(text) - keep // 2 + len(_CUT) :]
        if not thinks and self._can_think():
            texts[-1] += _NO_THOUGHTS
        return [{"role": message.role, "content": text} for message, text in zip(messages, texts, strict=True)]

    def _can_think(self) -> bool:
        return "enable_thinking" in self._llama.metadata.get("tokenizer.chat_template", "")

    def _harmless(self, text: str) -> str:
        """Signs by which the model tells turns apart must not come out of a message: notes are data."""
        clean = text.encode("utf-8", "replace").decode()
        for sign in self._signs:
            if sign in clean:
                clean = clean.replace(sign, f"{sign[0]} {sign[1:]}")
        return clean

    def _control_signs(self) -> list[str]:
        """The texts of the model's control tokens."""
        vocabulary = self._lib.llama_model_get_vocab(self._llama.model)
        return [
            text
            for token in range(self._lib.llama_vocab_n_tokens(vocabulary))
            if self._lib.llama_vocab_is_control(vocabulary, token)
            and len(text := self._lib.llama_vocab_get_text(vocabulary, token).decode("utf-8", "replace")) > 2
        ]

    def _count(self, text: str) -> int:
        return len(self._llama.tokenize(text.encode(), add_bos=False, special=False))

    def close(self) -> None:
        """Free the model. No other call may be running or follow."""
        self._llama.close()


def _late(timeout: float) -> GeneratorUnavailable:
    return GeneratorUnavailable(
        sentence("the writing timed out after {timeout:.0f} ms", timeout=timeout * 1000),
        hint=sentence("A smaller model, or more time, may help."),
    )
