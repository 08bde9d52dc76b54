"""write_gguf(): multilingual-e5-small as a GGUF file that llama.cpp loads.

The 4-bit blocks of the packed file are llama.cpp's own `Q4_0` blocks, so weights are copied and never quantised
again. The model is a BERT encoder with XLM-RoBERTa's unigram tokenizer, which llama.cpp calls `t5`.
The order of keys and tensors is fixed: the resulting bytes, and with them the checksum, never vary.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from search.runtime.packed_e5 import PackedE5

_BLOCK_WEIGHTS = 32
_BLOCK_BYTES = 18
_UNUSED_SCORE = -10_000.0
_DENSE = (
    ("q", "attn_q"),
    ("k", "attn_k"),
    ("v", "attn_v"),
    ("ao", "attn_output"),
    ("fi", "ffn_up"),
    ("fo", "ffn_down"),
)
_NORMS = (("aln", "attn_output_norm"), ("oln", "layer_output_norm"))


def write_gguf(model: PackedE5, path: Path) -> None:
    """Write `path` (about 74 MB) in a few seconds. Needs the packages `gguf` and `sentencepiece`."""
    import gguf

    writer = gguf.GGUFWriter(path, "bert")
    _write_shape(writer, model)
    _write_tokenizer(writer, model)
    _write_tensors(writer, model)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _write_shape(writer: Any, model: PackedE5) -> None:
    import gguf

    writer.add_name("multilingual-e5-small")
    writer.add_license("mit")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_0)
    writer.add_context_length(model.positions)
    writer.add_embedding_length(model.hidden)
    writer.add_feed_forward_length(model.feed_forward)
    writer.add_block_count(model.layers)
    writer.add_head_count(model.heads)
    writer.add_layer_norm_eps(model.epsilon)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)


def _write_tokenizer(writer: Any, model: PackedE5) -> None:
    spare = range(len(model.pieces), model.vocabulary)
    writer.add_tokenizer_model("t5")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([*model.pieces, *(b"[PAD%d]" % index for index in spare)])
    writer.add_token_scores([*model.scores, *(_UNUSED_SCORE for _ in spare)])
    writer.add_token_types(_token_types(model))
    writer.add_add_space_prefix(True)
    writer.add_remove_extra_whitespaces(True)
    writer.add_token_type_count(model.token_types)
    writer.add_precompiled_charsmap(_nmt_nfkc())
    writer.add_bos_token_id(model.bos)
    writer.add_eos_token_id(model.eos)
    writer.add_unk_token_id(model.unknown)
    writer.add_sep_token_id(model.eos)
    writer.add_pad_token_id(model.pad)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(True)


def _token_types(model: PackedE5) -> list[int]:
    from gguf import TokenType

    types = [int(TokenType.NORMAL)] * len(model.pieces)
    for control in (model.bos, model.eos, model.pad):
        types[control] = int(TokenType.CONTROL)
    types[model.unknown] = int(TokenType.UNKNOWN)
    if model.pieces[-1] == b"<mask>":
        types[-1] = int(TokenType.CONTROL)
    return types + [int(TokenType.UNUSED)] * (model.vocabulary - len(model.pieces))


def _nmt_nfkc() -> bytes:
    """The compiled normalisation map XLM-RoBERTa was trained with; sentencepiece carries it."""
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2

    normalizer = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc")
    proto = sentencepiece_model_pb2.ModelProto.FromString(normalizer.serialized_model_proto())
    return bytes(proto.normalizer_spec.precompiled_charsmap)


def _write_tensors(writer: Any, model: PackedE5) -> None:
    from gguf import GGMLQuantizationType

    def quantized(source: str, target: str, rows: int, columns: int) -> None:
        blocks = model.tensors[source].reshape(rows, columns // _BLOCK_WEIGHTS * _BLOCK_BYTES)
        writer.add_tensor(target, blocks, raw_dtype=GGMLQuantizationType.Q4_0)

    def floats(source: str, target: str, *shape: int) -> None:
        # Copied: the writer needs contiguous, aligned floats, and the packed file does not align its tensors.
        values = np.frombuffer(model.tensors[source].tobytes(), "<f4")
        writer.add_tensor(target, values.reshape(shape))

    hidden = model.hidden
    quantized("emb.word", "token_embd.weight", model.vocabulary, hidden)
    floats("emb.pos", "position_embd.weight", -1, hidden)
    floats("emb.type", "token_types.weight", -1, hidden)
    floats("emb.ln.w", "token_embd_norm.weight", hidden)
    floats("emb.ln.b", "token_embd_norm.bias", hidden)
    for layer in range(model.layers):
        for source, target in _DENSE:
            rows = model.feed_forward if source == "fi" else hidden
            columns = model.feed_forward if source == "fo" else hidden
            quantized(f"l{layer}.{source}.w", f"blk.{layer}.{target}.weight", rows, columns)
            floats(f"l{layer}.{source}.b", f"blk.{layer}.{target}.bias", rows)
        for source, target in _NORMS:
            floats(f"l{layer}.{source}.w", f"blk.{layer}.{target}.weight", hidden)
            floats(f"l{layer}.{source}.b", f"blk.{layer}.{target}.bias", hidden)
