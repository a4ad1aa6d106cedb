"""Makes one graph of the facts of all files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from hdlgraph.graph.graph import UNRESOLVED_COLUMNS, Graph
from hdlgraph.index.concepts.kept import FileConcepts
from hdlgraph.index.filesets.fileset import Fileset
from hdlgraph.index.link import instances, references
from hdlgraph.index.link.added import link_added
from hdlgraph.index.link.binds import link_binds
from hdlgraph.index.link.candidates import MOST
from hdlgraph.index.link.concepts import link_concepts
from hdlgraph.index.link.names import Names
from hdlgraph.index.link.nodes import Builder, FileEntry, add_file
from hdlgraph.model import EdgeKind, Explanation, FileRecord
from hdlgraph.store.tables import Table

IMPLEMENTS = EdgeKind.IMPLEMENTS.value
DESCRIBED_BY = EdgeKind.DESCRIBED_BY.value
CONCEPT_CONFIDENCE = 0.8


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
    builder = Builder()
    files = [add_file(builder, record) for record in sorted(records, key=lambda r: r.path)]
    names = Names(builder, files, filesets)
    references.link_includes(names, tuple(incdirs))
    macros: dict[str, list[FileEntry]] = {}
    for file in files:
        for name in file.macros:
            macros.setdefault(name, []).append(file)
    for file in files:
        references.link_imports(names, file)
        references.link_macros(names, macros, file)
        for entry in file.units:
            references.link_classes(names, file, entry)
            references.link_types(names, file, entry)
            instances.link_instances(names, file, entry)
        link_binds(names, file)
    failed = tuple(why for file in files if (why := link_added(names, file)))
    explanations, concepts = told()
    rows = _link_explanations(names, explanations)
    if concepts:
        link_concepts(names, concepts, rows)
    graph = Graph(Table(builder.nodes), Table(builder.edges), _unresolved(names))
    return Linked(graph, (*_left_out(names), *failed))


def _left_out(names: Names) -> tuple[str, ...]:
    notes = []
    if names.many:
        name, most = min(names.many.items(), key=lambda item: (-item[1], item[0]))
        notes.append(
            f"names with more than {MOST} definitions: {len(names.many)}, such as {name} with "
            f"{most}: each use is linked to the {MOST} nearest"
        )
    if names.star_limited:
        column = names.builder.nodes["id"]
        first = min(column[row] for row in names.star_limited)
        notes.append(
            f"{len(names.star_limited)} units have more connections by `.*` than are kept, such as "
            f"{first}"
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


def _unresolved(names: Names) -> Table:
    rows = sorted(
        (key.kind, key.name, key.path, line, key.user) for key, line in names.missing.items()
    )
    columns = zip(*rows, strict=True) if rows else ((),) * len(UNRESOLVED_COLUMNS)
    return Table(dict(zip(UNRESOLVED_COLUMNS, map(list, columns), strict=True)))
