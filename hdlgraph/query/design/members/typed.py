"""Types by name: what type a signal is declared with, and what fields and values a type has."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from functools import cached_property
from weakref import WeakKeyDictionary

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind

DEFINES, IMPORTS = EdgeKind.DEFINES.value, EdgeKind.IMPORTS.value
TYPE, FILE = NodeKind.TYPE.value, NodeKind.FILE.value
TYPED = frozenset(kind.value for kind in (NodeKind.PORT, NodeKind.SIGNAL, NodeKind.PARAMETER))
"""Kinds of nodes whose declaration begins with a type."""
ALIASES = 8
"""Types that are other names of each other, at most."""
_BODY = re.compile(r"(?:struct|union|enum)\b")
_RANGE = re.compile(r"\[[^\[\]]*\]")
_NAME = re.compile(r"(?<![\w$:])(?:([A-Za-z_][\w$]*)\s*::\s*)?([A-Za-z_][\w$]*)(?![\w$:])")


class Typed:
    """Finds the types of a design graph; rows are those of its nodes, () where none is known."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        columns = ("kind", "name", "path", "line", "detail", "end_line")
        (self._kinds, self._names, self._paths, self._lines, self._details, self._ends) = map(
            graph.nodes.column, columns
        )
        self._fields: dict[int, dict[str, str]] = {}
        self._inside: dict[int, dict[str, list[int]]] = {}

    @cached_property
    def _types(self) -> dict[str, list[int]]:
        """Returns the rows of the types by their last name."""
        found: dict[str, list[int]] = {}
        for row, kind in enumerate(self._kinds):
            if kind == TYPE:
                found.setdefault(self._names[row].rpartition(".")[2], []).append(row)
        return found

    @cached_property
    def owner(self) -> dict[int, int]:
        """Returns the rows of what declares each type."""
        edges = self._graph.edges
        ends = zip(
            *(edges.column(name) for name in ("kind", "source", "target")),
            strict=True,
        )
        return {
            int(target): int(source)
            for kind, source, target in ends
            if kind == DEFINES and self._kinds[target] == TYPE
        }

    def named(self, name: str) -> list[int]:
        """Returns the types of a name, such as `req_t` or `bus_pkg::req_t`."""
        wanted = name.replace("::", ".")
        rows = self._types.get(wanted.rpartition(".")[2], [])
        return [row for row in rows if ("." + self._names[row]).endswith("." + wanted)]

    def near(self, name: str) -> list[str]:
        """Returns at most five names of types that are near to another."""
        return difflib.get_close_matches(name, sorted(self._types), n=5, cutoff=0.6)

    def fields(self, row: int) -> dict[str, str]:
        """Returns the fields of a struct or union with their types, the values of an enum."""
        found = self._fields.get(row)
        if found is None:
            found = self._fields[row] = _fields(self._details[row])
        return found

    def bodies(self, row: int) -> tuple[int, ...]:
        """Returns the type itself, or that which it is another name of."""
        for _ in range(ALIASES):
            detail = self._details[row]
            if not detail.startswith("alias "):
                return (row,)
            further = self.of_text(detail[6:].partition("{")[0], self.owner.get(row, -1))
            if len(further) != 1:
                return further
            row = further[0]
        return ()

    def of_text(self, text: str, unit: int) -> tuple[int, ...]:
        """Returns the types that a declaration inside of a unit may begin with."""
        plain = text.partition(" (")[0]
        while plain != (plain := _RANGE.sub(" ", plain)):
            pass
        for scope, name in _NAME.findall(plain):
            rows = self._types.get(name, [])
            if scope:
                rows = [row for row in rows if self._names[row] == f"{scope}.{name}"]
            if rows:
                return self._visible(rows, unit) if not scope else tuple(rows)
        return ()

    def of_node(self, row: int, unit: int) -> tuple[int, ...]:
        """Returns the types of a port, signal or parameter that a unit declares."""
        detail = self._details[row]
        if _BODY.match(detail.removeprefix("input ").removeprefix("output ")):
            at = self._paths[row], self._lines[row]
            spans = [(one, self._ends[one]) for one in self._own_types(unit)]
            return tuple(
                one
                for one, end in spans
                if self._paths[one] == at[0] and self._lines[one] <= at[1] <= max(end, at[1])
                and at[1] in (self._lines[one], end)
            )  # fmt: skip
        return tuple(body for one in self.of_text(detail, unit) for body in self.bodies(one))

    def of_chain(self, unit: int, words: Sequence[str]) -> tuple[int, ...]:
        """Returns the types of `signal.field.field` inside of a unit, by the names in order."""
        rows = self._declared(unit).get(words[0], [])
        found = tuple(dict.fromkeys(one for row in rows for one in self.of_node(row, unit)))
        return self.along(found, words[1:])

    def along(self, types: tuple[int, ...], fields: Sequence[str]) -> tuple[int, ...]:
        """Returns the types that fields lead to from some types."""
        for name in fields:
            types = tuple(dict.fromkeys(
                body
                for row in types
                for one in self.of_text(self.fields(row).get(name, ""), self.owner.get(row, -1))
                for body in self.bodies(one)
            ))  # fmt: skip
        return types

    def of_signals(self, name: str) -> tuple[list[int], tuple[int, ...]]:
        """Returns the nodes that `signal` or `unit.signal` means, and the types of all of them."""
        last = name.rpartition(".")[2]
        rows = [
            row
            for row in self._graph.ending(last)
            if self._kinds[row] in TYPED
            and (self._names[row] == name or self._names[row].endswith("." + name))
        ]
        found: dict[int, None] = {}
        for row in rows:
            for edge in self._graph.in_edges(row).tolist():
                if self._graph.edges.column("kind")[edge] == DEFINES:
                    unit = int(self._graph.edges.column("source")[edge])
                    found |= dict.fromkeys(self.of_node(row, unit))
        return rows, tuple(found)

    def _declared(self, unit: int) -> dict[str, list[int]]:
        """Returns the ports, signals and parameters of a unit by their last name."""
        found = self._inside.get(unit)
        if found is None:
            found = self._inside[unit] = {}
            for row in self._parts(unit):
                if self._kinds[row] in TYPED:
                    found.setdefault(self._names[row].rpartition(".")[2], []).append(row)
        return found

    def _own_types(self, unit: int) -> list[int]:
        return [row for row in self._parts(unit) if self._kinds[row] == TYPE]

    def _parts(self, unit: int) -> list[int]:
        edges = self._graph.edges
        return [
            int(edges.column("target")[edge])
            for edge in (self._graph.out_edges(unit).tolist() if unit >= 0 else ())
            if edges.column("kind")[edge] == DEFINES
        ]

    def _visible(self, rows: list[int], unit: int) -> tuple[int, ...]:
        """Returns those of some types of one name that a unit sees: its own before imported ones.

        All of them where neither tells.
        """
        own = [row for row in rows if self.owner.get(row) == unit]
        if own or len(rows) == 1 or unit < 0:
            return tuple(own or rows)
        edges, imported = self._graph.edges, set()
        for at in (unit, self._graph.row(f"file:{self._paths[unit]}")):
            for edge in self._graph.out_edges(at).tolist() if at >= 0 else ():
                if edges.column("kind")[edge] == IMPORTS:
                    imported.add(int(edges.column("target")[edge]))
        seen = [row for row in rows if self.owner.get(row) in imported]
        return tuple(seen or rows)


def _fields(detail: str) -> dict[str, str]:
    """Returns the names in the braces of the declaration of a type, with what stands behind."""
    body = detail.partition("{")[2]
    if detail.startswith(("alias", "modport")):
        return {}
    found: dict[str, str] = {}
    depth, begin = 0, 0
    for at, sign in enumerate(body):
        if sign in "[({":
            depth += 1
        elif sign in "])}":
            depth -= 1
        if depth < 0 or (sign == "," and not depth):
            name, _, text = body[begin:at].strip().partition(":")
            found.setdefault(name.partition(" ")[0], text.strip())
            begin = at + 1
        if depth < 0:
            break
    return found


_KNOWN: WeakKeyDictionary[Graph, Typed] = WeakKeyDictionary()


def typed(graph: Graph) -> Typed:
    """Returns the types of a graph; they are kept as long as the graph is."""
    found = _KNOWN.get(graph)
    if found is None:
        found = _KNOWN[graph] = Typed(graph)
    return found
