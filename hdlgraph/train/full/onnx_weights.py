"""Takes the weights of a BERT model out of its ONNX graph, and puts others in their place.

Weights have the names of the layers that they belong to (`encoder.layer.0.attention.self.query.
weight`), which exporters keep for biases and embeddings only: a matrix is named after the bias
that is added to its product. Quantised weights come as float32 and go back quantised:

    w = s (q - z),    q = round(w / s) + z

with s of each column (products, z = 0) or of the whole (embeddings), as the graph has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hdlgraph.errors import UsageError

START = ("embeddings.", "encoder.layer.")
BETWEEN = frozenset({"Cast", "Mul", "Identity"})
"""What may stand between a product and the Add of its bias."""
DEPTH = 6
"""Nodes between a product and its bias."""


@dataclass(frozen=True)
class Slot:
    """Where a weight is kept: its initialiser, and those of scale and zero point, "" for none."""

    data: str
    scale: str = ""
    zero: str = ""


class OnnxWeights:
    """A model as ONNX with its weights by name.

    Args:
        path: of the model.

    Raises:
        UsageError: it is no model of the BERT kind whose weights can be told.
    """

    def __init__(self, path: Path) -> None:
        import onnx

        try:
            self._model = onnx.load(str(path))
        except Exception as error:  # protobuf raises its own unrelated classes
            raise UsageError(f"{path}: is no ONNX model ({error})") from error
        self._tensors = {one.name: one for one in self._model.graph.initializer}
        self.slots = self._find()
        if not any(name.startswith(START[1]) for name in self.slots):
            raise UsageError(
                f"{path}: no layers of a BERT model are found in it; fine-tuning needs an export "
                "of such a model that keeps the names of its biases"
            )

    def arrays(self) -> dict[str, np.ndarray]:
        """Returns the weights by name, float32; matrices as (in, out)."""
        return {name: self._read(slot) for name, slot in sorted(self.slots.items())}

    def further(self, ending: str) -> np.ndarray | None:
        """Returns a weight that is of no layer by the end of its name, None where it is not."""
        for name in sorted(self._tensors):
            if name.removesuffix("_quantized").endswith(ending):
                return self._read(self._slot(name))
        return None

    def write(self, arrays: Mapping[str, np.ndarray]) -> bytes:
        """Returns the model with other weights, quantised where it was, as ONNX."""
        for name, slot in self.slots.items():
            array = np.asarray(arrays[name], np.float32)
            if not slot.scale:
                self._put(slot.data, array)
                continue
            former = self._array(slot.data)
            low, high = int(former.min()), int(former.max())
            per_column = self._array(slot.scale).size > 1
            found, scale, zero = quantised(array, former.dtype, (low, high), per_column)
            self._put(slot.data, found)
            self._put(slot.scale, scale.reshape(self._array(slot.scale).shape))
            self._put(slot.zero, zero.reshape(self._array(slot.zero).shape))
        return self._model.SerializeToString(deterministic=True)

    def _array(self, name: str) -> np.ndarray:
        from onnx import numpy_helper

        return numpy_helper.to_array(self._tensors[name])

    def _put(self, name: str, array: np.ndarray) -> None:
        from onnx import numpy_helper

        self._tensors[name].CopyFrom(numpy_helper.from_array(np.array(array, order="C"), name))

    def _read(self, slot: Slot) -> np.ndarray:
        data = self._array(slot.data)
        if not slot.scale:
            return data.astype(np.float32)
        zero = self._array(slot.zero).astype(np.float32)
        return (data.astype(np.float32) - zero) * self._array(slot.scale)

    def _find(self) -> dict[str, Slot]:
        readers: dict[str, list[Any]] = {}
        for node in self._model.graph.node:
            for name in node.input:
                readers.setdefault(name, []).append(node)
        found: dict[str, Slot] = {}
        for node in self._model.graph.node:
            held = [name for name in node.input if name in self._tensors]
            if node.op_type in ("MatMul", "MatMulInteger") and node.input[1] in self._tensors:
                name = self._bias(node, readers).removesuffix(".bias") + ".weight"
                found[name] = self._slot(node.input[1])
            elif node.op_type == "Gather" and node.input[0] in self._tensors:
                found[node.input[0].removesuffix("_quantized")] = self._slot(node.input[0])
            else:
                found.update({name: Slot(name) for name in held if _named(name)})
        return {place: slot for name, slot in found.items() if (place := _named(name))}

    def _slot(self, data: str) -> Slot:
        base = data.removesuffix("_quantized")
        scale, zero = f"{base}_scale", f"{base}_zero_point"
        return Slot(data, scale, zero) if base != data and scale in self._tensors else Slot(data)

    def _bias(self, node: Any, readers: Mapping[str, list[Any]]) -> str:
        """Returns the initialiser that is added to a product, "" where none is."""
        near = [node]
        for _ in range(DEPTH):
            near = [one for node in near for name in node.output for one in readers.get(name, ())]
            for one in near:
                held = [name for name in one.input if name in self._tensors]
                if one.op_type == "Add" and held and held[0].endswith(".bias"):
                    return held[0]
            near = [one for one in near if one.op_type in BETWEEN]
        return ""


def _named(name: str) -> str:
    """Returns the name of a weight from its layer on, without what an exporter put before it."""
    for start in START:
        place = name.find(start)
        if place >= 0 and name.endswith((".weight", ".bias")):
            return name[place:]
    return ""


def quantised(
    array: np.ndarray, kind: np.dtype[Any], span: tuple[int, int], per_column: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns (integers, scale float32, zero point) of an array.

    Args:
        array: float32 (in, out).
        kind: int8 or uint8.
        span: the smallest and largest integer of the former weights. Signed ones are kept
            symmetric in it: 64 where the graph was made for processors whose sums saturate.
        per_column: whether each column has a scale; else the whole has one.
    """
    axis = 0 if per_column else None
    if kind == np.int8:
        most = max(-span[0], span[1], 1)
        scale = np.abs(array).max(axis=axis) / most
        zero = np.zeros_like(scale)
        low, high = -most, most
    else:
        low, high = 0, 255
        least = np.minimum(array.min(axis=axis), 0)
        scale = (np.maximum(array.max(axis=axis), 0) - least) / high
        zero = np.round(-least / np.where(scale > 0, scale, 1))
    scale = np.where(scale > 0, scale, 1).astype(np.float32)
    found = np.clip(np.round(array / scale) + zero, low, high)
    return found.astype(kind), scale, zero.astype(kind)
