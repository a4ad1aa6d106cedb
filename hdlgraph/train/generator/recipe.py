"""How a generator is tuned, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from hdlgraph.errors import UsageError

PARTS = ("pretrain", "chat")
"""The files of an export that are learnt from, in their order."""
LIBRARIES = ("torch", "transformers", "peft", "bitsandbytes", "gguf", "accelerate")
LINEAR = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
"""The layers that are tuned: all linear ones of a block."""
Tick = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Values of a training.

    Attributes:
        rank: of the matrices of LoRA (Hu et al., ICLR 2022).
        alpha: what they count, divided by the rank.
        rate: of Adam, for conversations; pre-training goes on at half of it.
        tokens: of one text.
        batch: texts of a step.
        pretrain, chat: steps over each part; 0 leaves it out.
        valid: texts of each part on which the loss is measured.
        four_bit: whether the weights beneath are NF4 (QLoRA, Dettmers et al., NeurIPS 2023).
        seed: of the order of texts and of the first matrices.
    """

    rank: int = 16
    alpha: int = 32
    rate: float = 2e-4
    tokens: int = 1024
    batch: int = 4
    pretrain: int = 200
    chat: int = 200
    valid: int = 32
    four_bit: bool = True
    seed: int = 0

    def steps(self, part: str) -> int:
        """Returns the steps over a part of the export."""
        return self.pretrain if part == "pretrain" else self.chat


def check_libraries() -> None:
    """Checks that what the training needs is installed.

    Raises:
        UsageError: it is not.
    """
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"tuning a generator needs {', '.join(missing)}: `pip install {' '.join(missing)}`, "
            "best in an environment of its own (docs/training.md)"
        )
