"""The typed multigraph of a repository: nodes, edges, what is missing, and walks over them.

On disk it is four parquet files. `nodes.parquet` and `edges.parquet` have the fields of
`model.Node` and `model.Edge` as columns, except that an edge's `source`, `target` and `instance`
are row numbers of the nodes, the last -1 where there is none; `unresolved.parquet` has those of
`model.Unresolved`; `file_edges.parquet` is the digest that search walks (see
`hdlgraph.graph.file_edges`). Of a large repository nodes, edges and the digest stand in segments
instead (see `hdlgraph.graph.segments`), which read as the same tables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hdlgraph.errors import IndexVersionError
from hdlgraph.graph import file_edges, segments
from hdlgraph.graph.rows import Rows
from hdlgraph.graph.segments import ENDS
from hdlgraph.model import Edge, Node, Unresolved
from hdlgraph.store import tables
from hdlgraph.store.tables import Table

if TYPE_CHECKING:
    import networkx as nx
    import numpy as np

    from hdlgraph.store.tables.hashed import Hashed

NODE_COLUMNS = Node.__struct_fields__
EDGE_COLUMNS = Edge.__struct_fields__
UNRESOLVED_COLUMNS = Unresolved.__struct_fields__
INSTANCE = EDGE_COLUMNS.index("instance")
NODE_FIELDS: dict[str, str] = dict(Node.__annotations__)
EDGE_FIELDS: dict[str, str] = {**Edge.__annotations__, **dict.fromkeys(ENDS, "int")}
"""Types of the columns: "str", "int" or "float"."""
FEW = (
    *("kind", "path", "origin", "condition", "shape"),
    *("resolved", "witnesses", "trust", "direction", "reason"),
)
"""Columns of few different texts."""


class Reached(NamedTuple):
    """A node found by `Graph.neighbours`: `edge` is the row of the edge that led to it."""

    id: str
    hops: int
    edge: int


class Graph:
    """A typed multigraph; `nodes`, `edges` and `unresolved` read as sequences of records."""

    def __init__(self, nodes: Table, edges: Table, unresolved: Table) -> None:
        self.nodes: Rows[Node] = Rows(nodes, lambda row: Node(*row))
        self.edges: Rows[Edge] = Rows(edges, self._edge)
        self.unresolved: Rows[Unresolved] = Rows(unresolved, lambda row: Unresolved(*row))
        self._row_of: Hashed | None = None
        self._out: tuple[np.ndarray, np.ndarray] | None = None
        self._into: tuple[np.ndarray, np.ndarray] | None = None
        self._made: tuple[np.ndarray, np.ndarray] | None = None
        self._endings: tuple[np.ndarray, np.ndarray] | None = None

    @classmethod
    def of(
        cls, nodes: Iterable[Node], edges: Iterable[Edge], unresolved: Iterable[Unresolved] = ()
    ) -> Graph:
        """Returns a graph of records."""

        def columns(records: Iterable[Any], names: tuple[str, ...]) -> dict[str, list[Any]]:
            found = list(records)
            return {name: [getattr(one, name) for one in found] for name in names}

        of_nodes, of_edges = columns(nodes, NODE_COLUMNS), columns(edges, EDGE_COLUMNS)
        rows = {name: row for row, name in enumerate(of_nodes["id"])}
        rows[""] = rows.get("", -1)
        for end in ENDS:
            of_edges[end] = [rows[name] for name in of_edges[end]]
        missing = columns(unresolved, UNRESOLVED_COLUMNS)
        return cls(Table(of_nodes), Table(of_edges), Table(missing))

    def _edge(self, row: tuple[Any, ...]) -> Edge:
        ids = self.nodes.column("id")
        made = ids[row[INSTANCE]] if row[INSTANCE] >= 0 else ""
        values: tuple[Any, ...] = (*row[2:INSTANCE], made, *row[INSTANCE + 1 :])
        return Edge(ids[row[0]], ids[row[1]], *values)

    def row(self, node_id: str) -> int:
        """Returns the row of a node, -1 if there is none of that id."""
        if self._row_of is None:
            from hdlgraph.store.tables.hashed import Hashed

            data, bounds = self.nodes.table.packed("id")
            self._row_of = Hashed(data, bounds[:-1], bounds[1:])
        rows = self._row_of.find(node_id.encode(errors="surrogateescape"))
        return rows[-1] if rows else -1

    def ending(self, name: str) -> list[int]:
        """Returns the rows of nodes whose name may end with another one, by row.

        They share what stands behind the last `.` or `/`; few others may be among them.
        """
        import numpy as np

        if self._endings is None:
            hashes = [hash(last_part(one)) for one in self.nodes.column("name")]
            codes = np.fromiter(hashes, np.int64, len(hashes))
            order = np.argsort(codes, kind="stable")
            self._endings = order, codes[order]
        order, codes = self._endings
        wanted = np.int64(hash(last_part(name)))
        start, end = (int(np.searchsorted(codes, wanted, side)) for side in ("left", "right"))
        return [int(row) for row in order[start:end]]

    def out_edges(self, row: int) -> np.ndarray:
        """Returns the rows of the edges that leave a node, in the order of the edge table."""
        if self._out is None:
            self._out = self._adjacency("source")
        order, start = self._out
        return order[start[row] : start[row + 1]]

    def in_edges(self, row: int) -> np.ndarray:
        """Returns the rows of the edges that arrive at a node, in the order of the edge table."""
        if self._into is None:
            self._into = self._adjacency("target")
        order, start = self._into
        return order[start[row] : start[row + 1]]

    def edges_from(self, rows: np.ndarray) -> np.ndarray:
        """Returns the rows of the edges that leave some nodes, node by node."""
        if self._out is None:
            self._out = self._adjacency("source")
        return _gathered(*self._out, rows)

    def edges_into(self, rows: np.ndarray) -> np.ndarray:
        """Returns the rows of the edges that arrive at some nodes, node by node."""
        if self._into is None:
            self._into = self._adjacency("target")
        return _gathered(*self._into, rows)

    def made_edges(self, row: int) -> np.ndarray:
        """Returns the rows of the edges that belong to an instance, in the order of the table."""
        if self._made is None:
            self._made = self._adjacency("instance")
        order, start = self._made
        return order[start[row] : start[row + 1]]

    def _adjacency(self, end: str) -> tuple[np.ndarray, np.ndarray]:
        return tables.grouped(self.edges.array(end), len(self.nodes))

    def neighbours(
        self,
        ids: Iterable[str],
        hops: int = 1,
        kinds: Collection[str] | None = None,
        limit: int | None = None,
    ) -> list[Reached]:
        """Returns the nodes within `hops` edges of `ids`, whatever the direction.

        Args:
            ids: where to start; unknown ids are passed over, and the known ones are not returned.
            hops: the greatest distance in edges.
            kinds: edge kinds to follow; all if None.
            limit: the greatest number of nodes; the nearest stay.

        Returns:
            Breadth first; within a hop in the order of the starting nodes and the edge table.
        """
        source, target = self.edges.array("source"), self.edges.array("target")
        names, of_kind = self.nodes.column("id"), self.edges.column("kind")
        wanted = None if kinds is None else {str(kind) for kind in kinds}
        front = [row for row in map(self.row, dict.fromkeys(ids)) if row >= 0]
        seen = set(front)
        found: list[Reached] = []
        for hop in range(1, hops + 1):
            reached = []
            for row in front:
                for edges, far in ((self.out_edges(row), target), (self.in_edges(row), source)):
                    for edge in edges.tolist():
                        if wanted is not None and of_kind[edge] not in wanted:
                            continue
                        other = int(far[edge])
                        if other in seen:
                            continue
                        if limit is not None and len(found) >= limit:
                            return found
                        seen.add(other)
                        reached.append(other)
                        found.append(Reached(names[other], hop, edge))
            front = reached
        return found

    def to_networkx(self) -> nx.MultiDiGraph:
        """Returns the graph with the fields of the records as attributes; edge keys are rows."""
        import networkx as nx

        graph = nx.MultiDiGraph()
        columns = [self.nodes.column(name) for name in NODE_COLUMNS]
        for node_id, *rest in zip(*columns, strict=True):
            graph.add_node(node_id, **dict(zip(NODE_COLUMNS[1:], rest, strict=True)))
        for row, edge in enumerate(self.edges):
            fields = {name: getattr(edge, name) for name in EDGE_COLUMNS[2:]}
            graph.add_edge(edge.source, edge.target, key=row, **fields)
        return graph

    def save(self, folder: Path) -> None:
        """Writes the four parquet files; the same graph gives the same bytes."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows, short in (
            ("nodes", self.nodes, ("line", "end_line")),
            ("edges", self.edges, (*ENDS, "line")),
            ("unresolved", self.unresolved, ("line",)),
        ):  # each takes much memory until it is written
            tables.write(folder / f"{name}.parquet", rows.table.to_arrow(FEW, short))
        tables.write(folder / file_edges.NAME, file_edges.digest(self.nodes, self.edges))

    @classmethod
    def load(cls, folder: Path) -> Graph:
        """Returns the graph of a generation; columns are read when used.

        Raises:
            IndexVersionError: a table is missing, damaged or of another schema; or a column is
                damaged, when that is used.
        """
        missing = tables.StoredTable(folder / "unresolved.parquet", Unresolved.__annotations__)
        nodes = read_nodes(folder)
        listed = segments.read_list(folder)
        edges: tables.StoredTable | tables.JoinedTable
        if listed is None:
            edges = tables.StoredTable(folder / "edges.parquet", EDGE_FIELDS)
        else:
            edges = segments.whole_edges(listed, folder.joinpath, EDGE_FIELDS)
        graph = cls(nodes, Table({}, edges), Table({}, missing))
        for end in ENDS:
            rows, least = graph.edges.array(end), -1 if end == "instance" else 0
            if len(rows) and not least <= rows.min() <= rows.max() < len(graph.nodes):
                raise IndexVersionError(
                    f"{folder / 'edges.parquet'}: the {end} of an edge is no node: "
                    "run `hdlgraph index` again"
                )
        return graph


def read_nodes(folder: Path) -> Table:
    """Returns the nodes of a generation; columns are read when used.

    Raises:
        IndexVersionError: a table is missing, damaged or of another schema.
    """
    rows = segments.read_list(folder)
    if rows is None:
        return Table({}, tables.StoredTable(folder / "nodes.parquet", NODE_FIELDS))
    return Table({}, segments.whole_nodes(rows, folder.joinpath, NODE_FIELDS))


def _gathered(order: np.ndarray, start: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Returns the pieces of `order` that belong to some rows, one after the other."""
    import numpy as np

    first, counts = start[rows], start[rows + 1] - start[rows]
    before = np.cumsum(counts) - counts
    return order[np.repeat(first - before, counts) + np.arange(counts.sum())]


def last_part(name: str) -> str:
    """Returns what stands behind the last `.` or `/` of a name."""
    return name[max(name.rfind("."), name.rfind("/")) + 1 :]
