"""The questions that the model of relations is fitted on, their labels, and the folds of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hdlgraph.eval.fit.network import Listed

KINDS_OF = {
    "drives": "drives", "reads": "reads", "binds": "binds", "between": "between",
    "connects": "join",
    "tested_by": "tested", "tested": "tested", "imports": "imports", "type_defined_in": "declared",
    "type_defined": "declared", "type": "declared", "uses": "declared",
    "configured_by": "configured", "configured": "configured", "extends": "extends",
    "clocked_by": "clocked", "reset_by": "clocked", "clocked": "clocked", "clock_reset": "clocked",
    "state_of": "state", "state": "state", "fsm_state": "state", "instantiates_child": "child",
    "instantiates_parent": "parent",
}  # fmt: skip
HIERARCHY = ("instantiates", "instantiated_by", "contained_in", "contained")
NONE = "none"
FOLDS = 5
SHARES = {True: 1.0, False: 0.5}
"""Weight of a question for a relation, and of another one."""


@dataclass
class Example:
    """A question with its place, label, vector, and the rows of its files (see `rows`)."""

    corpus: str
    group: str
    text: str
    label: str
    relevant: frozenset[str]
    equivalent: frozenset[str]
    argument: frozenset[str] = frozenset()
    vector: np.ndarray | None = None
    likely: tuple[float, ...] = ()
    states: bool = False
    placed: float = 0.5
    sided: np.ndarray | None = None
    weights: np.ndarray | None = None
    values: np.ndarray | None = None
    numbers: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    known: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    arguments: frozenset[int] = frozenset()
    right: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    counts: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))

    @property
    def listed(self) -> Listed:
        """Returns the question as the network is fitted to it."""
        assert self.values is not None
        return Listed(self.values, self.right, self.counts, SHARES[self.label != NONE])


def label_of(asked: Mapping[str, Any]) -> str:
    """Returns the kind of relation that a question asks for, NONE for no relation."""
    kind = str(asked.get("kind", "")).replace("-", "_")
    place = str(asked.get("evidence", "")).rpartition(":")[0]
    if kind in HIERARCHY:
        return "parent" if place in asked["relevant"] else "child"
    return KINDS_OF.get(kind, NONE) if place else NONE


def place_of(asked: Mapping[str, Any]) -> str:
    """Returns the file in which the edge of a question is stated."""
    return str(asked.get("evidence", "")).rpartition(":")[0]


def read(questions: Path, corpus: str) -> Iterator[Example]:
    """Yields the questions of a set about one corpus; paths lose the corpus before them."""
    for line in questions.read_text("utf-8").splitlines():
        asked = json.loads(line)
        if asked.get("corpus", corpus) not in (corpus, "libraries", "riscv-cores"):
            continue
        paths = {key: frozenset(path.removeprefix(f"{corpus}/") for path in asked.get(key, ()))
                 for key in ("relevant", "equivalent", "argument")}  # fmt: skip
        text = " ".join(asked["question"].split())
        label = label_of(asked)
        group = "no relation" if label == NONE else questions.parent.name
        yield Example(
            corpus,
            group,
            text,
            label,
            paths["relevant"],
            paths["equivalent"],
            paths["argument"],
            states=label != NONE and place_of(asked) in paths["relevant"],
        )


def folds(examples: Sequence[Example]) -> list[frozenset[str]]:
    """Returns the corpora in FOLDS parts with about as many questions each."""
    sizes: dict[str, int] = {}
    for one in examples:
        sizes[one.corpus] = sizes.get(one.corpus, 0) + 1
    parts: list[list[str]] = [[] for _ in range(FOLDS)]
    for corpus in sorted(sizes, key=lambda name: (-sizes[name], name)):
        min(parts, key=lambda part: sum(sizes[one] for one in part)).append(corpus)
    return [frozenset(part) for part in parts if part]
