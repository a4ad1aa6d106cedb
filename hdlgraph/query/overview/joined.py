"""Which instances of a unit drive which others, and what clocks and resets them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind
from hdlgraph.query.design.between.siblings import EVERYWHERE

CONNECTS = EdgeKind.CONNECTS.value
MANY = 24
"""Readers of a net from which it joins too much to say anything of two parts."""
TIMING = 6
"""Clocks and resets that are told."""
_TIMING = re.compile(
    r"(?:^|_|\d)(?:[a-z]?cl(?:oc)?ks?|[a-z]?rsts?|[a-z]?resets?)(?:_?n?[io]?|_[a-z]?\d*|\d+)$", re.I
)


class Joined(NamedTuple):
    """The nets by which one instance drives another, and where the first is connected.

    `port` is what stands on the line of `place` (path, line).
    """

    source: str
    target: str
    nets: tuple[str, ...]
    port: str
    place: tuple[str, int]


class _Pin(NamedTuple):
    """A connection of an instance: rows of the edge, the net and the instance."""

    edge: int
    net: int
    instance: int
    drives: bool


def joined_parts(graph: Graph, instances: Sequence[int]) -> list[Joined]:
    """Returns which instances drive which others, those with most nets between them first."""
    drivers: dict[int, list[_Pin]] = defaultdict(list)
    readers: dict[int, list[_Pin]] = defaultdict(list)
    names = graph.nodes.column("name")
    for pin in _pins(graph, instances):
        name = _last(names[pin.net])
        if not (EVERYWHERE.search(name) or _TIMING.search(name)):
            (drivers if pin.drives else readers)[pin.net].append(pin)
    pairs: dict[tuple[int, int], dict[int, _Pin]] = defaultdict(dict)
    for net, driven in drivers.items():
        if len(readers[net]) > MANY:
            continue
        for one in driven:
            for other in readers[net]:
                if one.instance != other.instance:
                    pairs[one.instance, other.instance].setdefault(net, one)
    ranked = sorted(pairs.items(), key=lambda one: (-len(one[1]), one[0]))
    found = [_joined(graph, pair, nets) for pair, nets in ranked]
    # Instances of one name in several branches of a generate have the same connections.
    return list({(one.source, one.target, one.nets): one for one in reversed(found)}.values())[::-1]


def _joined(graph: Graph, pair: tuple[int, int], nets: dict[int, _Pin]) -> Joined:
    names, edges = graph.nodes.column("name"), graph.edges
    source, target = (_last(names[row]) for row in pair)
    edge = next(iter(nets.values())).edge
    port = _last(names[edges.column("target")[edge]])
    place = edges.column("path")[edge], int(edges.column("line")[edge])
    return Joined(source, target, tuple(_last(names[net]) for net in nets), port, place)


def timing_of(graph: Graph, instances: Sequence[int]) -> list[tuple[str, int, str, int]]:
    """Returns the clocks and resets: (net, instances that it goes into, path, line of the net).

    Those that reach most come first; a net that only one instance takes is no clock of the whole.
    """
    names = graph.nodes.column("name")
    reached: dict[int, set[int]] = defaultdict(set)
    for pin in _pins(graph, instances):
        if not pin.drives and _TIMING.search(_last(names[pin.net])):
            reached[pin.net].add(pin.instance)
    paths, lines = graph.nodes.column("path"), graph.nodes.column("line")
    least = 2 if len(instances) > 2 else 1
    found = [
        (_last(names[net]), len(own), paths[net], int(lines[net]))
        for net, own in reached.items()
        if len(own) >= least and paths[net]
    ]
    return sorted(found, key=lambda one: (-one[1], one[0]))[:TIMING]


def _pins(graph: Graph, instances: Sequence[int]) -> Iterator[_Pin]:
    """Yields the connections of instances to nets of the unit around them."""
    edges = graph.edges
    kinds, sources, directions = (edges.column(key) for key in ("kind", "source", "direction"))
    for row in instances:
        for edge in graph.made_edges(row).tolist():
            net = int(sources[edge])
            if kinds[edge] == CONNECTS and net != row and directions[edge] in ("driver", "load"):
                yield _Pin(edge, net, row, directions[edge] == "driver")


def _last(name: str) -> str:
    return name.rpartition(".")[2]
