"""Fits the weights of the ranking features to how a question is worded.

weight_p(q) = weight_p exp(sum over signs s of c_ps s(q)) for each part p of PARTS (Jacobs et al.,
Neural Computation 1991: a gate by the input, here of the weights of one sum). The numbers c were
fitted by `hdlgraph.eval.fit.weighing` on questions of all kinds over many repositories.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files

import msgspec
import numpy as np

from hdlgraph.errors import WeightsMissingError
from hdlgraph.query.question.wording import SIGNS
from hdlgraph.query.weights import Weights

FIELDS = {
    **{name: (name,) for name in (
        "text", "window", "phrase", "verbatim", "declared", "incoming", "explanation", "head",
        "purpose", "behaviour", "token_vectors", "structure", "parents", "neighbours", "size",
        "scope",
    )},
    "role": ("testbench", "verification", "formal", "vendored"),
}  # fmt: skip
"""Part of a score -> the weights that are fitted to the question together.

What a question names outright, and a relation that it asks for, always weigh alike."""
LOWEST, HIGHEST = -6.0, 3.0
"""Bounds of the exponent."""


class Fitted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fitted numbers: a row for each of `parts`, a column for each of `signs`."""

    parts: tuple[str, ...]
    signs: tuple[str, ...]
    numbers: tuple[tuple[float, ...], ...]


@cache
def fitted() -> Fitted:
    """Returns the numbers of this version.

    Raises:
        WeightsMissingError: the file is of other parts or signs.
    """
    path = files(__package__).joinpath("weighing.json")
    found = msgspec.json.decode(path.read_bytes(), type=Fitted)
    shape = {len(row) for row in found.numbers}
    if found.signs != SIGNS or set(found.parts) - set(FIELDS) or shape != {len(SIGNS)}:
        raise WeightsMissingError(f"{path}: of another version; install hdlgraph again")
    return found


def factors(numbers: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """Returns the factor of each part for each question, float64 (questions, parts).

    Args:
        numbers: float64 (parts, signs).
        signs: float64 (questions, signs).
    """
    return np.exp(np.clip(signs @ numbers.T, LOWEST, HIGHEST))


def weighed(weights: Weights, signs: np.ndarray) -> Weights:
    """Returns weights as they fit a question with these signs, float64 (len(SIGNS),)."""
    known = fitted()
    found = factors(np.asarray(known.numbers), signs[None])[0]
    changed = {
        name: getattr(weights, name) * float(factor)
        for part, factor in zip(known.parts, found, strict=True)
        for name in FIELDS[part]
    }
    return replace(weights, **changed)
