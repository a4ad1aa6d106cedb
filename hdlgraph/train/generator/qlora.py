"""Tunes a causal language model by QLoRA: NF4 weights that stay, small matrices that learn.

Source: Dettmers et al., QLoRA, NeurIPS 2023; by peft and bitsandbytes, on a GPU or a CPU.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hdlgraph.train.generator.recipe import LINEAR, PARTS, Recipe, Tick
from hdlgraph.train.generator.texts import NONE, Text, encoded, in_turn, read_part, spread

WARM = 0.1
"""Share of the steps over which the rate rises."""
LONGEST = 1.0
"""Length to which slopes are cut."""
DROPPED = 0.05


class Learner:
    """A model with the matrices of LoRA.

    Args:
        model: a folder of transformers, or a file of GGUF.
        recipe: how.
    """

    def __init__(self, model: Path, recipe: Recipe) -> None:
        import torch
        from peft import LoraConfig, get_peft_model

        torch.manual_seed(recipe.seed)
        self.recipe, self._torch = recipe, torch
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        base, self.tokenizer = opened(model)
        if recipe.four_bit:
            in_four_bits(base, self.device)
        config = LoraConfig(
            r=recipe.rank,
            lora_alpha=recipe.alpha,
            lora_dropout=DROPPED,
            target_modules=list(LINEAR),
            task_type="CAUSAL_LM",
        )
        self.model = get_peft_model(base.to(self.device), config)

    def learn(self, data: Path, tick: Tick | None = None) -> list[dict[str, Any]]:
        """Learns from an export; returns the loss on what was kept apart, before and after.

        Args:
            data: the folder of the export.
            tick: told the part, steps done, and their number.

        Raises:
            UsageError: a file of the export cannot be used.
        """
        recipe, losses = self.recipe, list[dict[str, Any]]()
        aside = {part: self._texts(data / "valid", part) for part in PARTS}
        before = {one: self.loss(texts) for one, texts in aside.items()}
        for part in PARTS:
            steps = recipe.steps(part)
            records = read_part(data / "train", part)
            drawn = in_turn(records, steps * recipe.batch, recipe.seed)
            rate = recipe.rate / 2 if part == "pretrain" else recipe.rate
            seen = self._steps(drawn, part, rate, tick)
            after = {one: self.loss(texts) for one, texts in aside.items()}
            counts = {"steps": steps, "texts": len(drawn), "tokens": seen}
            losses.append({"part": part, **counts, "before": before, "after": after})
            before = after
        return losses

    def _texts(self, folder: Path, part: str) -> list[Text]:
        records = spread(read_part(folder, part), self.recipe.valid)
        return [encoded(one, self.tokenizer, self.recipe.tokens) for one in records]

    def loss(self, texts: Sequence[Text]) -> float | None:
        """Returns the mean loss of a token of some texts, in nats; None where there are none."""
        self.model.eval()
        total, count = 0.0, 0
        with self._torch.no_grad():
            for text in texts:
                learnt = sum(label != NONE for label in text.labels[1:])
                if learnt:
                    total += float(self._loss(text)) * learnt
                    count += learnt
        return round(total / count, 4) if count else None

    def _steps(self, drawn: Sequence[Any], part: str, rate: float, tick: Tick | None) -> int:
        recipe, torch = self.recipe, self._torch
        weights = [one for one in self.model.parameters() if one.requires_grad]
        adam = torch.optim.AdamW(weights, lr=rate, weight_decay=0.0)
        steps, seen = math.ceil(len(drawn) / recipe.batch), 0
        self.model.train()
        for step in range(steps):
            for group in adam.param_groups:
                group["lr"] = rate * min(1.0, (step + 1) / max(WARM * steps, 1))
            for record in drawn[step * recipe.batch : (step + 1) * recipe.batch]:
                text = encoded(record, self.tokenizer, recipe.tokens)
                if all(label == NONE for label in text.labels[1:]):
                    continue
                seen += len(text.ids)
                (self._loss(text) / recipe.batch).backward()
            torch.nn.utils.clip_grad_norm_(weights, LONGEST)
            adam.step()
            adam.zero_grad()
            if tick:
                tick(part, step + 1, steps)
        return seen

    def _loss(self, text: Text) -> Any:
        tensor = self._torch.tensor
        ids, labels = (tensor([row], device=self.device) for row in text)
        return self.model(input_ids=ids, labels=labels).loss

    def weights(self) -> dict[str, np.ndarray]:
        """Returns the weights of each tuned layer, by its name in the model.

        They are those that were learnt with: what NF4 keeps, and what was learnt added to it.
        """
        found = {}
        for name, layer in self.model.named_modules():
            if "default" not in getattr(layer, "lora_A", {}):
                continue
            weight = layer.base_layer.weight
            if hasattr(weight, "quant_state"):
                from bitsandbytes.functional import dequantize_4bit

                weight = dequantize_4bit(weight.data, weight.quant_state)
            total = weight.detach().float() + layer.get_delta_weight("default").detach().float()
            found[name.removeprefix("base_model.model.")] = total.cpu().numpy()
        return found

    def save_adapter(self, folder: Path) -> None:
        """Writes the matrices as peft reads them."""
        self.model.save_pretrained(folder)


def opened(model: Path) -> tuple[Any, Any]:
    """Returns a model with float32 weights and its tokenizer; nothing is fetched or executed."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = model
    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    if model.is_file():
        folder, options = model.parent, {**options, "gguf_file": model.name}
    tokenizer = AutoTokenizer.from_pretrained(str(folder), **options)
    found = AutoModelForCausalLM.from_pretrained(str(folder), dtype=torch.float32, **options)
    return found, tokenizer


def in_four_bits(model: Any, device: str) -> None:
    """Gives the linear layers of all blocks the values that NF4 keeps.

    On a GPU they are stored in 4 bits. On a CPU they are written out again once, as float32: what
    is computed is the same, and unpacking them in every step took ten times as long as the rest.
    """
    import bitsandbytes
    import torch

    for layer in list(model.modules()):
        for name, linear in list(layer.named_children()):
            if name not in LINEAR or not isinstance(linear, torch.nn.Linear):
                continue
            weight = linear.weight.data
            if device == "cpu":
                kept = bitsandbytes.functional.quantize_4bit(weight, quant_type="nf4")
                linear.weight.data = bitsandbytes.functional.dequantize_4bit(*kept)
                continue
            small = bitsandbytes.nn.Linear4bit(
                linear.in_features,
                linear.out_features,
                bias=linear.bias is not None,
                compute_dtype=torch.bfloat16,
                quant_type="nf4",
            )
            small.weight = bitsandbytes.nn.Params4bit(weight, requires_grad=False, quant_type="nf4")
            small.bias = linear.bias
            setattr(layer, name, small)
