"""Writes the tables of the graph: whole, or of a large repository in segments."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

from hdlgraph.errors import IndexVersionError
from hdlgraph.graph import file_edges, segment_edges
from hdlgraph.graph import segments as stored
from hdlgraph.graph.graph import FEW, Graph
from hdlgraph.graph.segments import SegmentRow, edges_file, nodes_file
from hdlgraph.index.fork import trim
from hdlgraph.index.kept.unchanged import Former, same_file
from hdlgraph.index.link.link import Found
from hdlgraph.index.link.parts.declared import mark
from hdlgraph.index.link.parts.join import joined_edges, joined_nodes
from hdlgraph.index.link.parts.whole import Segment, of_segment, pieces_of, tables_of
from hdlgraph.index.request import program_digest
from hdlgraph.store import tables
from hdlgraph.store.tables import References

UNRESOLVED = "unresolved.parquet"


class Written(NamedTuple):
    """How many rows were written, and which files of the former generation are still right."""

    nodes: int
    edges: int
    unresolved: int
    taken: tuple[str, ...] = ()


def write(found: Found, folder: Path, former: Former | None) -> Written:
    """Writes the tables of a graph into the folder of a generation; returns what they hold.

    Where they stand in segments, those that the former generation has are not written.

    Raises:
        ValueError, LookupError: a part is none that packing made.
    """
    if len(found.whole.cuts) == 1:
        graph = Graph(*tables_of(found.whole), found.table())
        graph.save(folder)
        return Written(len(graph.nodes), len(graph.edges), len(graph.unresolved))
    return _Writer(found, folder, former).write()


@dataclass
class _Writer:
    found: Found
    folder: Path
    former: Former | None
    taken: list[str] = field(default_factory=list)

    def write(self) -> Written:
        codes, former = self.found.whole.codes(), self._former_rows()
        segments = list(self.found.whole.segments())
        pieces = pieces_of(segments)
        (self.folder / stored.FOLDER).mkdir(exist_ok=True)
        rows = [self._segment(one, codes, pieces, former) for one in segments]
        del segments, codes
        trim()
        stored.write_list(self.folder, rows)
        self._missing()
        self._between(rows)
        nodes, edges = sum(sum(row.rows) for row in rows), sum(sum(row.groups) for row in rows)
        return Written(nodes, edges, sum(map(len, self.found.missing)), tuple(self.taken))

    def _former_rows(self) -> Sequence[SegmentRow]:
        """Returns the segments of the former generation."""
        if self.former is None:
            return ()
        with suppress(IndexVersionError):  # else all is made anew
            return stored.read_list(self.former.folder) or ()
        return ()

    def _segment(
        self,
        segment: Segment,
        codes: Mapping[str, int],
        pieces: References,
        former: Sequence[SegmentRow],
    ) -> SegmentRow:
        """Writes the tables of a segment, or takes them over."""
        places = [codes[place] for place in segment.places]
        nodes, edges = _key(segment.marks[0]), _key((segment.marks[1], places))
        row = SegmentRow(nodes, edges, segment.face.hex(), segment.rows, ())
        known, made = next((one for one in former if one.edges == edges), None), None
        if known and self._takes(edges_file(row)):
            row = known._replace(nodes=nodes, face=row.face, rows=row.rows)
        else:
            made = segment.make()
            table = joined_edges(of_segment(made.edges), codes, pieces, apart=True)
            tables.write(self.folder / edges_file(row), table.to_arrow())
            sources, targets = segment_edges.others(table)
            row = row._replace(groups=made.groups(), sources=sources, targets=targets)
        is_known = any((one.nodes, one.rows) == (nodes, row.rows) for one in former)
        if not is_known or not self._takes(nodes_file(row)):
            table = joined_nodes(of_segment((made or segment.make()).nodes))
            tables.write(self.folder / nodes_file(row), table.to_arrow())
        return row

    def _missing(self) -> None:
        """Writes what nothing defines, or takes it over."""

        def write() -> tuple[str, ...]:
            table = self.found.table().to_arrow(FEW, ("line",))
            tables.write(self.folder / UNRESOLVED, table)
            return ()

        key = mark(self.found.missing)
        if same_file(UNRESOLVED, self.folder, self.former, key, write)[1]:
            self.taken.append(UNRESOLVED)

    def _between(self, rows: Sequence[SegmentRow]) -> None:
        """Writes the edges between files, segment by segment."""
        (self.folder / file_edges.FOLDER).mkdir(exist_ok=True)
        keys = []
        for at in range(len(rows) - 1):
            keys.append(_key(segment_edges.depends_on(rows, at)))
            name = file_edges.file_of(keys[-1])
            if not self._takes(name):
                tables.write(self.folder / name, segment_edges.digest(rows, at, self._find))
        file_edges.write_list(self.folder, keys)

    def _takes(self, name: str) -> bool:
        """Returns whether the former generation has a file, which is then taken over."""
        if self.former is None or name not in self.former.sums:
            return False
        self.taken.append(name)
        return True

    def _find(self, name: str) -> Path:
        """Returns where a file is that was written or taken over."""
        own = self.folder / name
        return own if self.former is None or own.exists() else self.former.folder / name


def _key(value: object) -> str:
    """Returns what stands for all that a table depends on."""
    content = msgspec.msgpack.encode((program_digest(), value))
    return hashlib.blake2b(content, digest_size=8).hexdigest()
