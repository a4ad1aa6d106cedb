"""What the names before a field are declared as: a type, a class, an interface, or unknown."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.design.members.typed import DEFINES, TYPE, TYPED, Typed, typed
from hdlgraph.query.design.names import is_unit
from hdlgraph.query.mentions.chains import names_before

UNNAMED = -1
"""Stands for a struct or union without a name."""
HOLDING = frozenset({NodeKind.CLASS.value, NodeKind.INTERFACE.value})
"""Units whose members are named behind a dot."""
PARAMETER, INSTANCE = NodeKind.PARAMETER.value, NodeKind.INSTANCE.value
EXTENDS, INSTANTIATES = EdgeKind.EXTENDS.value, EdgeKind.INSTANTIATES.value
DEEP = 12
"""Classes that extend each other, at most."""
LINES = 400
"""Lines above a use in which a local variable is looked for."""
_NAME = re.compile(r"(?<![\w$:.])(?:[A-Za-z_][\w$]*\s*::\s*)?([A-Za-z_][\w$]*)")
_PLAIN = frozenset(
    "input output inout ref const var static automatic local protected rand randc interface "
    "virtual signed unsigned packed type parameter localparam".split()
)
_TYPE = r"(?<![\w$.])(?:(?P<scope>[A-Za-z_]\w*)\s*::\s*)?(?P<type>[A-Za-z_]\w*)"
_ENDS_TYPE = re.compile(_TYPE + r"$")


class Holders:
    """Finds what a chain of names is declared as; rows are those of the graph's nodes."""

    def __init__(self, graph: Graph, text: Callable[[str], str]) -> None:
        self._graph, self._text = graph, text
        self._known: Typed = typed(graph)
        nodes = graph.nodes
        self._kinds, self._names, self._details = map(nodes.column, ("kind", "name", "detail"))
        self._paths, self._starts, self._ends = map(nodes.column, ("path", "line", "end_line"))
        self._lines: dict[str, list[str]] = {}
        self._inside: dict[int, dict[str, list[int]]] = {}

    def of(self, path: str, line: int, unit: int, words: Sequence[str]) -> frozenset[int]:
        """Returns the types, classes and interfaces that `a.b` may be on a line; none if unknown.

        A declaration of the unit or of what it extends comes before one in the text above the
        line. What a type parameter stands for is unknown.
        """
        found = self._declared(unit, words[0]) if unit >= 0 else frozenset[int]()
        if not found:
            found = self._local(path, line, unit, words[0])
        if not found and words[1:]:  # a path from a top
            tops = (row for row in self._graph.ending(words[0]) if self._names[row] == words[0])
            rows = [self._declared(row, words[1]) for row in tops if is_unit(self._kinds[row])]
            found, words = frozenset[int]().union(*rows), words[1:]
        for at, word in enumerate(words[1:], 1):
            rest = words[at + 1 :]
            further = self._along(found, word)
            if not further and rest and any(self._along(found, rest[0])):
                continue  # a clocking block, which names what the interface declares
            found = further
            if not found:
                break
        return found

    def is_interface(self, unit: int, word: str) -> bool:
        """Returns whether a name of a unit is a port that is an interface, generic ones too."""
        rows = self._parts(unit).get(word, ()) if unit >= 0 else ()
        return any(self._details[row].startswith("interface") for row in rows)

    def of_target(self, path: str, line: int, unit: int, text: str) -> frozenset[int]:
        """Returns what a pattern is of that stands behind `req_o =` or a type; none if unknown."""
        if not text.endswith("="):
            found = _ENDS_TYPE.search(text)
            return self.of_type(found["scope"] or "", found["type"], unit) if found else frozenset()
        left = text.rstrip("=").rstrip("<").rstrip()
        words = names_before(left, len(left))
        return self.of(path, line, unit, words) if words else frozenset()

    def lines(self, path: str) -> list[str]:
        """Returns the lines of a file."""
        if path not in self._lines:
            self._lines[path] = self._text(path).splitlines()
        return self._lines[path]

    def of_type(self, scope: str, name: str, unit: int) -> frozenset[int]:
        """Returns the types, classes and interfaces that a type name may mean inside of a unit."""
        if not scope and any(
            self._kinds[row] == PARAMETER for row in self._parts(unit).get(name, ())
        ):
            return frozenset()  # an instance may give the type parameter another type
        text = f"{scope}::{name}" if scope else name
        types = self._known.of_text(text, unit)
        found = {body for one in types for body in self._known.bodies(one)}
        units = (row for row in self._graph.ending(name) if self._names[row] == name)
        found |= {row for row in units if not types and self._kinds[row] in HOLDING}
        return frozenset(found)

    def _of_text(self, text: str, unit: int) -> frozenset[int]:
        """Returns what a declaration may begin with, after its direction and the like."""
        for one in _NAME.finditer(text):
            if one[1] not in _PLAIN:
                scope = one[0].partition("::")[0].strip() if "::" in one[0] else ""
                return self.of_type(scope, one[1], unit)
        return frozenset()

    def _along(self, holders: frozenset[int], word: str) -> frozenset[int]:
        """Returns what a member of types, classes and interfaces is declared as."""
        found: set[int] = set()
        for row in holders:
            if row >= 0 and is_unit(self._kinds[row]):
                found |= self._declared(row, word)
            elif row >= 0:
                owner = self._known.owner.get(row, -1)
                found |= self._of_text(self._known.fields(row).get(word, ""), owner)
        return frozenset(found)

    def _declared(self, unit: int, word: str) -> frozenset[int]:
        """Returns what a name of a unit, or of a class that it extends, is declared as."""
        for _ in range(DEEP):
            parts = self._parts(unit).get(word, ())
            rows = [row for row in parts if self._kinds[row] in TYPED]
            if rows:
                return frozenset(one for row in rows for one in self._of_node(row, unit))
            if made := [row for row in parts if self._kinds[row] == INSTANCE]:
                return frozenset(one for row in made for one in self._targets(row, INSTANTIATES))
            further = self._targets(unit, EXTENDS)
            if len(further) != 1:
                break
            unit = further[0]
        return frozenset()

    def _around(self, row: int, unit: int) -> int:
        """Returns the type without a name that a variable is declared behind, else UNNAMED."""
        path, line = self._paths[row], self._starts[row]
        spans = [
            (self._ends[one] - self._starts[one], one)
            for rows in self._parts(unit).values()
            for one in rows
            if self._kinds[one] == TYPE and self._paths[one] == path
            and self._starts[one] <= line <= self._ends[one]
        ]  # fmt: skip
        return min(spans)[1] if spans else UNNAMED

    def _targets(self, row: int, kind: str) -> list[int]:
        edges = self._graph.edges
        return [
            int(edges.column("target")[edge])
            for edge in self._graph.out_edges(row).tolist()
            if edges.column("kind")[edge] == kind
        ]

    def _of_node(self, row: int, unit: int) -> frozenset[int]:
        detail = self._details[row]
        first = detail.removeprefix("input ").removeprefix("output ")
        if first.startswith(("interface ", "virtual ")):  # its modport is no type
            return self._of_text(first, unit)
        if own := self._known.of_node(row, unit):
            return frozenset(own)
        if first.startswith(("struct", "union")):
            return frozenset({self._around(row, unit)})
        return self._of_text(first, unit)

    def _local(self, path: str, line: int, unit: int, word: str) -> frozenset[int]:
        """Returns what a local variable or argument is declared as, the last one above a line."""
        begin = max(0, line - LINES, self._graph.nodes.column("line")[unit] - 1 if unit >= 0 else 0)
        listed = r"(?:[A-Za-z_]\w*(?:\s*=[^,;]*)?\s*,\s*)*"
        pattern = re.compile(
            _TYPE + r"(?:\s*#\s*\([^;()]*\)|\.[A-Za-z_]\w*)?(?:\s*\[[^\]]*\])*\s+"
            rf"{listed}{re.escape(word)}\s*(?:[;,=)\[]|$)"
        )
        for text in reversed(self.lines(path)[begin:line]):
            if word not in text:
                continue
            for found in pattern.finditer(text.partition("//")[0]):
                if meant := self.of_type(found["scope"] or "", found["type"], unit):
                    return meant
        return frozenset()

    def _parts(self, unit: int) -> dict[str, list[int]]:
        """Returns what a unit declares by its last name."""
        found = self._inside.get(unit)
        if found is None:
            found = self._inside[unit] = {}
            edges = self._graph.edges
            for edge in self._graph.out_edges(unit).tolist() if unit >= 0 else ():
                if edges.column("kind")[edge] == DEFINES:
                    row = int(edges.column("target")[edge])
                    found.setdefault(self._names[row].rpartition(".")[2], []).append(row)
        return found
