"""The design as the communities need it: files, their units, what joins files, and nets.

It is a small part of the graph, so that a build can let go of the rest.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import UNIT_KINDS, Explanation

KINDS = {
    "INSTANTIATES": "instantiates",
    "IMPORTS": "imports",
    "INCLUDES": "includes",
    "EXTENDS": "extends",
    "BINDS": "binds",
    "USES": "uses",
}
"""Kinds of edges that join files, and the word for each."""
NET = "drives"
ENDS = 400
"""A net with more pairs of driver and sink than this is left out: it joins too much."""
PLACES = 4
"""A unit that more files instantiate is a part of each, such as a queue, and no partner of it."""
TESTS = frozenset({"testbench", "formal"})
LOOSE = 4
"""Most ends of a net whose direction nobody states; each pair of them is joined."""
SENTENCE = 160  # characters of a purpose
_STOP = re.compile(r"(?<=[.;])\s+(?=[A-Z`(])")
_INDEX = re.compile(r"\[(\d+)\]\s*$")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of a file."""

    kind: str
    name: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Relation:
    """One use of something in another file, and the place that states it.

    `source` and `target` are the names of the units, "" for a file itself.
    """

    kind: str
    source_path: str
    source: str
    target_path: str
    target: str
    path: str
    line: int
    text: str = ""
    sure: bool = True


@dataclass(slots=True)
class Design:
    """Files by path with role and purpose, units by path, and what joins two files."""

    roles: dict[str, str] = field(default_factory=dict)
    purposes: dict[str, str] = field(default_factory=dict)
    units: dict[str, list[Unit]] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)
    nets: list[Relation] = field(default_factory=list)


def design_of(graph: Graph, explanations: Mapping[str, Explanation]) -> Design:
    """Returns the part of a graph that communities are made of."""
    design = Design()
    columns = (graph.nodes.column(c) for c in ("kind", "name", "path", "line", "detail"))
    owner: list[tuple[str, str]] = []  # path and unit name of each node
    for kind, name, path, line, detail in zip(*columns, strict=True):
        owner.append((path, _unit_name(kind, name)))
        if kind == "file" and path:
            design.roles[path] = detail or "rtl"
        elif kind in UNIT_KINDS and path:
            design.units.setdefault(path, []).append(Unit(kind, name, path, int(line)))
    for path in design.roles:
        about = explanations.get(path)
        design.purposes[path] = first_sentence(about.purpose) if about else ""
    design.relations = sorted(_relations(graph, owner), key=_order)
    parts = _parts(design)
    nets = (one for one in _nets(graph, owner) if not parts & {one.source, one.target})
    design.nets = sorted(nets, key=_order)
    return design


def _parts(design: Design) -> set[str]:
    """Returns the names of units that many files of the design instantiate."""
    places: dict[str, set[str]] = defaultdict(set)
    for one in design.relations:
        if one.kind == "instantiates" and design.roles.get(one.source_path) not in TESTS:
            places[one.target].add(one.source_path)
    return {name for name, paths in places.items() if len(paths) > PLACES}


def first_sentence(text: str) -> str:
    """Returns the first sentence of a text on one line, cut at a word."""
    line = _STOP.split(" ".join(text.split()), maxsplit=1)[0]
    if len(line) <= SENTENCE:
        return line
    return line[:SENTENCE].rsplit(" ", 1)[0].rstrip(",;:") + " …"


def _unit_name(kind: str, name: str) -> str:
    if kind in ("file", "macro", "concept", "explanation"):
        return "" if kind == "file" else name
    return name if kind in UNIT_KINDS else name.partition(".")[0]


def _order(one: Relation) -> tuple[Any, ...]:
    return one.kind, one.source_path, one.source, one.target_path, one.target, one.path, one.line


def _relations(graph: Graph, owner: list[tuple[str, str]]) -> Iterator[Relation]:
    kinds = graph.nodes.column("kind")
    names = ("source", "target", "kind", "path", "line", "text", "resolved")
    for s, t, kind, path, line, text, resolved in zip(*map(graph.edges.column, names), strict=True):
        source, target = int(s), int(t)
        word = KINDS.get(kind)
        if word is None or (kind == "INSTANTIATES" and kinds[source] == "instance"):
            continue
        (here, user), (there, used) = owner[source], owner[target]
        if not here or not there or here == there:
            continue
        first_word = text.split(" ", 1)[0]
        yield Relation(word, here, user, there, used, path, line, first_word, resolved == "unique")


@dataclass(frozen=True, slots=True)
class _End:
    """A port at the end of a net: its direction, and where it is connected."""

    direction: str
    type: str
    port: int
    path: str
    line: int
    text: str


def _nets(graph: Graph, owner: list[tuple[str, str]]) -> Iterator[Relation]:
    """Yields a relation for each driver and sink in two files that a net of a parent joins."""
    kinds, names, details = (graph.nodes.column(c) for c in ("kind", "name", "detail"))
    ends: dict[int, list[_End]] = defaultdict(list)
    columns = ("kind", "source", "target", "path", "line", "text")
    for kind, source, target, path, line, text in zip(
        *map(graph.edges.column, columns), strict=True
    ):
        net, port = int(source), int(target)
        if kind == "CONNECTS" and kinds[net] == "signal" and kinds[port] == "port":
            direction, _, rest = details[port].partition(" ")
            ends[net].append(_End(direction, rest.strip(), port, path, line, text))
    for net, found in sorted(ends.items()):
        name = names[net].rpartition(".")[2]
        for driver, sink in _pairs(found):
            (here, user), (there, used) = owner[driver.port], owner[sink.port]
            if not here or not there or here == there:
                continue
            shape = f" ({driver.type})" if driver.type else ""
            text = f"{names[driver.port]} drives {names[sink.port]} by {name}{shape}"
            yield Relation(NET, here, user, there, used, driver.path, driver.line, text)


def _pairs(ends: list[_End]) -> list[tuple[_End, _End]]:
    """Returns the (driver, sink) pairs of a net; ends of unknown direction pair with each other."""
    drivers = [end for end in ends if end.direction == "output"]
    sinks = [end for end in ends if end.direction == "input"]
    loose = [end for end in ends if end.direction not in ("output", "input")]
    if len(drivers) * len(sinks) > ENDS:
        return []
    pairs = [
        (one, sink) for one in drivers for sink in sinks if not _other_bits(one.text, sink.text)
    ]
    if len(loose) <= LOOSE:
        pairs += combinations(loose, 2)
    return pairs


def _other_bits(one: str, other: str) -> bool:
    """Returns whether two actuals name different elements of a net, such as a[0] and a[1]."""
    first, second = _INDEX.search(one), _INDEX.search(other)
    return bool(first and second and first[1] != second[1])
