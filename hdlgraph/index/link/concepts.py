"""Adds the concepts that a language model found in explanations to the graph.

    element  -IMPLEMENTS, PARAMETERIZES, CONNECTS->  concept
    concept  -DESCRIBED_BY->  explanation
    concept  -CONNECTS->  concept

Their origin is "llm" and their confidence below 1. Without such concepts nothing here runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hdlgraph.index.concepts.kept import Concept, ConceptLink, FileConcepts, concept_name
from hdlgraph.index.link.names import Names
from hdlgraph.index.link.nodes import FileEntry
from hdlgraph.index.link.parts.builder import Builder
from hdlgraph.index.link.parts.declared import Declared
from hdlgraph.index.link.parts.pack import named_nodes
from hdlgraph.model import EdgeKind

ORIGIN = "llm"
ELEMENT_CONFIDENCE = 0.7  # said of a name that the file declares
FILE_CONFIDENCE = 0.6  # said of the file as a whole

Place = tuple[int, int]
"""Row of a node, and its line."""


def link_concepts(
    names: Names,
    concepts: Mapping[str, FileConcepts],
    written: Mapping[str, int],
    declared: Sequence[Declared],
    explained: Mapping[str, int],
) -> None:
    """Adds the concepts of all files that are in the graph.

    Args:
        names: the graph so far.
        concepts: concepts by path.
        written: rows of the concepts that explanations list; one of the same form is the same.
        declared: what each file declares, in the order of `names.files`.
        explained: rows of explanations by path.
    """
    builder = names.builder
    known = [item for path, item in sorted(concepts.items()) if path in names.by_path]
    paths = {item.path for item in known}
    elements = {
        file.path: _elements(file, one)
        for file, one in zip(names.files, declared, strict=True)
        if file.path in paths
    }
    rows: dict[str, int] = {}
    for name, row in written.items():
        rows.setdefault(concept_name(name), row)
    lines: dict[tuple[str, str], int] = {}
    for item in known:
        file = names.by_path[item.path]
        for one in item.concepts:
            if one.name not in rows:
                rows[one.name] = builder.node(
                    "concept", "", one.name, text=one.description,
                    confidence=FILE_CONFIDENCE, origin=ORIGIN,
                )  # fmt: skip
            found = elements[item.path].get(one.element)
            about = explained.get(item.path, file.row)
            lines[item.path, one.name] = _add(builder, file, one, (rows[one.name], about), found)
    _join(builder, ((item.path, link) for item in known for link in item.links), rows, lines)


def _add(
    builder: Builder, file: FileEntry, one: Concept, rows: tuple[int, int], found: Place | None
) -> int:
    """Adds the edges of one concept of a file; returns the line that states it.

    Args:
        builder: takes the edges.
        file: the file.
        one: the concept.
        rows: that of the concept, and that of the file's explanation, or of the file itself.
        found: where the file declares what the concept is about, if it does.
    """
    row, about = rows
    lead = [(entry.row, entry.unit.line) for entry in file.units[:1]]
    ends = [found] if found else [*lead, (file.row, 1)]
    sure = ELEMENT_CONFIDENCE if found else FILE_CONFIDENCE
    line = ends[0][1]
    kind = one.relation if found else EdgeKind.IMPLEMENTS.value
    pairs = [(source, row, at) for source, at in ends]
    if one.relation == EdgeKind.DESCRIBED_BY.value:
        kind = one.relation
        pairs = [(row, about, line)]
    for source, target, at in pairs:
        builder.edge(kind, source, target, file.path, at, one.description, sure, "unique", ORIGIN)
    return line


def _join(
    builder: Builder,
    links: Iterable[tuple[str, ConceptLink]],
    rows: Mapping[str, int],
    lines: Mapping[tuple[str, str], int],
) -> None:
    joined: set[tuple[int, int]] = set()
    for path, link in links:
        pair = rows.get(link.source, -1), rows.get(link.target, -1)
        if -1 in pair or pair[0] == pair[1] or pair in joined:
            continue
        joined.add(pair)
        line = lines.get((path, link.source), 1)
        builder.edge(
            EdgeKind.CONNECTS.value, *pair, path, line, link.description, FILE_CONFIDENCE,
            "unique", ORIGIN,
        )  # fmt: skip


def _elements(file: FileEntry, declared: Declared) -> dict[str, Place]:
    """Returns the places of the names that a file declares; of two, the first one written."""
    found: dict[str, Place] = {}
    for row, (kind, name, line) in enumerate(named_nodes(declared.nodes), file.row):
        if kind != "file":
            found.setdefault(name.rpartition(".")[2], (row, line))
    return found
