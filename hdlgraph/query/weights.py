"""The weights of the ranking features, in one place, and the order in which parts are summed.

A file's score is the sum of its parts; PARTS names them all with the weights that each takes. The
weights were chosen on both development sets together; `hdlgraph.query.weighing` fits them to how
each question is worded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the parts of a score, by the names of PARTS."""

    text: float = 1.0
    window: float = 0.1
    phrase: float = 0.1
    verbatim: float = 1.0
    printed: float = 4.0
    declared: float = 0.05
    incoming: float = 0.05
    explanation: float = 0.75
    head: float = 0.3
    purpose: float = 0.4
    behaviour: float = 0.8
    token_vectors: float = 0.7
    structure: float = 0.3
    parents: float = 0.1
    neighbours: float = 0.1
    wanted_parent: float = 0.1
    instantiator: float = 3.0
    identifier: float = 1.5
    relation: float = 6.0
    scope: float = 0.15
    testbench: float = -0.4
    verification: float = 0.2
    formal: float = 0.2
    vendored: float = -0.05
    size: float = 0.04


WRITTEN = Weights(
    text=0.1,
    window=0.1,
    phrase=0.1,
    declared=0.0,
    incoming=0.05,
    explanation=1.2,
    head=0.1,
    purpose=1.0,
    behaviour=0.4,
    token_vectors=2.0,
    parents=0.05,
    neighbours=0.15,
    wanted_parent=0.2,
    scope=0.2,
    testbench=-0.3,
    vendored=0.0,
    size=0.02,
)
"""Weights where a language model or a person wrote the explanations: they carry the question."""

BARE = replace(Weights(), structure=0.6, size=0.06)
"""Weights where comments introduce hardly any file: what its names say and its size tell more.

Chosen on both development sets with every comment blanked (`hdlgraph.eval.protocols.blanked`).
"""

PARTS: Mapping[str, tuple[str, ...]] = {
    "text": ("text",),
    "window": ("window",),
    "phrase": ("phrase",),
    "verbatim": ("verbatim",),
    "printed": ("printed",),
    "declared": ("declared",),
    "incoming": ("incoming",),
    "explanation": ("explanation",),
    "head": ("head",),
    "purpose": ("purpose",),
    "behaviour": ("behaviour",),
    "token_vectors": ("token_vectors",),
    "structure": ("structure",),
    "parents": ("parents",),
    "neighbours": ("neighbours",),
    "wanted_parent": ("wanted_parent", "instantiator"),
    "role": ("testbench", "verification", "formal", "vendored"),
    "size": ("size",),
    "scope": ("scope",),
    "identifier": ("identifier",),
    "relation": ("relation",),
    "listwise": (),
    "beside": (),
    "named": (),
}
"""The parts of a score -> the weights that each takes, in the order in which they are summed.

The last three are what a file gained or lost when a network put the first ones in order, when the
orders with and without edges took turns, and when those came first that have the name which is all
of the question.

Floating-point sums depend on the order; parts that are not named here come last.
"""


def in_order(names: Iterable[str]) -> list[str]:
    """Returns names of parts in the order in which they are summed."""
    given = list(names)
    known = [name for name in PARTS if name in given]
    return [*known, *(name for name in given if name not in PARTS)]


def total(parts: Mapping[str, np.ndarray]) -> np.ndarray:
    """Returns the sum of the parts of every file, float32 (n_files,)."""
    every = [parts[name] for name in in_order(parts)]
    # One after the other, as `np.sum` of them all adds, which takes a copy of all for it.
    out = every[0].astype(np.result_type(*every))
    for part in every[1:]:
        out += part
    return out
