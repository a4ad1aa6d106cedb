"""The graph as GraphRAG's entities and relationships: plain columns, without GraphRAG.

GraphRAG knows an entity by its title, upper-cased, and has one relationship for two titles.
Verilog is case-sensitive and repositories define names twice, so titles are made unique here
(`FIFO`, or `FIFO (RTL/FIFO.SV)` where there are several) and the real name has a column of its
own. Ports, signals and instances are no entities: their edges count for the unit around them.
"""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log2
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import Explanation
from hdlgraph.model import kinds as graph_kinds

NAMESPACE = uuid.UUID("5f0c3a52-6d0b-5d0c-9a0e-3f3f6f0b6c11")
MAX_TEXT = 600
MAX_PLACES = 3
MAX_UNITS = 20
"""Text units of one entity or relationship: a concept of half the design names no place."""

TextUnitsOf = Callable[[str, int], Sequence[str]]
"""Gives the ids of the text units that hold a line of a path."""


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity; `row` is its node's row, `lead` marks the first unit of a file."""

    row: int
    id: str
    title: str
    name: str
    kind: str
    path: str
    line: int
    description: str
    lead: bool


@dataclass(slots=True)
class _Relation:
    """The edges of one (source, target): their places by kind, and how many there are."""

    places: dict[str, list[tuple[str, str, int]]] = field(default_factory=dict)
    count: Counter[str] = field(default_factory=Counter)
    confidence: float = 0.0

    def add(self, kind: str, text: str, path: str, line: int, confidence: float) -> None:
        places = self.places.setdefault(kind, [])
        if len(places) < MAX_UNITS:
            places.append((text, path, line))
        self.count[kind] += 1
        self.confidence = max(self.confidence, confidence)


def stable_id(*parts: str) -> str:
    """Returns an id that depends on nothing but the parts."""
    return str(uuid.uuid5(NAMESPACE, "\0".join(parts)))


def entities_of(
    graph: Graph, explanations: Mapping[str, Explanation], kinds: Collection[str]
) -> list[Entity]:
    """Returns an entity for each node of the kinds, in the order of the nodes.

    Left out are nodes that no file of the repository holds, and concepts of a single file,
    which join nothing.
    """
    columns = [graph.nodes.column(c) for c in ("id", "kind", "name", "path", "line", "text")]
    wanted = set(kinds)
    shared = _shared_concepts(graph) if "concept" in wanted else set()
    rows = [
        (row, *values)
        for row, values in enumerate(zip(*columns, strict=True))
        if values[1] in wanted and (values[3] if values[1] != "concept" else row in shared)
    ]
    titles = _titles([(kind, name, path, line) for _, _, kind, name, path, line, _ in rows])
    users = _implementers(graph) if "concept" in wanted else {}
    leads: set[str] = set()
    found = []
    for (row, node_id, kind, name, path, line, text), title in zip(rows, titles, strict=True):
        lead = kind not in ("file", "concept") and path not in leads
        if lead:
            leads.add(path)
        about = explanations.get(path) if lead or kind == "file" else None
        purpose = about.purpose if about else " ".join(text.split())
        if kind == "concept":
            listed = ", ".join(users.get(row, ()))
            description = f"Concept {name}" + (f", implemented by {listed}" if listed else "")
            description += f". {purpose}" if purpose else ""
        elif kind == "file":
            description = f"File {path}. {purpose}"
        else:
            description = f"{graph_kinds.entity(kind).label} {name} ({path}:{line}). {purpose}"
        entity = (stable_id(node_id), title, name, kind, path, line, description[:MAX_TEXT], lead)
        found.append(Entity(row, *entity))
    return found


def _titles(rows: Sequence[tuple[str, str, str, int]]) -> list[str]:
    """Returns upper-case titles that are all different; the plainest form that is unique."""
    forms: list[Callable[[str, str, str, int], str]] = [
        lambda kind, name, path, line: name,
        lambda kind, name, path, line: f"{name} ({path or kind})",
        lambda kind, name, path, line: f"{name} ({kind} {path}:{line})",
    ]
    titles = [""] * len(rows)
    open_rows = list(range(len(rows)))
    taken: set[str] = set()
    for form in forms:
        made = {i: form(*rows[i]).upper() for i in open_rows}
        count = Counter(made.values())
        for i, title in made.items():
            if count[title] == 1 and title not in taken:
                titles[i] = title
        taken |= set(made.values())
        open_rows = [i for i in open_rows if not titles[i]]
    for number, i in enumerate(open_rows, 1):
        titles[i] = f"{forms[-1](*rows[i])} #{number}".upper()
    return titles


def _shared_concepts(graph: Graph) -> set[int]:
    """Returns the rows of concepts that several files realise."""
    first: dict[int, str] = {}
    shared = set()
    node_kinds = graph.nodes.column("kind")
    columns = (graph.edges.column(name) for name in ("kind", "source", "target", "path", "origin"))
    for kind, source, target, path, origin in zip(*columns, strict=True):
        if not _realises(kind, origin) or node_kinds[int(source)] == "concept":
            continue
        if first.setdefault(int(target), path) != path:
            shared.add(int(target))
    return shared


def _realises(kind: str, origin: str) -> bool:
    """Returns whether an edge leads to a concept: some kinds do where a model drew them."""
    return kind == "IMPLEMENTS" or (origin == "llm" and kind in ("CONNECTS", "PARAMETERIZES"))


def _implementers(graph: Graph) -> dict[int, list[str]]:
    """Returns the names of up to eight units for each concept's row."""
    kinds, source, target = (graph.edges.column(c) for c in ("kind", "source", "target"))
    names, node_kinds = graph.nodes.column("name"), graph.nodes.column("kind")
    found: dict[int, list[str]] = defaultdict(list)
    for kind, unit, concept in zip(kinds, _rows(source), _rows(target), strict=True):
        listed = found[concept] if kind == "IMPLEMENTS" else None
        if listed is not None and len(listed) < 8 and node_kinds[unit] != "file":  # noqa: SIM102
            if names[unit] not in listed:
                listed.append(names[unit])
    return found


def _rows(values: Iterable[Any]) -> list[int]:
    return [int(value) for value in values]


def owners(graph: Graph, entities: Sequence[Entity]) -> list[int]:
    """Returns for each node the index of the entity that stands for it, -1 for none."""
    count = len(graph.nodes)
    parent = [-1] * count
    kinds, source, target = (graph.edges.column(c) for c in ("kind", "source", "target"))
    parts = {kind.name for kind in graph_kinds.relations() if kind.is_part}
    for kind, holder, part in zip(kinds, _rows(source), _rows(target), strict=True):
        if kind in parts:
            parent[part] = holder
    owner = [-1] * count
    for index, entity in enumerate(entities):
        owner[entity.row] = index
    for row in range(count):
        trail, at = [], row
        while at >= 0 and owner[at] < 0 and at not in trail:
            trail.append(at)
            at = parent[at]
        if at >= 0 and owner[at] >= 0:
            for passed in trail:
                owner[passed] = owner[at]
    return owner


def entity_columns(
    graph: Graph, entities: Sequence[Entity], text_units_of: TextUnitsOf
) -> dict[str, list[Any]]:
    """Returns the columns of GraphRAG's entities and our own: name, path, line, kind."""
    owned: dict[int, list[str]] = defaultdict(list)
    index = {entity.row: i for i, entity in enumerate(entities)}
    names = ("kind", "target", "path", "line", "origin")
    for kind, target, path, line, origin in zip(*map(graph.edges.column, names), strict=True):
        i = index.get(int(target)) if _realises(kind, origin) else None
        if i is not None and len(owned[i]) < MAX_UNITS:
            owned[i] += [u for u in text_units_of(path, line) if u not in owned[i]]
    text_units = [
        owned[i][:MAX_UNITS] if e.kind == "concept" else list(text_units_of(e.path, e.line))
        for i, e in enumerate(entities)
    ]
    return {
        "id": [e.id for e in entities],
        "title": [e.title for e in entities],
        "type": [e.kind.upper() for e in entities],
        "description": [e.description for e in entities],
        "text_unit_ids": text_units,
        "frequency": [max(1, len(units)) for units in text_units],
        "name": [e.name for e in entities],
        "path": [e.path for e in entities],
        "line": [e.line for e in entities],
        "kind": [e.kind for e in entities],
    }


def relationship_columns(
    graph: Graph, entities: Sequence[Entity], text_units_of: TextUnitsOf
) -> dict[str, list[Any]]:
    """Returns one row for each pair of entities that an edge joins, with the kinds of all."""
    relations = _relations(graph, owners(graph, entities))
    columns: dict[str, list[Any]] = {
        name: []
        for name in (
            "id source target description weight text_unit_ids kinds path line confidence"
        ).split()
    }
    for (s, t), relation in sorted(relations.items()):
        source, target = entities[s], entities[t]
        kinds = sorted(relation.places)
        places = [place for kind in kinds for place in relation.places[kind]]
        units = dict.fromkeys(u for _, path, line in places for u in text_units_of(path, line))
        values = (
            stable_id(source.id, target.id),
            source.title,
            target.title,
            _describe(source, target, relation),
            round(1.0 + log2(sum(relation.count.values())), 3),
            list(units)[:MAX_UNITS],
            ",".join(kinds),
            places[0][1],
            places[0][2],
            relation.confidence,
        )
        for column, value in zip(columns.values(), values, strict=True):
            column.append(value)
    return columns


def _relations(graph: Graph, owner: Sequence[int]) -> dict[tuple[int, int], _Relation]:
    names = ("source", "target", "kind", "text", "path", "line", "confidence")
    found: dict[tuple[int, int], _Relation] = {}
    for s, t, kind, text, path, line, sure in zip(*map(graph.edges.column, names), strict=True):
        pair = (owner[int(s)], owner[int(t)])
        if -1 in pair or pair[0] == pair[1] or kind == "DESCRIBED_BY":
            continue
        found.setdefault(pair, _Relation()).add(kind, text, path, line, sure)
    return found


def _describe(source: Entity, target: Entity, relation: _Relation) -> str:
    parts = []
    for kind in sorted(relation.places):
        listed = [
            f"{' '.join(text.split())[:80]} ({path}:{line})".strip()
            for text, path, line in relation.places[kind][:MAX_PLACES]
        ]
        more = relation.count[kind] - len(listed)
        rest = f" and {more} more" if more > 0 else ""
        words = graph_kinds.relation(kind).forward
        parts.append(f"[{kind}] {source.name} {words} {target.name}: {', '.join(listed)}{rest}")
    return "; ".join(parts)[:MAX_TEXT]
