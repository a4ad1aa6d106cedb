"""Writes the tuned model as one that servers load: GGUF for llama.cpp, a folder for vLLM."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hdlgraph.errors import UsageError
from hdlgraph.train.generator.recipe import LINEAR

ARCHITECTURE = "llama"
"""The architecture of GGUF whose names and order of rows are known here."""
_BLOCK = re.compile(r"layers\.(\d+)\.\w+\.(\w+)$")
_NAMES = dict(
    zip(
        LINEAR,
        ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"),
        strict=True,
    )
)


def write_gguf(base: Path, weights: Mapping[str, np.ndarray], out: Path) -> Path:
    """Writes a GGUF with the weights that were tuned, as float16; the others as they are.

    Args:
        base: the GGUF that was tuned.
        weights: by the name of the layer in transformers.
        out: the new file.

    Raises:
        UsageError: the base is of another architecture, or lacks a layer.
    """
    import gguf

    reader = gguf.GGUFReader(str(base))
    architecture = reader.fields["general.architecture"].contents()
    if architecture != ARCHITECTURE:
        raise UsageError(
            f"{base}: a GGUF of architecture {architecture}, and {ARCHITECTURE} alone is known "
            "here; name the model's folder of transformers instead"
        )
    heads = {
        "attn_q": int(reader.fields[f"{architecture}.attention.head_count"].contents()),
        "attn_k": int(reader.fields[f"{architecture}.attention.head_count_kv"].contents()),
    }
    tuned = {_gguf_name(name): weight for name, weight in weights.items()}
    writer = gguf.GGUFWriter(str(out), architecture)
    for name, field in reader.fields.items():
        if not name.startswith("GGUF.") and name != "general.architecture":
            sub = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(name, field.contents(), field.types[0], sub)
    for tensor in reader.tensors:
        weight = tuned.pop(tensor.name, None)
        if weight is None:
            writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
            continue
        kind = tensor.name.split(".")[2]
        ordered = in_pairs(weight, heads[kind]) if kind in heads else weight
        writer.add_tensor(tensor.name, ordered.astype(np.float16))
    if tuned:
        raise UsageError(f"{base}: it has no {min(tuned)}, which was tuned")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return out


def _gguf_name(name: str) -> str:
    found = _BLOCK.search(name)
    if found is None or found[2] not in _NAMES:
        raise UsageError(f"layer {name}: unknown in GGUF")
    return f"blk.{found[1]}.{_NAMES[found[2]]}.weight"


def in_pairs(weight: np.ndarray, heads: int) -> np.ndarray:
    """Returns the rows of a query or key matrix in the order that llama.cpp turns them in.

    transformers turns row i of a head with row i + half; llama.cpp with the next one.
    """
    rows, columns = weight.shape
    return (
        weight.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)
    )


def write_folder(base: Path, adapter: Path, out: Path, four_bit: bool) -> Path:
    """Writes the folder of a model of transformers with an adapter added to its weights.

    Args:
        base: the folder that was tuned.
        adapter: the folder of what was learnt.
        out: the new folder.
        four_bit: whether that was learnt with what NF4 keeps of the weights.
    """
    from peft import PeftModel

    from hdlgraph.train.generator.qlora import in_four_bits, opened

    model, tokenizer = opened(base)
    if four_bit:
        in_four_bits(model, "cpu")
    merged: Any = PeftModel.from_pretrained(model, str(adapter)).merge_and_unload()
    merged.save_pretrained(out)
    tokenizer.save_pretrained(out)
    return out
