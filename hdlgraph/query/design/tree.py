"""The instance hierarchy below a unit, with cycles cut and what is unknown marked."""

from __future__ import annotations

from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.model.kinds import relations
from hdlgraph.query.design.joined import bound_to
from hdlgraph.query.design.names import find, is_unit, place, witnessed

SCHEMA = 1
TOP_KINDS = frozenset({NodeKind.MODULE.value, NodeKind.PROGRAM.value})
MAX_NODES = 5000
MAX_DEPTH = 100


def tree(graph: Graph, top: str = "", depth: int = 3, limit: int = MAX_NODES) -> dict[str, Any]:
    """Returns the hierarchy: `{schema, top, tops, instances, truncated}`.

    Each entry of `tops` is a definition of `top`, or of every unit that nothing instantiates
    if `top` is ""; `children` are its instances in the order of the source. `condition` holds
    the generate and `ifdef conditions around an instance, `note` is "cycle", "external" (not
    in the repository), "bind" or "deeper" (children left out by `depth`). Where several units
    fit, the likeliest is followed and `candidates` lists all. Below `MAX_DEPTH` nothing is shown.

    Raises:
        UsageError: nothing is called `top`, or it is no unit.
    """
    from hdlgraph.errors import UsageError

    if top:
        kinds = graph.nodes.column("kind")
        found = find(graph, top)
        rows = [row for row in found if is_unit(kinds[row])]
        if not rows:
            raise UsageError(
                f"{top!r} is a {kinds[found[0]]}, not a module: try `hdlgraph show {top}`"
            )
    else:
        rows = tops(graph)
    walk = _Walk(graph, min(depth, MAX_DEPTH), limit)
    listed = [walk.unit(row) for row in rows]
    return {
        "schema": SCHEMA,
        "top": top,
        "tops": listed,
        "instances": walk.count,
        "truncated": walk.count >= limit,
    }


def tops(graph: Graph) -> list[int]:
    """Returns the rows of the modules and programs that nothing instantiates or binds."""
    nodes, edges = graph.nodes, graph.edges
    below = {kind.name for kind in relations() if kind.is_below}
    used = {
        target
        for kind, target in zip(edges.column("kind"), edges.column("target"), strict=True)
        if kind in below
    }
    kinds, paths = nodes.column("kind"), nodes.column("path")
    return [
        row
        for row in range(len(nodes))
        if kinds[row] in TOP_KINDS and paths[row] and row not in used
    ]


class _Walk:
    """One walk down: how deep, how many instances so far, and which units are open above."""

    def __init__(self, graph: Graph, depth: int, limit: int) -> None:
        self.graph, self.depth, self.limit = graph, depth, limit
        self.count = 0
        self.open: list[int] = []
        self._bound: dict[int, list[int]] = {}

    def unit(self, row: int) -> dict[str, Any]:
        entry = {**place(self.graph, row), "children": []}
        self._descend(entry, row)
        return entry

    def _descend(self, entry: dict[str, Any], row: int, instance: int = -1) -> None:
        """Adds the instances of the unit in `row` to an entry, within the limits."""
        below = self._instances(row, instance)
        if len(self.open) >= self.depth:
            if below:
                entry["note"] = "deeper"
            return
        self.open.append(row)
        for edge, instance in below:
            if self.count >= self.limit:
                break
            self.count += 1
            entry["children"].append(self._child(edge, instance))
        self.open.pop()

    def _only(self, bind: int) -> list[int]:
        """Returns the instances that a bind is for alone, [] where it is for all of its unit."""
        if bind not in self._bound:
            self._bound[bind] = bound_to(self.graph, bind)
        return self._bound[bind]

    def _instances(self, row: int, instance: int) -> list[tuple[int, int]]:
        """Returns (edge, instance row) pairs of a unit; of a bind the second is -1.

        Args:
            row: the unit.
            instance: as which instance it stands there, -1 at the top: then no bind is left out.
        """
        edges, nodes = self.graph.edges, self.graph.nodes
        kinds, targets, found = edges.column("kind"), edges.column("target"), []
        for edge in self.graph.out_edges(row).tolist():
            target = targets[edge]
            kind = nodes.column("kind")[target]
            if kinds[edge] == EdgeKind.DEFINES.value and kind == NodeKind.INSTANCE.value:
                found.append((edge, target))
            elif kinds[edge] == EdgeKind.BINDS.value and is_unit(kind):
                only = self._only(edges.column("instance")[edge])
                if instance < 0 or not only or instance in only:
                    found.append((edge, -1))
        return found

    def _child(self, edge: int, instance: int) -> dict[str, Any]:
        """Returns the entry of an instance with all below it; of a bind, whose `instance` is -1."""
        nodes, edges = self.graph.nodes, self.graph.edges
        targets = edges.column("target")
        if instance < 0:
            entry = {
                "name": edges.column("text")[edge],
                "path": edges.column("path")[edge],
                "line": edges.column("line")[edge],
                "location": f"{edges.column('path')[edge]}:{edges.column('line')[edge]}",
                "condition": "",
                "shape": "",
                "comment": "",
            }
            units = [edge]
        else:
            entry = place(self.graph, instance)
            entry["name"] = entry["name"].partition(".")[2]
            entry["condition"] = nodes.column("detail")[instance]
            entry["shape"] = nodes.column("shape")[instance]
            entry["comment"] = nodes.column("text")[instance]
            kinds = edges.column("kind")
            units = [
                one
                for one in self.graph.out_edges(instance).tolist()
                if kinds[one] == EdgeKind.INSTANTIATES.value
            ]
        entry |= witnessed(self.graph, edge)
        entry["children"] = []
        self._resolve(entry, [targets[one] for one in units], instance)
        if instance < 0:
            entry.setdefault("note", "bind")
        return entry

    def _resolve(self, entry: dict[str, Any], units: list[int], instance: int) -> None:
        """Sets the unit of an instance and walks on below it; `units` come likeliest first."""
        if not units:
            entry["unit"], entry["unit_id"], entry["note"] = "", "", "external"
            return
        first = place(self.graph, units[0])
        entry["unit"], entry["defined_at"] = first["name"], first["location"]
        entry["unit_id"] = first["id"]
        if len(units) > 1:
            entry["candidates"] = [
                at for at in (place(self.graph, unit)["location"] for unit in units) if at
            ]
        if not first["path"]:
            entry["note"] = "external"
        elif units[0] in self.open:
            entry["note"] = "cycle"
        else:
            self._descend(entry, units[0], instance)
