"""Makes one graph of the facts of all files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from hdlgraph.graph.graph import UNRESOLVED_COLUMNS, Graph
from hdlgraph.index.concepts.kept import FileConcepts
from hdlgraph.index.derived import is_keeping, keeping_nothing, settle
from hdlgraph.index.filesets.fileset import Fileset
from hdlgraph.index.fork import trim
from hdlgraph.index.link.added import link_added
from hdlgraph.index.link.candidates import MOST
from hdlgraph.index.link.concepts import link_concepts
from hdlgraph.index.link.names import EXTERNAL_CONFIDENCE, Missing, Names
from hdlgraph.index.link.parts.declared import declared, entry_of
from hdlgraph.index.link.parts.join import joined_edges, joined_nodes
from hdlgraph.index.link.parts.linked import Linking, Part, missed
from hdlgraph.index.link.parts.pack import (
    NOWHERE,
    STUB,
    EdgePart,
    NodePart,
    pack_edges,
    pack_nodes,
)
from hdlgraph.model import EdgeKind, Explanation, FileRecord
from hdlgraph.store.tables import Table

IMPLEMENTS = EdgeKind.IMPLEMENTS.value
DESCRIBED_BY = EdgeKind.DESCRIBED_BY.value
CONCEPT_CONFIDENCE = 0.8
STRANGE = (ValueError, LookupError, TypeError, OverflowError)
"""What parts raise that came out of a cache and were never written by a run."""


class Linked(NamedTuple):
    """A graph, and notes for the user on what was left out of it."""

    graph: Graph
    notes: tuple[str, ...]


def link(
    records: Sequence[FileRecord],
    explanations: Mapping[str, Explanation] | None = None,
    *,
    incdirs: Sequence[str] = (),
    concepts: Mapping[str, FileConcepts] | None = None,
    filesets: Sequence[Fileset] = (),
) -> Graph:
    """Returns the graph of a repository; see `link_with_notes`."""
    told = Told(explanations or {}, concepts or {})
    return link_with_notes(records, lambda: told, incdirs=incdirs, filesets=filesets).graph


class Told(NamedTuple):
    """What is told of files in words: explanations by path, and concepts that a model drew."""

    explanations: Mapping[str, Explanation]
    concepts: Mapping[str, FileConcepts]


def link_with_notes(
    records: Sequence[FileRecord],
    told: Callable[[], Told] = lambda: Told({}, {}),
    *,
    incdirs: Sequence[str] = (),
    filesets: Sequence[Fileset] = (),
) -> Linked:
    """Returns the graph of a repository, and what was left out of it.

    Args:
        records: the facts of its files, one record a path, in any order.
        told: gives the explanations and concepts; those of unknown paths are passed over. It is
            called when all else is linked, so that they may be written meanwhile.
        incdirs: include folders relative to the root, searched after a file's own folder.
        filesets: which files belong together, as project files say.
    """
    awaited = cache(told)
    ordered = sorted(records, key=lambda record: record.path)
    try:
        return _linked(ordered, awaited, tuple(incdirs), filesets)
    except STRANGE:
        if not is_keeping():
            raise
    with keeping_nothing():  # a cache that came with a repository may hold anything
        return _linked(ordered, awaited, tuple(incdirs), filesets)


def _linked(
    ordered: Sequence[FileRecord],
    told: Callable[[], Told],
    incdirs: tuple[str, ...],
    filesets: Sequence[Fileset],
) -> Linked:
    own = [declared(record) for record in ordered]
    firsts = [0, *accumulate(one.nodes.count for one in own)]
    given = zip(firsts, ordered, own, strict=False)  # the last first is the end
    files = [entry_of(first, record, one) for first, record, one in given]
    names = Names(files, [one.aliases for one in own], firsts[-1], filesets)
    linking = Linking(names, own, firsts, filesets, incdirs)
    parts = linking.parts()
    settle()
    trim()
    names.begin()
    failed = tuple(why for file in files if (why := link_added(names, file)))
    names.clear()
    trim()
    rows = dict(zip((file.path for file in files), firsts, strict=False)) | _add_stubs(names, parts)
    explanations, concepts = told()
    written = _link_explanations(names, explanations)
    if concepts:
        link_concepts(names, concepts, written, own)
    notes = (*_left_out(parts), *failed)
    missing = _unresolved(missed(parts))
    nodes = [*(one.nodes for one in own), pack_nodes(names.builder.nodes)]
    rest = pack_edges(names.builder.take_edges(), lambda row: (NOWHERE, row))
    edges = [*(one.edges for one in own), *(part.edges for part in parts), rest]
    linking.clear()  # all of them hold what is joined next
    own.clear()
    parts.clear()
    return Linked(Graph(*_joined(nodes, edges, rows), missing), notes)


def _add_stubs(names: Names, parts: Sequence[Part]) -> dict[str, int]:
    """Adds the nodes of all that is defined elsewhere; returns their rows by place."""
    rows: dict[str, int] = {}
    for place in (place for part in parts for place in part.stubs):
        if place not in rows:
            kind, _, name = place[len(STUB) :].partition(STUB)
            node_kind = "file" if kind == "include" else kind
            rows[place] = names.builder.node(node_kind, "", name, confidence=EXTERNAL_CONFIDENCE)
    return rows


def _joined(
    nodes: list[NodePart], edges: list[EdgePart], rows: Mapping[str, int]
) -> tuple[Table, Table]:
    """Returns the tables of all nodes and edges; the lists, as large as these, are emptied."""
    table = joined_nodes(nodes)
    nodes.clear()
    trim()
    joined = joined_edges(edges, {**rows, NOWHERE: 0}, len(table))
    edges.clear()
    trim()
    return table, joined


def _left_out(parts: Sequence[Part]) -> tuple[str, ...]:
    notes = []
    many: dict[str, int] = {}
    for part in parts:
        for name, count in part.many.items():
            many[name] = max(count, many.get(name, 0))
    if many:
        name, most = min(many.items(), key=lambda item: (-item[1], item[0]))
        notes.append(
            f"names with more than {MOST} definitions: {len(many)}, such as {name} with "
            f"{most}: each use is linked to the {MOST} nearest"
        )
    limited = {one for part in parts for one in part.limited}
    if limited:
        notes.append(
            f"{len(limited)} units have more connections by `.*` than are kept, such as "
            f"{min(limited)}"
        )
    return tuple(notes)


def _link_explanations(names: Names, explanations: Mapping[str, Explanation]) -> dict[str, int]:
    """Adds the nodes and edges of explanations; returns the rows of their concepts by name."""
    builder = names.builder
    concepts: dict[str, int] = {}
    for path, one in sorted(explanations.items()):
        file = names.by_path.get(path)
        if file is None:
            continue
        about = builder.node("explanation", path, path, 1, text=one.purpose, origin=one.model)
        builder.edge(DESCRIBED_BY, file.row, about, path, 1, origin=one.model)
        for concept in dict.fromkeys(one.concepts):
            row = concepts.get(concept)
            if row is None:
                row = concepts[concept] = builder.node("concept", "", concept, origin=one.model)
            for source, line in [(file.row, 1), *((u.row, u.unit.line) for u in file.units)]:
                builder.edge(
                    IMPLEMENTS, source, row, path, line, "", CONCEPT_CONFIDENCE, "unique",
                    one.model,
                )  # fmt: skip
    return concepts


def _unresolved(missing: Mapping[Missing, int]) -> Table:
    rows = sorted((key.kind, key.name, key.path, line, key.user) for key, line in missing.items())
    columns = zip(*rows, strict=True) if rows else ((),) * len(UNRESOLVED_COLUMNS)
    return Table(dict(zip(UNRESOLVED_COLUMNS, map(list, columns), strict=True)))
