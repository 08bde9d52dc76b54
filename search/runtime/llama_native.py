"""NativeModel, NativeContext: the few llama.cpp calls that embedding needs, through llama-cpp-python's C bindings.

The convenience class of that package is not used: it silently cuts texts, and with some sizes aborts the process.
Here a sequence longer than the context is refused before llama.cpp sees it. Contexts are not thread-safe: whoever
owns one holds a lock from `embed` to its result. Two contexts of one model may run in two threads at once.
"""

from __future__ import annotations

import ctypes
import importlib.util
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from search.errors import EmbedderUnavailable
from search.runtime.pages import drop_pages
from search.runtime.presets import Pooling
from search.sentences import sentence

log = logging.getLogger(__name__)

INSTALL_HINT = "The local model runtime is built from source when the server is set up; this takes some minutes."
_ERROR_LEVEL = 4
_POOLING = {"none": 0, "mean": 1, "cls": 2, "last": 3, "rank": 4}
_keep: list[object] = []
"""Callbacks that llama.cpp holds by address must never be collected."""


def is_installed() -> bool:
    """Whether the runtime can be found, without loading it."""
    return importlib.util.find_spec("llama_cpp") is not None


def load_library() -> Any:
    """Import the bindings (about a second) and send llama.cpp's messages to our log instead of the terminal."""
    try:
        import llama_cpp
    except (ImportError, OSError, RuntimeError) as error:
        # Perhaps it is being installed this moment: leave no half of it behind, so that a later try starts afresh.
        for name in [name for name in sys.modules if name.split(".")[0] == "llama_cpp"]:
            del sys.modules[name]
        raise EmbedderUnavailable(
            sentence("the local model runtime cannot be loaded: {error}", error=error), hint=INSTALL_HINT
        ) from error
    if not _keep:
        callback = llama_cpp.llama_log_callback(_to_log)
        _keep.append(callback)
        llama_cpp.llama_log_set(callback, None)
        llama_cpp.llama_backend_init()
    return llama_cpp


def _to_log(level: int, text: bytes, _: object) -> None:
    message = text.decode("utf-8", "replace").strip()
    if message:
        log.log(logging.ERROR if level == _ERROR_LEVEL else logging.DEBUG, "llama.cpp: %s", message)


class NativeModel:
    """One loaded model file: its weights and its tokenizer. Tokenizing is safe from several threads."""

    def __init__(self, path: Path) -> None:
        self.lib = load_library()
        parameters = self.lib.llama_model_default_params()
        self.handle = self.lib.llama_model_load_from_file(str(path).encode(), parameters)
        if not self.handle:
            raise EmbedderUnavailable(
                sentence("llama.cpp cannot load {name}", name=path.name),
                hint=sentence("Delete {path}; the bundled model is made again by itself.", path=path),
            )
        self.vocabulary = self.lib.llama_model_get_vocab(self.handle)
        self.vocabulary_size = int(self.lib.llama_vocab_n_tokens(self.vocabulary))
        self.dims = int(self.lib.llama_model_n_embd(self.handle))
        self.trained_context = int(self.lib.llama_model_n_ctx_train(self.handle))
        bos, eos = self.lib.llama_vocab_bos(self.vocabulary), self.lib.llama_vocab_eos(self.vocabulary)
        self.head: tuple[int, ...] = (bos,) if self.lib.llama_vocab_get_add_bos(self.vocabulary) else ()
        self.tail: tuple[int, ...] = (eos,) if self.lib.llama_vocab_get_add_eos(self.vocabulary) else ()
        self.separator = self._separator()

    def _separator(self) -> tuple[int, ...]:
        """What stands between the two texts of a pair. XLM-RoBERTa has no sign of its own: it ends both texts."""
        sep = self.lib.llama_vocab_sep(self.vocabulary)
        wanted = self.lib.llama_vocab_get_add_sep(self.vocabulary) or (sep,) == self.tail
        return (sep,) if wanted and sep >= 0 else ()

    def template(self, name: str) -> str:
        """A text template that the file carries; "" when it has none of this name."""
        found = self.lib.llama_model_chat_template(self.handle, name.encode())
        return found.decode("utf-8", "replace") if found else ""

    def tokenize(self, text: str, *, special: bool = False) -> list[int]:
        """Token ids without the special ones at both ends; names of special tokens in `text` are plain text.

        `special` is for templates alone, never for what people or models wrote.
        """
        data = text.encode("utf-8", "replace")
        room = len(data) + 2
        tokens = (self.lib.llama_token * room)()
        count = self.lib.llama_tokenize(self.vocabulary, data, len(data), tokens, room, False, special)
        if count < 0:
            tokens = (self.lib.llama_token * -count)()
            count = self.lib.llama_tokenize(self.vocabulary, data, len(data), tokens, -count, False, special)
        if count < 0:
            raise EmbedderUnavailable(sentence("llama.cpp cannot tokenize this text"))
        return list(tokens[:count])

    def piece(self, token: int) -> str:
        """A token as the vocabulary writes it: `▁key` begins a word, `s` goes on."""
        return str(self.lib.llama_vocab_get_text(self.vocabulary, token).decode("utf-8", "replace"))

    def close(self) -> None:
        """Free the model; its contexts must have been closed before."""
        if self.handle:
            self.lib.llama_model_free(self.handle)
            self.handle = None


class NativeContext:
    """Working memory for one sequence of up to `size` tokens at a time."""

    def __init__(self, model: NativeModel, *, size: int, pooling: Pooling, threads: int) -> None:
        lib = self._lib = model.lib
        self._model = model
        self.size = size
        parameters = lib.llama_context_default_params()
        # A whole sequence must fit into one physical batch: a larger n_batch makes an encoder abort the process.
        parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = size
        parameters.n_seq_max = 1
        parameters.n_threads = parameters.n_threads_batch = threads
        parameters.embeddings = True
        parameters.pooling_type = _POOLING[pooling]
        parameters.flash_attn_type = lib.LLAMA_FLASH_ATTN_TYPE_ENABLED
        self._handle = lib.llama_init_from_model(model.handle, parameters)
        if not self._handle:
            raise EmbedderUnavailable(
                sentence("llama.cpp cannot create a context"), hint=sentence("The machine may be out of memory.")
            )
        self._memory = lib.llama_get_memory(self._handle)
        self._longest = 0
        self._batch = self._single_sequence_batch()

    def _single_sequence_batch(self) -> Any:
        """A batch whose tokens alone change from call to call: always sequence 0, positions from 0."""
        batch = self._lib.llama_batch_init(self.size, 0, 1)
        for index in range(self.size):
            batch.pos[index] = index
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = 0
            batch.logits[index] = 1
        return batch

    def embed(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Pooled vector of shape (dims,), not normalised, for 1 to `size` tokens."""
        return np.ctypeslib.as_array(self._pooled(tokens), shape=(self._model.dims,)).astype(np.float32)

    def embed_each(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """One vector per token, shape (len(tokens), dims), not normalised, of a context without pooling."""
        self._decode(tokens)
        pointer = self._there(self._lib.llama_get_embeddings(self._handle))
        return np.ctypeslib.as_array(pointer, shape=(len(tokens), self._model.dims)).astype(np.float32)

    def score(self, tokens: Sequence[int]) -> float:
        """The first output of a model with rank pooling; what lies behind it in memory is no score."""
        return float(self._pooled(tokens)[0])

    def _pooled(self, tokens: Sequence[int]) -> Any:
        self._decode(tokens)
        return self._there(self._lib.llama_get_embeddings_seq(self._handle, 0))

    def _there(self, pointer: Any) -> Any:
        if not pointer:
            raise EmbedderUnavailable(sentence("llama.cpp gave no vector for a text"))
        return pointer

    def _decode(self, tokens: Sequence[int]) -> None:
        if not 0 < len(tokens) <= self.size:
            raise ValueError(f"a sequence must have 1 to {self.size} tokens, not {len(tokens)}")
        batch = self._batch
        batch.n_tokens = len(tokens)
        for index, token in enumerate(tokens):
            batch.token[index] = token
        if self._memory:
            self._lib.llama_memory_clear(self._memory, True)
        code = self._lib.llama_decode(self._handle, batch)
        if code != 0:
            raise EmbedderUnavailable(sentence("llama.cpp could not embed a text (code {code})", code=code))
        if len(tokens) > self._longest and not self._memory:
            self._longest = len(tokens)
            self._give_back_logits()

    def _give_back_logits(self) -> None:
        """Return the memory of an encoder's logits to the system: about 0.5 GB for 512 tokens.

        llama.cpp reserves a row of vocabulary size for every token and clears it whenever a longer sequence than
        before comes; an encoder never writes or reads the rows. Dropped pages read as zero again, so nothing changes.
        """
        start = ctypes.cast(self._lib.llama_get_logits(self._handle), ctypes.c_void_p).value
        if start is not None:
            drop_pages(start, 4 * self._longest * self._model.vocabulary_size)

    def close(self) -> None:
        if self._handle:
            self._lib.llama_batch_free(self._batch)
            self._lib.llama_free(self._handle)
            self._handle = None
