"""All parts of a graph, by segments of neighbouring files, and the tables that they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple, TypeVar

from hdlgraph.graph.segments import EDGE_GROUPS, references
from hdlgraph.index.link.parts.asked import stamp
from hdlgraph.index.link.parts.declared import Declared, mark
from hdlgraph.index.link.parts.join import joined_edges, joined_nodes
from hdlgraph.index.link.parts.linked import Part
from hdlgraph.index.link.parts.pack import NOWHERE, EdgePart, NodePart
from hdlgraph.store.tables import OF_PIECE, SHIFT, References, Table

P = TypeVar("P")

CONCEPTS = "\1"
"""The place of concepts; their rows are counted from the first."""
TOLD = "\2"
"""What the place of a file's explanation begins with; the path follows."""
NO_NODES = NodePart.none()
NO_EDGES = EdgePart()


class Counts(NamedTuple):
    """How many rows a segment has: nodes of each piece, edges of each group."""

    nodes: tuple[int, ...]
    edges: tuple[int, ...]


@dataclass
class Segment:
    """Parts by group, and marks that stand for them: of nodes and edges, of what is declared.

    Each part of the nodes is a piece.
    """

    nodes: list[Sequence[NodePart]]
    edges: list[Sequence[EdgePart]]
    marks: tuple[bytes, bytes]
    face: bytes = b""

    def counts(self) -> Counts:
        """Returns how many rows there are."""
        nodes = (part.count for group in self.nodes for part in group)
        edges = (sum(part.count for part in group) for group in self.edges)
        return Counts(tuple(nodes), tuple(edges))


class Explained(NamedTuple):
    """What explanations add to a segment, and marks that stand for its nodes and its edges."""

    nodes: NodePart = NO_NODES
    edges: EdgePart = NO_EDGES
    marks: tuple[bytes, bytes] = (b"", b"")


class Rest(NamedTuple):
    """What belongs to no file: what nothing defines, concepts, and edges that concepts make."""

    places: Sequence[str]
    """Of what nothing defines."""
    stubs: NodePart
    concepts: NodePart
    edges: EdgePart


@dataclass
class Whole:
    """All parts of a graph.

    Args:
        paths: of the files.
        ends: behind which of them each segment ends.
        own: what each file declares.
        found: the includes of all files, then all other edges of each.
        added: what readers of other packages state, by segment.
        explained: by segment; and the paths of the explained files.
        rest: what belongs to no file.
    """

    paths: Sequence[str]
    ends: Sequence[int]
    own: list[Declared]
    found: list[Part]
    added: Sequence[EdgePart]
    explained: Sequence[Explained]
    told: Sequence[str]
    rest: Rest

    def segments(self) -> list[Segment]:
        """Returns the segments, the last of which has what belongs to no file."""
        found = [self._segment(at, *pair) for at, pair in enumerate(pairwise((0, *self.ends)))]
        rest = self.rest
        nodes: list[Sequence[NodePart]] = [(rest.stubs,), (rest.concepts,)]
        edges: list[Sequence[EdgePart]] = [*((),) * (EDGE_GROUPS - 1), (rest.edges,)]
        return [*found, Segment(nodes, edges, (mark(nodes), mark(rest.edges)))]

    def _segment(self, at: int, begin: int, end: int) -> Segment:
        own, told, added = self.own[begin:end], self.explained[at], self.added[at]
        count = len(self.paths)
        includes, links = self.found[begin:end], self.found[count + begin : count + end]
        marks = (
            stamp(*(one.marks[0] for one in own), told.marks[0]),
            stamp(
                *(one.marks[1] for one in own),
                *(one.mark for one in chain(includes, links)),
                mark(added),
                told.marks[1],
            ),
        )
        nodes: list[Sequence[NodePart]] = [[one.nodes for one in own], (told.nodes,)]
        edges: list[Sequence[EdgePart]] = [
            [one.edges for one in own],
            [part.edges for part in includes],
            [part.edges for part in links],
            (added,),
            (told.edges,),
        ]
        return Segment(nodes, edges, marks, stamp(*(one.face for one in own)))

    def codes(self) -> dict[str, int]:
        """Returns the reference to the first row of each place: see `References`."""
        found = {NOWHERE: 0}
        explained = set(self.told)
        for at, (begin, end) in enumerate(pairwise((0, *self.ends))):
            about = _code(at, end - begin)
            for piece, path in enumerate(self.paths[begin:end]):
                found[path] = _code(at, piece)
                if path in explained:
                    found[TOLD + path] = about
                    about += 1
        last = len(self.ends)
        found |= {place: _code(last, 0) + at for at, place in enumerate(self.rest.places)}
        found[CONCEPTS] = _code(last, 1)
        return found


def _code(segment: int, piece: int) -> int:
    """Returns the reference to the first row of a piece."""
    return ((segment << OF_PIECE) + piece) << SHIFT


def pieces_of(counts: Sequence[Counts]) -> References:
    """Returns the pieces of all nodes."""
    return references([one.nodes for one in counts])


def tables_of(whole: Whole) -> tuple[Table, Table]:
    """Returns the tables of all nodes and edges.

    Raises:
        ValueError, LookupError: a part is none that packing made.
    """
    segments, codes = whole.segments(), whole.codes()
    pieces = pieces_of([one.counts() for one in segments])
    nodes = joined_nodes(list(_by_group([one.nodes for one in segments])))
    edges = joined_edges(list(_by_group([one.edges for one in segments])), codes, pieces)
    return nodes, edges


def _by_group(found: Sequence[Sequence[Sequence[P]]]) -> Iterator[P]:
    """Yields the parts of segments, those of the first group first."""
    for groups in zip(*found, strict=True):
        for parts in groups:
            yield from parts


def of_segment(groups: Sequence[Sequence[P]]) -> list[P]:
    """Returns the parts of one segment, one behind the other."""
    return list(chain.from_iterable(groups))


def places_of(groups: Iterable[Sequence[EdgePart]], codes: Mapping[str, int]) -> list[int]:
    """Returns the codes of all places that the edges of a segment name, in their order."""
    return [codes[place] for parts in groups for part in parts for place in part.places]
