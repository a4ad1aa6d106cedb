"""Counts how the edges of a graph compare with what elaboration found."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from hdlgraph.graph.graph import Graph

Key = tuple[str, ...]


class Score(NamedTuple):
    """How many things both have, the elaboration has, and the graph has where both can know."""

    both: int = 0
    true: int = 0
    claimed: int = 0

    @property
    def recall(self) -> float:
        """Returns the share of the true ones that the graph has."""
        return self.both / self.true if self.true else 1.0

    @property
    def precision(self) -> float:
        """Returns the share of what the graph says that is true."""
        return self.both / self.claimed if self.claimed else 1.0

    def __add__(self, other: Any) -> Score:
        return Score(*(a + b for a, b in zip(self, other, strict=True)))


class Compared(NamedTuple):
    """The scores of a design, and examples of what differs (kind, "missed" or "wrong", key).

    `ports` are connections by instance and port, `connections` those with their direction too.
    """

    instances: Score
    ports: Score
    connections: Score
    overrides: Score
    definitions: Score
    contested: Score
    examples: tuple[tuple[str, str, Key], ...]


def empty() -> dict[str, dict[Any, Any]]:
    """Returns facts of nothing."""
    return {name: {} for name in ("instances", "sure", "connections", "overrides", "edges")}


def facts_of(graph: Graph, bodies: Collection[Key]) -> dict[str, dict[Any, Any]]:
    """Returns what the graph says of some units, given as (path, name).

    Instances map to the definitions (path, name) of each instance of that name, which may be one
    in every branch of a generate block, the likeliest first; connections and overrides to the
    paths of the definitions. `sure` are the instances that are there whatever the conditions;
    `edges` maps rows of edges to the connection or override that each states.
    """
    nodes, edges = graph.nodes, graph.edges
    kinds, sources, targets = (edges.column(name) for name in ("kind", "source", "target"))
    names, paths, of_kind = (nodes.column(name) for name in ("name", "path", "kind"))
    wanted = set(bodies)
    found = empty()
    key_of: dict[int, Key] = {}
    for edge, kind in enumerate(kinds):
        unit, instance = sources[edge], targets[edge]
        if kind == "DEFINES" and of_kind[instance] == "instance":
            where = (paths[unit], names[unit])
            if where in wanted:
                key = (*where, names[instance].rpartition(".")[2])
                key_of[instance] = key
                found["instances"].setdefault(key, {})[instance] = []
                if not nodes.column("detail")[instance]:
                    found["sure"][key] = True
    for edge, kind in enumerate(kinds):
        if kind == "INSTANTIATES" and sources[edge] in key_of:
            found["instances"][key_of[sources[edge]]][sources[edge]].append(
                (paths[targets[edge]], names[targets[edge]])
            )
        elif kind == "PARAMETERIZES" and sources[edge] in key_of:
            key = (*key_of[sources[edge]], names[targets[edge]].rpartition(".")[2])
            found["overrides"].setdefault(key, set()).add(paths[targets[edge]])
            found["edges"][edge] = key
        elif kind == "CONNECTS" and edges.column("instance")[edge] in key_of:
            instance = key_of[edges.column("instance")[edge]]
            way = edges.column("direction")[edge]
            key = (*instance, names[targets[edge]].rpartition(".")[2], way)
            found["connections"].setdefault(key, set()).add(paths[targets[edge]])
            found["edges"][edge] = key
    return found


def compare(
    facts: dict[str, dict[Any, Any]], truth: dict[str, Any], unseen: Collection[Key] = ()
) -> Compared:
    """Returns how facts compare with what `elaborate` returned.

    What they have beyond it counts as wrong only where elaboration could see it: not in
    branches of generate blocks and `ifdefs that were not taken.

    Args:
        facts: what `facts_of` tells of the units in `bodies` of the truth.
        truth: what `elaborate` returned.
        unseen: connections and overrides that stand only where an `ifdef is off.
    """
    left_out = {tuple(one) for one in truth["left_out"]}
    units = {tuple(one[:3]): tuple(one[3:]) for one in truth["instances"]}
    examples: list[tuple[str, str, Key]] = []

    def score(kind: str, true: Iterable[Key], mine: Iterable[Key]) -> Score:
        a, b = set(true), set(mine)
        examples.extend((kind, "missed", key) for key in sorted(a - b))
        examples.extend((kind, "wrong", key) for key in sorted(b - a))
        return Score(len(a & b), len(a), len(b))

    known = {key for key in units if facts["instances"].get(key) is not None}
    mine = {
        k for k in facts["instances"] if k in units or (k in facts["sure"] and k not in left_out)
    }
    lists = {key: [one for one in facts["instances"][key].values() if one] for key in known}
    chosen = {key: {one[0] for one in lists[key]} for key in known if lists[key]}
    contested = {key for key in chosen if any(len(one) > 1 for one in lists[key])}
    right = {key for key in chosen if units[key] in chosen[key]}
    wrong = sorted(set(chosen) - right)
    examples += [("definition", "wrong", (*k, *sorted(chosen[k])[0], *units[k])) for k in wrong]

    def true(name: str) -> list[Key]:
        return [tuple(one) for one in truth[name]]

    def inside(name: str) -> list[Key]:
        hidden = set(unseen).difference(true(name))
        own = ((k, paths) for k, paths in facts[name].items() if k not in hidden)
        return [k for k, paths in own if k[:3] in right and units[k[:3]][0] in paths]

    joined = {key[:4] for key in true("connections")}, {key[:4] for key in inside("connections")}
    return Compared(
        score("instance", units, mine),
        score("joined port", *joined),
        score("connection", true("connections"), inside("connections")),
        score("override", true("overrides"), inside("overrides")),
        Score(len(right), len(chosen), len(chosen)),
        Score(len(right & contested), len(contested), len(contested)),
        tuple(examples),
    )
