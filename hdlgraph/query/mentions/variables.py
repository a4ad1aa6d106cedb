"""The lines that name variables of classes: in a class, in those that extend it, by a handle."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.mentions.chains import chains
from hdlgraph.query.mentions.holders import Holders
from hdlgraph.query.mentions.lines import (
    FILES,
    LIKELY,
    SURE,
    Line,
    Sources,
    around,
    holding,
    naming,
    owner_of,
    use,
)

SIGNAL, CLASS = NodeKind.SIGNAL.value, NodeKind.CLASS.value
EXTENDS = EdgeKind.EXTENDS.value
LIKELIEST = 0.5
"""Least confidence of the edge by which a class extends another one."""
CLASSES = 2000
"""Classes that extend one, at most."""
_OWN = frozenset({"this", "super"})
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_NO_TYPE = frozenset(
    "return new assign delete inside if else solve before soft unique with dist case end begin "
    "posedge negedge disable release force iff or and not".split()
)


def is_variable(graph: Graph, row: int) -> bool:
    """Returns whether a node is a variable of a class."""
    owner = owner_of(graph, row) if graph.nodes.column("kind")[row] == SIGNAL else -1
    return owner >= 0 and graph.nodes.column("kind")[owner] == CLASS


def uses_of(
    graph: Graph, sources: Sources, rows: Iterable[int], known: Collection[tuple[str, int]]
) -> list[dict[str, Any]]:
    """Returns the lines that name variables of classes, as `who` lists users, by path and line.

    Where an argument or local variable of a method has the name, that is meant. Behind a handle the
    class counts that it is declared with; a line whose handle is of no known class is a candidate
    where nothing else has the name.

    Args:
        graph: the design graph.
        sources: texts and words of the index.
        rows: variables, all of one name.
        known: (path, line) of uses that are told already.
    """
    rows, nodes = sorted(rows), graph.nodes
    if not rows:
        return []
    name = nodes.column("name")[rows[0]].rpartition(".")[2]
    meant = _meaning(graph, rows, name)
    alone = sum(nodes.column("name")[one].rpartition(".")[2] == name for one in graph.ending(name))
    taken = {*known, *((nodes.column("path")[row], nodes.column("line")[row]) for row in rows)}
    reading = _Reading(graph, sources, name, meant, rows[0] if alone == 1 else -1)
    word, found = re.compile(rf"(?<![\w$`]){re.escape(name)}(?![\w$])"), []
    for path in holding(sources.lexicon, name)[:FILES]:
        for number, text in naming(sources.text(path), name, word):
            row, sure = reading.of(Line(path, number, text))
            if row >= 0 and (path, number) not in taken:
                resolved = "unique" if sure == SURE else "candidate"
                line = Line(path, number, text)
                found.append(use(graph, row, line, sure=sure, resolved=resolved))
    return sorted(found, key=lambda one: (one["path"], one["line"]))


class _Reading:
    """Says which variable of a name a line means.

    Args:
        graph: the design graph.
        sources: texts of files, and their facts.
        name: the name.
        meant: by the row of a class, the variable that the name is in it.
        other: what a handle of an unknown class leads to, -1 for nothing.
    """

    def __init__(
        self, graph: Graph, sources: Sources, name: str, meant: dict[int, int], other: int
    ) -> None:
        self._graph, self._sources, self._name = graph, sources, name
        self._meant, self._other = meant, other
        self._holders = Holders(graph, sources.text)
        word = re.escape(name)
        self._bare = re.compile(rf"(?<![\w$.`])(?<!::){word}(?![\w$])")
        self._field = re.compile(rf"(?:\{{|,)\s*{word}\s*:(?!:)")
        self._local = re.compile(
            r"(?:^|[;(])\s*(?:(?:automatic|static|const|var|ref|input|output|inout)\s+)*"
            rf"([A-Za-z_][\w$:]*)(?:\s*#\s*\([^;]*\))?(?:\s*\[[^\]]*\])*\s+{word}\s*(?:[;=\[,)]|$)"
        )

    def of(self, line: Line) -> tuple[int, float]:
        """Returns the variable that a line means, -1 for none, and how sure that is."""
        text = _STRING.sub('""', line.text.partition("//")[0])
        unit = around(self._graph, line.path, line.number)
        is_bare = self._bare.search(text) and not self._field.search(text)
        if unit in self._meant and is_bare and not self._is_shadowed(line, text):
            return self._meant[unit], SURE
        likely = -1
        for words in chains(text, self._name):
            rest = words[1:] if words[:1] and words[0] in _OWN else words
            if words and not rest:
                if unit in self._meant:
                    return self._meant[unit], SURE
                continue
            classes = self._holders.of(line.path, line.number, unit, rest) if rest else frozenset()
            for one in sorted(classes):
                if one in self._meant:
                    return self._meant[one], SURE
            likely = likely if classes else self._other
        return likely, LIKELY

    def _is_shadowed(self, line: Line, text: str) -> bool:
        """Returns whether the method around a line has an argument or variable of the name."""
        record = self._sources.facts(line.path)
        around_it = [
            one
            for unit in record.units
            for one in unit.routines
            if one.line <= line.number <= one.end_line
        ]
        if not around_it:
            return False
        routine = max(around_it, key=lambda one: one.line)
        if any(one.name == self._name for one in routine.arguments):
            return True
        before = self._holders.lines(line.path)[routine.line - 1 : line.number - 1]
        return any(
            found[1] not in _NO_TYPE
            for one in (*before, text)
            if self._name in one
            for found in self._local.finditer(one.partition("//")[0])
        )


def _meaning(graph: Graph, rows: list[int], name: str) -> dict[int, int]:
    """Returns, by the row of a class, which of some variables of one name the name is in it.

    A class has those of what it extends, where it declares none of that name itself.
    """
    edges, names, kinds = graph.edges, graph.nodes.column("name"), graph.nodes.column("kind")
    declaring = {
        owner_of(graph, one)
        for one in graph.ending(name)
        if kinds[one] == SIGNAL and names[one].rpartition(".")[2] == name
    }
    found = {owner_of(graph, row): row for row in rows}
    waiting = list(found)
    while waiting and len(found) < CLASSES:
        base = waiting.pop(0)
        for edge in graph.in_edges(base).tolist():
            sub = int(edges.column("source")[edge])
            is_sub = edges.column("kind")[edge] == EXTENDS and kinds[sub] == CLASS
            sure = edges.column("confidence")[edge] >= LIKELIEST
            if is_sub and sure and sub not in found and sub not in declaring:
                found[sub] = found[base]
                waiting.append(sub)
    return found
