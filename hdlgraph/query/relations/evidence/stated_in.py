"""The edges that a file states of the kinds that a question may ask for, by the words around them.

Of many edges of a file the names often say the same; the lines around them tell which is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from hdlgraph.model import EdgeKind
from hdlgraph.query.relations.design import CONNECTS, SETTINGS, TYPES, Design
from hdlgraph.query.relations.found import Stated
from hdlgraph.query.relations.hierarchy import stated
from hdlgraph.query.relations.joint.kinds import KINDS
from hdlgraph.query.relations.joint.pairs import (
    BINDS,
    EXTENDS,
    GUARDED_BY,
    IMPORTS,
    INCLUDES,
    SETS,
    USES,
)
from hdlgraph.query.relations.joint.question import Question

HAS = EdgeKind.INSTANTIATES.value
STATING: dict[str, tuple[str, ...]] = {
    "child": (HAS,), "parent": (HAS,), "tested": (HAS, BINDS), "binds": (BINDS,),
    "drives": (CONNECTS,), "reads": (CONNECTS,), "join": (CONNECTS, HAS),
    "between": (CONNECTS, HAS), "clocked": (CONNECTS, HAS), "declared": (USES, INCLUDES),
    "configured": (SETS, GUARDED_BY, HAS), "imports": (IMPORTS, INCLUDES), "extends": (EXTENDS,),
}  # fmt: skip
"""Kinds of edges that state each kind of relation."""
LEAST = 0.2
"""Probability of a kind from which its edges are told."""
READ, EACH, CHARS = 80, 16, 60
"""Edges whose names are read, those around which most of the question stands; edges that are told;
characters of an edge's text that count as a name."""


def edges_of(design: Design, question: Question, number: int) -> Iterator[Stated]:
    """Yields the edges of a file whose names and lines say most of a question, the best first."""
    kinds = {kind for name, chance in zip(KINDS, question.likely, strict=True) if chance >= LEAST
             for kind in STATING.get(name, ())}  # fmt: skip
    every = _edges(design, question.sides.resolver.path(number), kinds)
    if not every:
        return
    lines = design.graph.edges.column("line")
    near = question.nearby.shares(number, [lines[edge] for edge in every])
    order = np.argsort(-near, kind="stable")[:READ].tolist()
    found = [(-float(near[at]) - question.words.said(_names(design, every[at])), every[at])
             for at in order]  # fmt: skip
    for _, edge in sorted(found)[:EACH]:
        yield stated(design, edge)


def _edges(design: Design, path: str, kinds: Iterable[str]) -> list[int]:
    """Returns the edges of some kinds that a file states."""
    table = design.graph.edges.table
    own = table.rows_with("path", path)
    names, of_kind = table.coded("kind")
    wanted = [names.index(kind) for kind in sorted(kinds) if kind in names]
    return own[np.isin(of_kind[own], wanted)].tolist()


def _names(design: Design, edge: int) -> Sequence[str]:
    """Returns what an edge is called: its ends, the unit of its target, its text."""
    target = design.targets[edge]
    text = design.graph.edges.column("text")[edge].partition("\n")[0][:CHARS]
    ends = (design.last(row) for row in (design.sources[edge], target, design.owner(target)))
    return [*ends, text]


def nearest(
    design: Design, question: Question, number: int, rows: Iterable[int]
) -> list[tuple[float, int]]:
    """Returns (minus what name and line say of a question, row) of the types and settings of some.

    Args:
        design: the design.
        question: the question.
        number: the file that declares them.
        rows: nodes.
    """
    some = [row for row in rows if design.kinds[row] in TYPES | SETTINGS]
    lines = design.graph.nodes.column("line")
    near = question.nearby.shares(number, [lines[row] for row in some]).tolist()
    return [
        (-question.words.said([design.last(row)]) - share, row)
        for share, row in zip(near, some, strict=True)
    ]
