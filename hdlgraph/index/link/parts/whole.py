"""All parts of a graph, by segments of neighbouring files, and the tables that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeVar

from hdlgraph.graph.segments import EDGE_GROUPS, references
from hdlgraph.index.kept.unchanged import Cut
from hdlgraph.index.link.parts.declared import Declared, mark
from hdlgraph.index.link.parts.join import joined_edges, joined_nodes
from hdlgraph.index.link.parts.pack import NOWHERE, EdgePart, NodePart
from hdlgraph.index.link.parts.standing import Part, Standing
from hdlgraph.store.tables import OF_PIECE, SHIFT, References, Table

P = TypeVar("P")

CONCEPTS = "\1"
"""The place of concepts; their rows are counted from the first."""
TOLD = "\2"
"""What the place of a file's explanation begins with; the path follows."""


class Made(NamedTuple):
    """The parts of a segment by group; each part of the nodes is a piece."""

    nodes: list[Sequence[NodePart]]
    edges: list[Sequence[EdgePart]]

    def groups(self) -> tuple[int, ...]:
        """Returns how many edges each group has."""
        return tuple(sum(part.count for part in group) for group in self.edges)


class Segment(NamedTuple):
    """A segment, of which the parts are made when they are asked for.

    `rows` are the nodes of each piece, `marks` stand for the nodes and for the edges, `places` are
    those that edges name, `face` stands for what its files declare.
    """

    rows: tuple[int, ...]
    marks: tuple[object, object]
    places: Sequence[str]
    face: bytes
    make: Callable[[], Made]


class Told(NamedTuple):
    """What explanations add to a segment: how many, marks of nodes and edges, and the parts."""

    paths: Sequence[str]
    marks: tuple[object, object]
    make: Callable[[], tuple[NodePart, EdgePart]]


class Rest(NamedTuple):
    """What belongs to no file: what nothing defines, concepts, and edges that concepts make.

    `stubs` are the places of the first, `counts` the numbers of both, `marks` stand for the nodes
    and the edges, `places` are those that edges name.
    """

    stubs: Sequence[str]
    counts: tuple[int, int]
    marks: tuple[object, object]
    places: Sequence[str]
    make: Callable[[], tuple[NodePart, NodePart, EdgePart]]


@dataclass
class Whole:
    """All parts of a graph.

    Args:
        paths: of the files.
        cuts: their segments.
        standings: what each of these adds.
        own: what each file declares.
        found: gives the includes and the other links of the files of a segment.
        added: what readers of other packages state, by segment.
        told: what explanations add, by segment.
        rest: what belongs to no file.
    """

    paths: Sequence[str]
    cuts: Sequence[Cut]
    standings: Sequence[Standing]
    own: Sequence[Declared]
    found: Callable[[int], tuple[list[Part], list[Part]]]
    added: Sequence[EdgePart]
    told: Sequence[Told]
    rest: Rest

    def segments(self) -> Iterator[Segment]:
        """Yields the segments, the last of which has what belongs to no file."""
        for at, (one, told) in enumerate(zip(self.standings, self.told, strict=True)):
            added = self.added[at]
            yield Segment(
                (*one.counts, len(told.paths)),
                ((one.marks[0], told.marks[0]), (one.marks[1], mark(added), told.marks[1])),
                [*one.places, *added.places],
                one.face,
                lambda at=at: self._made(at),  # type: ignore[misc]
            )
        rest = self.rest
        yield Segment(rest.counts, rest.marks, rest.places, b"", self._made_rest)

    def _made_rest(self) -> Made:
        stubs, concepts, edges = self.rest.make()
        if (stubs.count, concepts.count) != self.rest.counts:
            raise ValueError("names that nothing defines are not as they were noted")
        return Made([(stubs,), (concepts,)], [*((),) * (EDGE_GROUPS - 1), (edges,)])

    def _made(self, at: int) -> Made:
        cut = self.cuts[at]
        own, (includes, links) = self.own[cut.begin : cut.end], self.found(at)
        nodes, edges = self.told[at].make()
        return Made(
            [[one.nodes for one in own], (nodes,)],
            [
                [one.edges for one in own],
                [part.edges for part in includes],
                [part.edges for part in links],
                (self.added[at],),
                (edges,),
            ],
        )

    def codes(self) -> dict[str, int]:
        """Returns the reference to the first row of each place: see `References`."""
        found = {NOWHERE: 0}
        for at, cut in enumerate(self.cuts):
            for piece, path in enumerate(self.paths[cut.begin : cut.end]):
                found[path] = _code(at, piece)
            about = _code(at, cut.end - cut.begin)
            found |= {TOLD + path: about + n for n, path in enumerate(self.told[at].paths)}
        last = len(self.cuts)
        found |= {place: _code(last, 0) + at for at, place in enumerate(self.rest.stubs)}
        found[CONCEPTS] = _code(last, 1)
        return found


def _code(segment: int, piece: int) -> int:
    """Returns the reference to the first row of a piece."""
    return ((segment << OF_PIECE) + piece) << SHIFT


def pieces_of(segments: Sequence[Segment]) -> References:
    """Returns the pieces of all nodes."""
    return references([one.rows for one in segments])


def tables_of(whole: Whole) -> tuple[Table, Table]:
    """Returns the tables of all nodes and edges.

    Raises:
        ValueError, LookupError: a part is none that packing made.
    """
    segments = list(whole.segments())
    made = [one.make() for one in segments]
    nodes = joined_nodes(list(_by_group([one.nodes for one in made])))
    edges = list(_by_group([one.edges for one in made]))
    return nodes, joined_edges(edges, whole.codes(), pieces_of(segments))


def _by_group(found: Sequence[Sequence[Sequence[P]]]) -> Iterator[P]:
    """Yields the parts of segments, those of the first group first."""
    for groups in zip(*found, strict=True):
        for parts in groups:
            yield from parts


def of_segment(groups: Sequence[Sequence[P]]) -> list[P]:
    """Returns the parts of one segment, one behind the other."""
    return list(chain.from_iterable(groups))
