"""Where the parts stand that a question names: by their instances, their ports and parameters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.relations.design import CONNECTS, INSTANCE, PORT, Design

SETS = EdgeKind.PARAMETERIZES.value
ENDS = frozenset({PORT, NodeKind.PARAMETER.value})
MOST, FEW = 60, 12
"""Instances, ports and edges of a name that are looked at; files that all may answer."""
HAS = ("holds part", "holds namesake", "joins end", "joins end of part")
"""What `Held.of` tells of a file: it has instances called as the question says (the second one:
called as a unit is), it connects or sets a named port or parameter of a named unit, and both."""


class Held:
    """The instances, ports and parameters that a question names, by file.

    Args:
        names: those that it writes, in lower case.
        units: the units that it means by name.
        design: the design.
    """

    def __init__(self, names: Iterable[str], units: Iterable[int], design: Design) -> None:
        lasts = list(dict.fromkeys(
            one.rpartition("::")[2].rpartition(".")[2] for one in sorted(names)
        ))  # fmt: skip
        self._parts: dict[str, set[int]] = {}
        self._same: dict[str, set[int]] = {}
        for name in lasts:
            rows = design.called.get(name, ())
            files = {design.file(row) for row in rows[:MOST] if design.kinds[row] == INSTANCE}
            if files:
                unit = any(design.is_unit[row] for row in rows)
                (self._same if unit else self._parts)[name] = files
        self._ends = _ends(lasts, frozenset(units), design)

    def few(self) -> list[int]:
        """Returns the files with the parts and ends of which few files have any, in order."""
        groups = [*self._parts.values(), *self._ends.values()]
        every = {one for files in groups if len(files) <= FEW for one in files}
        return sorted(one for one in every if one >= 0)

    def of(self, number: int) -> tuple[float, float, float, float]:
        """Returns HAS of a file, each from 0 to 1."""
        part, same, end = (_share(one, number) for one in (self._parts, self._same, self._ends))
        return part, same, end, min(part, end)


def _share(groups: dict[str, set[int]], number: int) -> float:
    """Returns the share of names whose files a file is among."""
    return sum(number in files for files in groups.values()) / max(len(groups), 1)


def _ends(names: Iterable[str], units: frozenset[int], design: Design) -> dict[str, set[int]]:
    """Returns named port or parameter of a named unit -> the files that connect or set it."""
    paths = design.graph.edges.column("path")
    found: dict[str, set[int]] = defaultdict(set)
    for name in names:
        rows = (row for row in design.called.get(name, ()) if design.kinds[row] in ENDS)
        for row in [one for one in rows if design.owner(one) in units][:MOST]:
            for fact in [*design.into(row, CONNECTS, SETS)][:MOST]:
                found[name].add(design.file_of(paths[fact.edge]))
    return dict(found)
