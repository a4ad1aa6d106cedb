"""A language model of some 150,000 random weights as a GGUF, whose tokens are of given texts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

WIDTH, WIDE, BLOCKS, HEADS, PAIRS = 64, 128, 2, 4, 2
"""Of a state, of the layer between, blocks, heads, and those of keys and values."""
TOKENS = 700
CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def write_tiny_llama(path: Path, texts: Iterable[str], seed: int = 0) -> Path:
    """Writes the model, whose tokens are byte pairs that the texts have."""
    import gguf

    tokens, merges = _pairs(texts)
    out = gguf.GGUFWriter(str(path), "llama")
    out.add_context_length(4096)
    out.add_embedding_length(WIDTH)
    out.add_feed_forward_length(WIDE)
    out.add_block_count(BLOCKS)
    out.add_head_count(HEADS)
    out.add_head_count_kv(PAIRS)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_rope_dimension_count(WIDTH // HEADS)
    out.add_rope_freq_base(10_000.0)
    out.add_vocab_size(len(tokens))
    out.add_tokenizer_model("gpt2")
    out.add_tokenizer_pre("smollm")
    out.add_token_list(tokens)
    kinds = [gguf.TokenType.CONTROL if one in SPECIAL else gguf.TokenType.NORMAL for one in tokens]
    out.add_token_types(kinds)
    out.add_token_merges(merges)
    out.add_bos_token_id(tokens.index(SPECIAL[1]))
    out.add_eos_token_id(tokens.index(SPECIAL[2]))
    out.add_chat_template(CHAT)
    dice = np.random.default_rng(seed)
    for name, shape in _shapes(len(tokens)):
        flat = np.ones(shape) if len(shape) == 1 else dice.normal(0, shape[1] ** -0.5, shape)
        out.add_tensor(name, flat.astype(np.float32))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()
    return path


def _pairs(texts: Iterable[str]) -> tuple[list[str], list[str]]:
    import json

    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=TOKENS,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].__getitem__)
    merges = [one if isinstance(one, str) else " ".join(one) for one in model["merges"]]
    return tokens, merges


def _shapes(tokens: int) -> Iterable[tuple[str, tuple[int, ...]]]:
    few = WIDTH * PAIRS // HEADS
    yield "token_embd.weight", (tokens, WIDTH)
    yield "output_norm.weight", (WIDTH,)
    for number in range(BLOCKS):
        for name, shape in (
            ("attn_norm", (WIDTH,)),
            ("ffn_norm", (WIDTH,)),
            ("attn_q", (WIDTH, WIDTH)),
            ("attn_k", (few, WIDTH)),
            ("attn_v", (few, WIDTH)),
            ("attn_output", (WIDTH, WIDTH)),
            ("ffn_gate", (WIDE, WIDTH)),
            ("ffn_up", (WIDE, WIDTH)),
            ("ffn_down", (WIDTH, WIDE)),
        ):
            yield f"blk.{number}.{name}.weight", shape
