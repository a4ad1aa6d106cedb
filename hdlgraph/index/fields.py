"""The bag-of-words fields beside the whole text: what each says of a file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from hdlgraph.model import Explanation, FileRecord, Unit
from hdlgraph.words import terms

FIELDS = ("declared", "incoming", "explanation")


def field_texts(
    name: str, records: Sequence[FileRecord], explanations: Mapping[str, Explanation]
) -> list[list[str]]:
    """Returns the terms of one field for each record, in the order of `records`."""
    if name == "declared":
        return [terms(" ".join(declared_names(r))) for r in records]
    if name == "incoming":
        incoming = incoming_words(records)
        return [terms(" ".join(incoming.get(r.path, ()))) for r in records]
    return [_explanation_terms(explanations.get(r.path)) for r in records]


def _explanation_terms(explanation: Explanation | None) -> list[str]:
    return terms(explanation.to_text()) if explanation else []


def declared_names(record: FileRecord) -> list[str]:
    """Returns the names a file declares: units, ports, parameters, types, routines, states."""
    names: list[str] = [record.path.rsplit("/", 1)[-1].split(".")[0]]
    for unit in record.units:
        names.append(unit.name)
        names += [p.name for p in unit.ports]
        names += [p.name for p in unit.parameters]
        names += [r.name for r in unit.routines]
        names += [a.name for a in unit.assertions]
        for kind in unit.types:
            names += [kind.name, *kind.members]
        names += [m.name for m in unit.modports]
    names += [r.name for r in record.routines]
    names += [p.name for p in record.parameters]
    for kind in record.types:
        names += [kind.name, *kind.members]
    names += [m.name for m in record.macros]
    return names


def incoming_words(records: Sequence[FileRecord]) -> dict[str, list[str]]:
    """Returns for each path the names and comments of the places that instantiate its units."""
    home: dict[str, list[str]] = defaultdict(list)
    for record in records:
        for unit in record.units:
            home[unit.name].append(record.path)
    incoming: dict[str, list[str]] = defaultdict(list)
    for record in records:
        for unit in record.units:
            for instance in unit.instances:
                for path in home.get(instance.unit, ()):
                    if len(incoming[path]) < 400:
                        incoming[path] += [instance.name, unit.name, instance.comment]
    return incoming


def declared_places(records: Sequence[FileRecord]) -> dict[str, list[tuple[int, int, str, str]]]:
    """Returns lower-case name -> places (file number, line, kind, name as written).

    Units, types, routines and macros by name, files by base name with and without suffix.
    """
    places: dict[str, list[tuple[int, int, str, str]]] = defaultdict(list)
    for number, record in enumerate(records):
        base = record.path.rsplit("/", 1)[-1]
        for name in (base, base.rsplit(".", 1)[0]):
            places[name.lower()].append((number, 1, "file", base))
        named = [(u.name, u.line, u.kind) for u in record.units]
        owners: tuple[FileRecord | Unit, ...] = (record, *record.units)
        for owner in owners:
            named += [(t.name, t.line, "type") for t in owner.types]
            named += [(r.name, r.line, r.kind) for r in owner.routines]
        named += [(m.name, m.line, "macro") for m in record.macros]
        for name, line, kind in named:
            places[name.lower()].append((number, line, str(kind), name))
    return {name: sorted(set(found)) for name, found in sorted(places.items())}
