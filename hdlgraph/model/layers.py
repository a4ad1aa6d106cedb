"""The readers of a source file, and sets of them: who saw a fact."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Layer(StrEnum):
    """Which reader saw a fact, strongest first."""

    SLANG = "slang"
    TREE_SITTER = "tree-sitter"
    PYVERILOG = "pyverilog"
    REGEX = "regex"


BIT = {layer: 1 << place for place, layer in enumerate(Layer)}
"""The bit of each reader in `witnesses`: a set of readers as one small number."""


def bits_of(layers: Iterable[str]) -> int:
    """Returns a set of readers as a number; names that are no reader count nothing."""
    return sum({BIT[Layer(layer)] for layer in layers if layer in BIT})


def layers_of(witnesses: int) -> tuple[str, ...]:
    """Returns the readers that a number stands for, strongest first."""
    return tuple(layer.value for layer, bit in BIT.items() if witnesses & bit)
