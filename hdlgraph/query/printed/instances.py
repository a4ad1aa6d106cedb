"""Finds the files of the instances that a path such as `top.u_core.u_fifo` goes through."""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

import numpy as np

from hdlgraph.query.features.graph import FileGraph, file_graph_of
from hdlgraph.query.index_view import IndexView

LEAST = 2
"""Names of a path that must follow each other in the design."""
MOST = 12
"""Names of a path that are followed, the last ones."""
LONGEST = 20
"""Paths of a text that are followed."""

_PATH = re.compile(
    r"(?<!\w)[A-Za-z_]\w{0,199}(?:\[\d{1,9}\])?(?:\.[A-Za-z_]\w{0,199}(?:\[\d{1,9}\])?)+"
)
_INDEX = re.compile(r"\[\d+\]")


class Step(NamedTuple):
    """An instance: the unit around it, its unit, the file of that unit, and where it stands."""

    parent: str
    child: str
    number: int
    path: str
    line: int


class Instances:
    """The instances of a design by their names; what is known of one is read when it is asked for.

    Args:
        graph: the graph of the files.
    """

    def __init__(self, graph: FileGraph) -> None:
        self._graph = graph
        self._called: dict[str, list[int]] = {}
        downward = np.flatnonzero(graph.downward)
        for at, text in zip(downward.tolist(), graph.texts(downward), strict=True):
            for part in text.split("; "):
                name = part.partition(" ")[0].rpartition(".")[2]
                self._called.setdefault(name, []).append(at)

    def _steps(self, name: str) -> list[Step]:
        """Returns the instances of a name."""
        edges = [self._graph.edges[at] for at in self._called.get(name, ())]
        return [Step(one.source_name, one.target_name, one.target, one.path, one.line)
                for one in edges]  # fmt: skip

    def ends(self, text: str) -> dict[int, Step]:
        """Returns file -> the last instance of the paths in a text that leads to it.

        Names of generate blocks may stand between two instances; behind the last one may stand a
        signal. Of the instances that fit, those count before which most of the path fits as well.
        """
        found: dict[int, Step] = {}
        for match in islice(_PATH.finditer(text), LONGEST):
            for step in self._last(_INDEX.sub("", match[0]).split(".")[-MOST:]):
                found.setdefault(step.number, step)
        return found

    def _last(self, names: list[str]) -> list[Step]:
        """Returns the instances at which a path ends."""
        reached: dict[str, int] = {}  # unit -> names of the path that lead to it
        best: list[Step] = []
        for name in names:
            steps = self._steps(name)
            lengths = [reached.get(step.parent, 0) + 1 for step in steps]
            longest = max(lengths, default=0)
            if longest >= LEAST:
                best = [one for one, n in zip(steps, lengths, strict=True) if n == longest]
            for step, length in zip(steps, lengths, strict=True):
                reached[step.child] = max(length, reached.get(step.child, 0))
            reached[name] = max(1, reached.get(name, 0))  # the top, by its unit's name
        return best


def has_path(text: str) -> bool:
    """Returns whether a text has what may be a path of instances."""
    return _PATH.search(text) is not None


def instances_of(index: IndexView) -> Instances | None:
    """Returns the instances of an index, None where it has no graph."""
    graph = index.part(file_graph_of)
    return None if graph is None else Instances(graph)
