"""The answer to a question about the whole of a design from its hierarchy.

It tells the top units, what they are made of with a sentence on each part, which parts drive which
others, and what clocks and resets them; each fact is cited by the line that states it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import Explanation, NodeKind
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.design.level import Hierarchy
from hdlgraph.query.overview.joined import Joined, joined_parts, timing_of

TOPS, OTHERS = 3, 8
"""Units that are told with their parts, and further ones that are named."""
LARGE = 0.2
"""Share of the instances below the largest top from which another one is told as well."""
PARTS, JOINED, INNER = 14, 8, 8
"""Parts of a top, connections between them, and parts of a part that are named."""
WRAPPED = 4
"""Units of one part that are passed through on the way to the real top."""
FEW = 3
"""Parts from which a unit is a top worth telling of."""
MAIN, DEEP = 0.6, 3
"""Share of what is below a unit from which a part is what it is about, told with its own parts, and
levels that are gone down so."""
_BARE = re.compile(
    r"(?:Instantiates|Wrapper of|Groups signals|Declares ports) "
    r"|(?:Counts|Packs|Takes apart|Detects|Selects|Chooses|Keeps in|Reads|Drives|Computes|Decodes"
    r"|Stores|Shifts|Compares|Adds|Multiplies)\b[^`.]{0,40}`"
)
"""How descriptions begin that say no more than the list of parts does, or one small thing."""


class _Part(NamedTuple):
    """The instances of one unit in another: rows of the unit and of the instances."""

    unit: int
    instances: tuple[int, ...]


class Told:
    """Tells the hierarchy of a design on a page.

    Args:
        page: the answer so far.
        graph: the design graph.
        of_design: says of a path whether it belongs to the design, and not to its tests.
        explanations: of the files, by path.
    """

    def __init__(
        self,
        page: FactPage,
        graph: Graph,
        of_design: Callable[[str], bool],
        explanations: Mapping[str, Explanation],
    ) -> None:
        self._page, self._graph, self._explanations = page, graph, explanations
        self._hierarchy = Hierarchy(graph)
        self._of_design = of_design
        columns = ("name", "kind", "path", "line")
        self._names, self._kinds, self._paths, self._lines = map(graph.nodes.column, columns)
        self._told: set[int] = set()
        """Units whose parts were told."""

    def tell(self) -> bool:
        """Adds the tops with their parts; False where no unit has enough parts."""
        below = self._hierarchy.below
        tops = self._tops()
        real = [(top, *self._through(top)) for top in tops]
        real = [one for one in real if len(self._parts(one[1])) >= FEW]
        if not real:
            return False
        most = below.get(real[0][0], 0)
        kept = [one for one in real if below.get(one[0], 0) >= LARGE * most][:TOPS]
        for top, unit, way in kept:
            self._top(top, unit, way)
        told = {top for top, _, _ in kept}
        others = [self._names[top] for top in tops if top not in told]
        if others:
            more = f" and {len(others) - OTHERS} more" if len(others) > OTHERS else ""
            what = "Instantiated by no other unit of the design either"
            self._page.add()
            self._page.add(f"{what} ({len(others)}): {', '.join(others[:OTHERS])}{more}.")
        return True

    def _tops(self) -> list[int]:
        """Returns the units of the design that have parts and that none of it instantiates."""
        own = {row for row in self._hierarchy.instances if self._of_design(self._paths[row])}
        used = {
            self._hierarchy.unit_of[one]
            for row in own
            for _, one in self._hierarchy.instances[row]
            if self._hierarchy.unit_of.get(one, row) != row
        }
        below = self._hierarchy.below
        return sorted(own - used, key=lambda row: (-below.get(row, 0), self._names[row], row))

    def _through(self, top: int) -> tuple[int, list[int]]:
        """Returns the unit below a top that has several parts, and the instances on the way."""
        way: list[int] = []
        while len(way) < WRAPPED and len(parts := self._parts(top)) == 1:
            unit, instances = parts[0]
            if unit not in self._hierarchy.instances:
                break
            way.append(instances[0])
            top = unit
        return top, way

    def _parts(self, unit: int) -> list[_Part]:
        """Returns what a unit is made of, those with most below them first, cells left out."""
        own: dict[int, list[int]] = defaultdict(list)
        hierarchy = self._hierarchy
        for _, one in hierarchy.instances.get(unit, ()):
            part = hierarchy.unit_of.get(one, -1)
            if part >= 0 and part != unit and not hierarchy.is_cell(part) and self._paths[part]:
                own[part].append(one)
        found = [_Part(part, tuple(rows)) for part, rows in own.items()]
        below = hierarchy.below
        return sorted(
            found, key=lambda one: (-below.get(one.unit, 0), self._lines[one.instances[0]])
        )

    def _top(self, top: int, unit: int, way: Sequence[int]) -> None:
        page, names = self._page, self._names
        if page.lines:
            page.add()
        kind, path, line = self._kinds[top], self._paths[top], self._lines[top]
        what = "Another top is" if self._told else "The top is"
        text = f"{what} {kind} {names[top]}{self._count(top)}{self._said(top)}"
        page.fact(text, (names[top],), path, line)
        for row in way:
            part = self._hierarchy.unit_of[row]
            self._instance(row, f"It wraps {names[part]} as {_last(names[row])}{self._said(part)}")
        for _ in range(DEEP):
            if unit in self._told:
                page.add(f"Its parts are those of {names[unit]} above.")
                return
            self._unit(unit)
            main = self._main(unit)
            if main is None:
                return
            unit = main

    def _main(self, unit: int) -> int | None:
        """Returns the unit of several parts that a unit is about, None where it is about more."""
        below, whole = self._hierarchy.below, self._hierarchy.below.get(unit, 0)
        for _ in range(WRAPPED):
            parts = self._parts(unit)
            main = next((o.unit for o in parts if below.get(o.unit, 0) >= MAIN * whole), None)
            if main is None or len(self._parts(main)) >= FEW:
                return main
            unit = main
        return None

    def _unit(self, unit: int) -> None:
        """Adds the parts of a unit, the connections between them, clocks and resets."""
        page, name, every = self._page, self._names[unit], self._parts(unit)
        self._told.add(unit)
        is_one = NodeKind.INTERFACE.value
        parts = [one for one in every if self._kinds[one.unit] != is_one] or every
        page.add(f"Parts of {name}:")
        for one in parts[:PARTS]:
            self._part(one)
        if len(parts) > PARTS:
            left = len(parts) - PARTS
            page.add(f"- and {left} more: `hdlgraph tree {name} --depth 1` lists all")
        others = [self._names[one.unit] for one in every if one not in parts]
        if others:
            page.add(f"Interfaces between them: {', '.join(others[:INNER])}")
        self._joined(unit, parts)
        self._timing(unit, parts)

    def _part(self, one: _Part) -> None:
        """Adds a part: its unit, first instance, what it is for and what it is made of."""
        names, row = self._names, one.instances[0]
        more = f" and {len(one.instances) - 1} more" if len(one.instances) > 1 else ""
        text = f"- {names[one.unit]} as {_last(names[row])}{more}{self._count(one.unit)}"
        self._instance(row, f"{text}{self._said(one.unit)}")
        inner = [names[part.unit] for part in self._parts(one.unit)]
        if inner:
            last = f" and {len(inner) - INNER} more" if len(inner) > INNER else ""
            self._page.add(f"    made of {', '.join(inner[:INNER])}{last}")

    def _instance(self, row: int, text: str) -> None:
        unit, name = self._names[self._hierarchy.unit_of[row]], _last(self._names[row])
        self._page.fact(text, (unit, name), self._paths[row], self._lines[row])

    def _count(self, unit: int) -> str:
        count = self._hierarchy.below.get(unit, 0)
        return f", {count} instance{'s' * (count != 1)} below" if count else ""

    def _said(self, unit: int) -> str:
        """Returns what the file of a unit is described as, where it is that of the unit."""
        path = self._paths[unit]
        explanation = self._explanations.get(path)
        stem = path.rpartition("/")[2].partition(".")[0]
        if explanation is None or stem.lower() != self._names[unit].lower():
            return ""
        said = explanation.sentence()
        return "" if _BARE.match(said) else f": {said.rstrip('.')}"

    def _joined(self, unit: int, parts: Sequence[_Part]) -> None:
        """Adds which parts drive which others, those with most nets between them first."""
        own = [row for one in parts for row in one.instances]
        found = joined_parts(self._graph, own)
        if not found:
            return
        page = self._page
        page.add(f"Main connections in {self._names[unit]}:")
        for one in found[:JOINED]:
            page.fact(self._connection(one), (one.port,), *one.place)
        if len(found) > JOINED:
            page.add(f"- and {len(found) - JOINED} more pairs: `hdlgraph path A B` tells each")

    @staticmethod
    def _connection(one: Joined) -> str:
        nets = f"{len(one.nets)} nets of" if len(one.nets) > 1 else f"{one.nets[0]} of"
        some = f", such as {', '.join(one.nets[:3])}" if len(one.nets) > 1 else ""
        return f"- {one.source} drives {nets} {one.target}{some}"

    def _timing(self, unit: int, parts: Sequence[_Part]) -> None:
        """Adds the nets that clock and reset the parts, with how many of them each reaches."""
        own = [row for one in parts for row in one.instances]
        found = timing_of(self._graph, own)
        if not found:
            return
        page = self._page
        page.add(f"Clocks and resets in {self._names[unit]}:")
        for net, count, path, line in found:
            reached = f"goes into {count} of {len(own)} instances of these parts"
            page.fact(f"- {net} {reached}", (net,), path, line)


def _last(name: str) -> str:
    return name.rpartition(".")[2]
