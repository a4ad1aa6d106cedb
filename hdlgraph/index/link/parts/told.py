"""What explanations and concepts add to the graph, segment by segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

from hdlgraph.index.concepts.kept import FileConcepts
from hdlgraph.index.explain.texts import Brief
from hdlgraph.index.kept.unchanged import Cut
from hdlgraph.index.link.concepts import link_concepts
from hdlgraph.index.link.names import EXTERNAL_CONFIDENCE, Names
from hdlgraph.index.link.nodes import FileEntry
from hdlgraph.index.link.parts import whole as parts
from hdlgraph.index.link.parts.builder import Builder
from hdlgraph.index.link.parts.declared import Declared, mark
from hdlgraph.index.link.parts.pack import (
    STUB,
    EdgePart,
    NodePart,
    Places,
    pack_edges,
    pack_nodes,
)
from hdlgraph.index.link.parts.standing import Standing
from hdlgraph.index.link.parts.whole import CONCEPTS, TOLD, Rest
from hdlgraph.model import EdgeKind, Explanation

IMPLEMENTS = EdgeKind.IMPLEMENTS.value
DESCRIBED_BY = EdgeKind.DESCRIBED_BY.value
CONCEPT_CONFIDENCE = 0.8
ABOUT = 1 << 40
"""The row of the first explanation, until all are in their segments."""


class Told(NamedTuple):
    """What is told of files in words: explanations by path, and concepts that a model drew."""

    explanations: Mapping[str, Explanation | Brief]
    concepts: Mapping[str, FileConcepts]


class Teller:
    """Adds what is told of files to a graph.

    Args:
        names: all that the files define; its builder has no nodes and edges.
        own: what each file declares.
        firsts: the first row of each, and the end of the last.
        stubs: the places of what nothing defines.
        said: explanations and concepts.
    """

    def __init__(
        self,
        names: Names,
        own: Sequence[Declared],
        firsts: Sequence[int],
        stubs: Sequence[str],
        said: Told,
    ) -> None:
        self._names, self._own, self._stubs, self._said = names, own, stubs, said
        known = {path: one for path, one in said.explanations.items() if path in names.by_path}
        self._paths = sorted(known)
        self._explanations = known
        self._concepts: dict[str, int] = {}
        self._places = Places([file.path for file in names.files], firsts, stubs)
        self._end = firsts[-1] + len(stubs)

    def rest(self) -> Rest:
        """Returns what belongs to no file."""
        origins: dict[str, str] = {}
        for path in self._paths:
            one = self._explanations[path]
            for name in one.concepts:
                origins.setdefault(name, one.model)
        self._concepts = {name: self._end + at for at, name in enumerate(origins)}
        packed = cache(partial(self._packed_rest, origins))
        if self._said.concepts:  # those of a model are told by what they add
            counts, place = (len(self._stubs), packed()[1].count), packed()[2].places
            return Rest(self._stubs, counts, (mark(packed()[:2]), mark(packed()[2])), place, packed)
        marks = (self._stubs, origins), ()
        return Rest(self._stubs, (len(self._stubs), len(origins)), marks, (), packed)

    def _packed_rest(self, origins: Mapping[str, str]) -> tuple[NodePart, NodePart, EdgePart]:
        builder = self._names.builder
        for place in self._stubs:
            kind, _, name = place[len(STUB) :].partition(STUB)
            node_kind = "file" if kind == "include" else kind
            builder.node(node_kind, "", name, confidence=EXTERNAL_CONFIDENCE)
        for name, origin in origins.items():
            builder.node("concept", "", name, origin=origin)
        if self._said.concepts:
            about = {path: ABOUT + at for at, path in enumerate(self._paths)}
            link_concepts(self._names, self._said.concepts, self._concepts, self._own, about)
        count = len(self._stubs)
        return (
            pack_nodes(builder.nodes[:count]),
            pack_nodes(builder.nodes[count:]),
            pack_edges(builder.take_edges(), self._place),
        )

    def _place(self, row: int) -> tuple[str, int]:
        """Returns the place of a row, and the row counted from there."""
        if row >= ABOUT:
            return TOLD + self._paths[row - ABOUT], 0
        return (CONCEPTS, row - self._end) if row >= self._end else self._places.of(row)

    def told(self, cuts: Sequence[Cut], standings: Sequence[Standing]) -> list[parts.Told]:
        """Returns what explanations add to each segment; `rest` comes first."""
        files, first, found = self._names.files, 0, []
        for cut, one in zip(cuts, standings, strict=True):
            those = [file for file in files[cut.begin : cut.end] if file.path in self._explanations]
            said = [self._told_of(file.path) for file in those]
            marks = [each[:3] for each in said], (said, one.units)
            paths = [file.path for file in those]
            found.append(parts.Told(paths, marks, partial(self._packed, those, ABOUT + first)))
            first += len(those)
        return found

    def _told_of(self, path: str) -> tuple[str, str, str, list[int]]:
        one = self._explanations[path]
        concepts = dict.fromkeys(map(self._concepts.__getitem__, one.concepts))
        return path, one.purpose, one.model, [row - self._end for row in concepts]

    def _packed(self, files: Sequence[FileEntry], first: int) -> tuple[NodePart, EdgePart]:
        builder = Builder(first)
        for file in files:
            one = self._explanations[file.path]
            rows = dict.fromkeys(map(self._concepts.__getitem__, one.concepts))
            _add(builder, file, one, list(rows))
        return pack_nodes(builder.nodes), pack_edges(builder.edges, self._place)


def _add(
    builder: Builder, file: FileEntry, one: Explanation | Brief, concepts: Sequence[int]
) -> None:
    """Adds the node of an explanation, and its edges."""
    path = file.path
    about = builder.node("explanation", path, path, 1, text=one.purpose, origin=one.model)
    builder.edge(DESCRIBED_BY, file.row, about, path, 1, origin=one.model)
    places = [(file.row, 1), *((entry.row, entry.unit.line) for entry in file.units)]
    for row in concepts:
        for source, line in places:
            builder.edge(
                IMPLEMENTS, source, row, path, line, "", CONCEPT_CONFIDENCE, "unique", one.model
            )
