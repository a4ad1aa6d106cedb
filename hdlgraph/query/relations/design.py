"""The design graph as questions for relations read it: units, their names, nets and their ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from hdlgraph.graph.called import Called, behind_last
from hdlgraph.graph.graph import Graph
from hdlgraph.graph.kept import is_there, open_graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.design.names import is_unit
from hdlgraph.query.index_view import IndexView
from hdlgraph.store.tables import coded_spans

T = TypeVar("T")

DEFINES, CONNECTS = EdgeKind.DEFINES.value, EdgeKind.CONNECTS.value
BELOW = (EdgeKind.INSTANTIATES.value, EdgeKind.BINDS.value)
PORT, SIGNAL = NodeKind.PORT.value, NodeKind.SIGNAL.value
NETS = frozenset({PORT, SIGNAL})
SETTINGS = frozenset({NodeKind.PARAMETER.value, NodeKind.MACRO.value})
TYPES = frozenset({NodeKind.TYPE.value, NodeKind.MACRO.value})
INSTANCE = NodeKind.INSTANCE.value
_NAME = re.compile(r"[A-Za-z_]\w*")
KEPT, NAMED = 20_000, 200_000
"""Nodes whose edges, and nodes whose names are kept; then all are forgotten."""


class Fact(NamedTuple):
    """What answers a question: a node of the graph, and the edge that says so, -1 for none."""

    row: int
    edge: int


Known = dict[tuple[int, tuple[str, ...]], list[Fact]]
"""What the edges of some kinds at a node lead to."""


class Design:
    """The graph of a generation with the tables that answers are looked up in.

    Rows are those of the graph's nodes and edges; files have the numbers of the lexicon.
    """

    def __init__(self, graph: Graph, paths: list[str]) -> None:
        self.graph = graph
        nodes, edges = graph.nodes.table, graph.edges.table
        self.kinds = nodes.values("kind")
        self.names = nodes.values("name")
        self.paths = nodes.values("path")
        self.details = nodes.values("detail")
        self.edge_kinds = edges.values("kind")
        self.sources = edges.array("source").data
        self.targets = edges.array("target").data
        self._unit_rows = _of(nodes.coded("kind"), is_unit)
        self.is_unit = self._unit_rows.data
        self._above: dict[int, list[Fact]] = {}
        self._out: Known = {}
        self._into: Known = {}
        self._wanted: dict[tuple[str, ...], np.ndarray] = {}
        self._parts: dict[Callable[[Design], Any], Any] = {}
        self._last: dict[int, str] = {}
        self._declared: dict[tuple[int, frozenset[str]], list[int]] = {}
        self._numbers = {path: number for number, path in enumerate(paths)}

    def file(self, row: int) -> int:
        """Returns the number of the file that defines a node, -1 where no indexed file does."""
        return self._numbers.get(self.paths[row], -1)

    def file_of(self, path: str) -> int:
        """Returns the number of a file, -1 where none is indexed there."""
        return self._numbers.get(path, -1)

    def last(self, row: int) -> str:
        """Returns the name of a node without the unit in which it is declared."""
        found = self._last.get(row)
        if found is None:
            if len(self._last) >= NAMED:
                self._last.clear()
            found = self._last[row] = self.names[row].rpartition(".")[2]
        return found

    def unit_id(self, row: int) -> str:
        """Returns the id of a unit; as that of most is its name, the column need not be read."""
        if row in self._repeated:
            return str(self.graph.nodes.column("id")[row])
        return f"{self.kinds[row]}:{self.paths[row]}#{self.names[row]}"

    @cached_property
    def _repeated(self) -> frozenset[int]:
        """Returns the units that have the name of another one before them in the same file."""
        first: dict[tuple[str, str], int] = {}
        return frozenset(
            row
            for row in self.units
            if first.setdefault((self.paths[row], self.names[row]), row) != row
        )

    def last_names(self, rows: np.ndarray) -> tuple[list[str], np.ndarray]:
        """Returns the different names that `last` gives of some nodes, and which each has."""
        data, first, ends = self._lasts
        return coded_spans(data, first[rows], ends[rows])

    @cached_property
    def _lasts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns names as UTF-8, and where in it what `last` gives of each begins and ends."""
        data, bounds = self.graph.nodes.table.packed("name")
        return data, behind_last(data, bounds, b"."), bounds[1:]

    @cached_property
    def _stands(self) -> np.ndarray:
        """Returns whether a file defines each node."""
        return _of(self.graph.nodes.table.coded("path"), bool)

    @cached_property
    def units(self) -> list[int]:
        """Returns the rows of all design units that a file defines."""
        return np.flatnonzero(self._unit_rows & self._stands).tolist()

    @cached_property
    def units_of(self) -> dict[int, list[int]]:
        """Returns number of a file -> rows of the design units that it defines."""
        found: dict[int, list[int]] = {}
        for row in self.units:
            found.setdefault(self.file(row), []).append(row)
        return found

    @cached_property
    def called(self) -> Called:
        """Returns the rows of each lower-case name; a nested thing goes by its last component."""
        return Called(self.graph.nodes.table)

    @cache  # noqa: B019  # a design lives as long as its index is open
    def of_kind(self, kinds: frozenset[str]) -> list[int]:
        """Returns the rows of nodes of some kinds, in order."""
        own = _of(self.graph.nodes.table.coded("kind"), kinds.__contains__)
        return np.flatnonzero(own & self._stands).tolist()

    @cached_property
    def conditional_on(self) -> dict[str, list[int]]:
        """Returns name -> instances around which a generate or `ifdef condition has it."""
        found: dict[str, list[int]] = {}
        for row in self.of_kind(frozenset({INSTANCE})):
            for name in dict.fromkeys(_NAME.findall(self.details[row])):
                found.setdefault(name, []).append(row)
        return found

    @cached_property
    def binding(self) -> frozenset[int]:
        """Returns the files in which a bind stands."""
        paths, binds = self.graph.edges.column("path"), EdgeKind.BINDS.value
        rows = self.graph.edges.table.rows_with("kind", binds).tolist()
        return frozenset(self.file_of(paths[edge]) for edge in rows)

    @cached_property
    def unit_words(self) -> list[str]:
        """Returns the lower-case names of all design units, sorted."""
        return sorted({self.names[row].lower() for row in self.units})

    @cached_property
    def files_called(self) -> dict[str, list[int]]:
        """Returns lower-case name of a file, with and without its ending -> the files."""
        found: dict[str, list[int]] = {}
        for path, number in self._numbers.items():
            base = path.rpartition("/")[2].lower()
            for name in {base, base.partition(".")[0]}:
                found.setdefault(name, []).append(number)
        return found

    @cached_property
    def _owners(self) -> memoryview:
        """Returns the row of the unit that declares each node, -1 where none does."""
        kinds, codes = self.graph.edges.table.coded("kind")
        owners = np.full(len(self.names), -1, np.int64)
        if DEFINES in kinds:
            made = np.flatnonzero(codes == kinds.index(DEFINES))
            sources = self.graph.edges.array("source")[made]
            by_unit = self._unit_rows[sources]
            owners[self.graph.edges.array("target")[made[by_unit]]] = sources[by_unit]
        return owners.data

    def owner(self, row: int) -> int:
        """Returns the unit that declares a node, the node itself where none does."""
        owner: int = self._owners[row]
        return row if owner < 0 else owner

    def part(self, make: Callable[[Design], T]) -> T:
        """Returns what `make` makes of this design; it is called once and its value kept."""
        if make not in self._parts:
            self._parts[make] = make(self)
        return self._parts[make]

    def out(self, row: int, *kinds: str) -> Iterator[Fact]:
        """Returns the targets of the edges of some kinds that leave a node."""
        return iter(self._facts(self._out, row, kinds))

    def facts(self, row: int, kind: str) -> list[Fact]:
        """Returns `out` of one kind as it is kept: nobody may change it."""
        return self._facts(self._out, row, (kind,))

    def into(self, row: int, *kinds: str) -> Iterator[Fact]:
        """Returns the sources of the edges of some kinds that arrive at a node."""
        return iter(self._facts(self._into, row, kinds))

    def _facts(self, known: Known, row: int, kinds: tuple[str, ...]) -> list[Fact]:
        """Returns what edges of some kinds lead to, which is kept: one question asks it often."""
        found = known.get((row, kinds))
        if found is None:
            if len(known) >= KEPT:
                known.clear()
            out = known is self._out
            ends = self.targets if out else self.sources
            found = [Fact(ends[one], one) for one in self._edges(row, kinds, out).tolist()]
            known[row, kinds] = found
        return found

    def _edges(self, row: int, kinds: tuple[str, ...], out: bool) -> np.ndarray:
        """Returns the edges of some kinds that leave a node, or that arrive at it."""
        edges = (self.graph.out_edges if out else self.graph.in_edges)(row)
        texts, codes = self.graph.edges.table.coded("kind")
        wanted = self._wanted.get(kinds)
        if wanted is None:
            wanted = self._wanted[kinds] = np.asarray([one in kinds for one in texts], bool)
        return edges[wanted[codes[edges]]]

    def children(self, row: int) -> list[Fact]:
        """Returns the units that a unit instantiates, and what is bound into it."""
        return [fact for fact in self.out(row, *BELOW) if self.is_unit[fact.row]]

    def parents(self, row: int) -> list[Fact]:
        """Returns the units that instantiate a unit, and those into which it is bound."""
        found = self._above.get(row)
        if found is None:
            found = [fact for fact in self.into(row, *BELOW) if self.is_unit[fact.row]]
            self._above[row] = found
        return found

    def declared(self, row: int, kinds: frozenset[str]) -> list[int]:
        """Returns what a unit declares of some kinds, which is kept; nobody may change it."""
        found = self._declared.get((row, kinds))
        if found is None:
            if len(self._declared) >= KEPT:
                self._declared.clear()
            rows = np.asarray(self.targets)[self._edges(row, (DEFINES,), out=True)]
            texts, codes = self.graph.nodes.table.coded("kind")
            wanted = np.asarray([one in kinds for one in texts], bool)
            found = self._declared[row, kinds] = rows[wanted[codes[rows]]].tolist()
        return found

    def is_output(self, port: int) -> bool:
        """Returns whether a port drives what is connected to it."""
        return self.details[port].startswith(("output", "inout"))

    def is_interface(self, port: int) -> bool:
        """Returns whether a port is that of an interface, which may go both ways."""
        return self.details[port].startswith("interface")

    def is_input(self, port: int) -> bool:
        """Returns whether a port reads what is connected to it."""
        return not self.details[port].startswith("output")

    def specific(self, row: int) -> float:
        """Returns how much a unit is of one place, 0 to 1: what everything uses says little."""
        count = len({fact.row for fact in self.parents(row)})
        return float((1 + max(count, 1)) ** -0.5) * 1.41421356


def _of(coded: tuple[list[str], np.ndarray], wanted: Callable[[str], object]) -> np.ndarray:
    """Returns in which rows of a column of few texts a wanted one stands, bool (rows,)."""
    texts, codes = coded
    return np.asarray([bool(wanted(text)) for text in texts], bool)[codes]


def design_of(index: IndexView) -> Design | None:
    """Returns the design of an index, None where it has no graph."""
    if not is_there(index.folder):
        return None
    held = index.held
    if held is None:
        return Design(Graph.load(index.folder), index.lexicon.paths)
    return Design(open_graph(index.folder, held.key, held.check), index.lexicon.paths)
