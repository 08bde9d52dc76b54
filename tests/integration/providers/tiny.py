"""Tiny GGUF models with random weights: every part of a real one, loaded in milliseconds, saying nothing sensible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np

WORDS = ("the", "spare", "key", "is", "under", "pot", "tomatoes", "want", "sun", "where")
_WIDTH, _HEADS, _INNER = 32, 4, 64


def write_embedder(path: Path, *, seed: int = 1) -> Path:
    writer = _encoder(path, seed)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    return _written(writer, path)


def write_reranker(path: Path, *, seed: int = 1) -> Path:
    writer = _encoder(path, seed)
    random = np.random.default_rng(seed + 1)
    for name, shape in (("cls.weight", (_WIDTH, _WIDTH)), ("cls.output.weight", (1, _WIDTH))):
        writer.add_tensor(name, random.normal(0, 1, shape).astype(np.float32))
        writer.add_tensor(name.replace("weight", "bias"), np.zeros(shape[0], np.float32))
    return _written(writer, path)


def write_generator(path: Path, *, context: int = 512, seed: int = 1) -> Path:
    """A Llama with bytes as its alphabet."""
    writer, random = gguf.GGUFWriter(path, "llama"), np.random.default_rng(seed)
    _shape(writer, context)
    writer.add_head_count_kv(_HEADS)
    writer.add_rope_dimension_count(_WIDTH // _HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    tokens = _tokens()
    _tensors(writer, random, {
        "token_embd.weight": (len(tokens), _WIDTH),
        "output.weight": (len(tokens), _WIDTH),
        "blk.0.attn_q.weight": (_WIDTH, _WIDTH),
        "blk.0.attn_k.weight": (_WIDTH, _WIDTH),
        "blk.0.attn_v.weight": (_WIDTH, _WIDTH),
        "blk.0.attn_output.weight": (_WIDTH, _WIDTH),
        "blk.0.ffn_gate.weight": (_INNER, _WIDTH),
        "blk.0.ffn_up.weight": (_INNER, _WIDTH),
        "blk.0.ffn_down.weight": (_WIDTH, _INNER),
    })  # fmt: skip
    for name in ("output_norm.weight", "blk.0.attn_norm.weight", "blk.0.ffn_norm.weight"):
        writer.add_tensor(name, np.ones(_WIDTH, np.float32))
    return _written(writer, path)


def _encoder(path: Path, seed: int) -> Any:
    """A BERT of one layer, as far as its embeddings and its layer."""
    writer, random = gguf.GGUFWriter(path, "bert"), np.random.default_rng(seed)
    _shape(writer, 64)
    writer.add_layer_norm_eps(1e-5)
    writer.add_causal_attention(False)
    writer.add_token_type_count(1)
    _tensors(writer, random, {
        "token_embd.weight": (len(_tokens()), _WIDTH),
        "position_embd.weight": (64, _WIDTH),
        "token_types.weight": (1, _WIDTH),
        **{f"blk.0.attn_{part}.weight": (_WIDTH, _WIDTH) for part in ("q", "k", "v", "output")},
        "blk.0.ffn_up.weight": (_INNER, _WIDTH),
        "blk.0.ffn_down.weight": (_WIDTH, _INNER),
    })  # fmt: skip
    for name, size in {
        **{f"blk.0.attn_{part}.bias": _WIDTH for part in ("q", "k", "v", "output")},
        "blk.0.ffn_up.bias": _INNER,
        "blk.0.ffn_down.bias": _WIDTH,
    }.items():
        writer.add_tensor(name, np.zeros(size, np.float32))
    for name in ("token_embd_norm", "blk.0.attn_output_norm", "blk.0.layer_output_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(_WIDTH, np.float32))
        writer.add_tensor(f"{name}.bias", np.zeros(_WIDTH, np.float32))
    return writer


def _shape(writer: Any, context: int) -> None:
    writer.add_name("tiny")
    writer.add_context_length(context)
    writer.add_embedding_length(_WIDTH)
    writer.add_feed_forward_length(_INNER)
    writer.add_block_count(1)
    writer.add_head_count(_HEADS)
    tokens = _tokens()
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([token for token, _, _ in tokens])
    writer.add_token_scores([score for _, score, _ in tokens])
    writer.add_token_types([kind for _, _, kind in tokens])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_sep_token_id(2)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(writer.arch == "bert")


def _tokens() -> list[tuple[bytes, float, int]]:
    kind = gguf.TokenType
    special = [(b"<unk>", 0.0, int(kind.UNKNOWN)), (b"<s>", 0.0, int(kind.CONTROL)), (b"</s>", 0.0, int(kind.CONTROL))]
    single = [(b"<0x%02X>" % byte, 0.0, int(kind.BYTE)) for byte in range(256)]
    words = [(f"▁{word}".encode(), -float(index), int(kind.NORMAL)) for index, word in enumerate(WORDS)]
    letters = [(bytes([byte]), -100.0, int(kind.NORMAL)) for byte in range(97, 123)]
    return [*special, *single, *words, *letters, ("▁".encode(), -50.0, int(kind.NORMAL))]


def _tensors(writer: Any, random: np.random.Generator, shapes: dict[str, tuple[int, int]]) -> None:
    for name, shape in shapes.items():
        writer.add_tensor(name, random.normal(0, 0.3, shape).astype(np.float32))


def _written(writer: Any, path: Path) -> Path:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
