"""How far the readers of the source agree: counts by pair of readers, and what one alone saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from hdlgraph.index.kept.functions import kept
from hdlgraph.index.kept.unchanged import Cut, by_segment, cut
from hdlgraph.index.link.trust import (
    AGREED,
    DISPUTED,
    SINGLE,
    TREES,
    Readers,
    readers_of,
    readers_of_unit,
    seen_by,
)
from hdlgraph.model import BIT, FileRecord, Layer, Location, Unit, bits_of, layers_of

KINDS = ("unit", "port", "parameter", "instance", "binding", "override")
"""What is compared: declarations, instances, and what is handed to their ports and parameters."""
PYVERILOG = Layer.PYVERILOG.value


class Fact(NamedTuple):
    """One thing that readers saw: `witnesses` of the `readers` that could (see `bits_of`).

    `kept`: whether it is in the graph; what only regular expressions see is not.
    """

    kind: str
    unit: str
    name: str
    line: int
    witnesses: int
    readers: int
    kept: bool = True

    @property
    def trust(self) -> str:
        """Returns what the witnesses are worth beside the readers: agreed, disputed or single."""
        return seen_by(self.witnesses, self.readers).trust


def facts_of(record: FileRecord) -> Iterator[Fact]:
    """Yields everything of a file that readers can agree on."""
    for unit in record.units:
        seen = bits_of(unit.layers)
        readers = readers_of(record, unit.kind).at(seen, unit.line)
        yield Fact("unit", unit.name, unit.kind, unit.line, seen, readers)
        yield from _members(unit, readers_of_unit(record, unit))
    layers = readers_of(record)
    for one in record.sightings:
        if one.kind not in KINDS:
            continue  # an index may come from a stranger
        readers = layers.at(one.witnesses, one.line)
        readers = readers if one.kind == "instance" else readers & TREES
        yield Fact(one.kind, one.unit, one.name, one.line, one.witnesses, readers, kept=False)


def _members(unit: Unit, readers: Readers) -> Iterator[Fact]:
    name = unit.name
    declared = (("port", unit.ports), ("parameter", unit.parameters))
    for kind, members in declared:
        for one in members:
            could = readers.at(one.witnesses, one.line) & TREES
            yield Fact(kind, name, one.name, one.line, one.witnesses, could)
    for item in unit.instances:
        could = readers.at(item.witnesses, item.line)
        yield Fact("instance", name, f"{item.unit} {item.name}", item.line, item.witnesses, could)
        for bound in item.connections:
            line, what = bound.line or item.line, f"{item.name}.{bound.port or bound.position}"
            could = readers.at(bound.witnesses, line) & TREES
            yield Fact("binding", name, what, line, bound.witnesses, could)
        for (formal, _), bits in zip(item.parameters, item.override_witnesses, strict=False):
            could = readers.at(bits, item.line) & TREES
            yield Fact("override", name, f"{item.name}.{formal}", item.line, bits, could)


def trust_of(records: Sequence[FileRecord], cuts: Sequence[Cut] | None = None) -> dict[str, int]:
    """Returns how many facts are `agreed`, `disputed` and `single`, and files by reader."""
    found: Counter[str] = Counter()
    for one in by_segment("trust", records, cuts or cut(records), dict[str, int], _trust_of):
        found.update(one)
    names = (AGREED, DISPUTED, SINGLE, *(_read_by(layer) for layer in Layer))
    return {name: found[name] for name in names}


def _trust_of(records: Sequence[FileRecord]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for record in records:
        found.update(map(_read_by, record.layers))
        found.update(_trusted(record))
    return dict(found)


def _read_by(layer: str) -> str:
    return f"read by {layer}"


@kept
def _trusted(record: FileRecord) -> dict[str, int]:
    """Returns how many facts of a file are `agreed`, `disputed` and `single`."""
    return dict(Counter(fact.trust for fact in facts_of(record)))


def agreement(records: Sequence[FileRecord], limit: int = 1000) -> dict[str, Any]:
    """Returns what the readers agree on, as the documented JSON object (`schema` 1).

    Args:
        records: the facts of an index.
        limit: the greatest number of disagreements that are listed; all are counted.
    """
    seen: Counter[tuple[str, int, int]] = Counter()
    listed: list[dict[str, Any]] = []
    total = 0
    for record in sorted(records, key=lambda one: one.path):
        alone = []
        for fact in facts_of(record):
            seen[fact.kind, fact.witnesses, fact.readers] += 1
            if fact.trust == DISPUTED:
                alone.append(fact)
        total += len(alone)
        if len(listed) < limit:
            alone.sort(key=lambda fact: (fact.line, KINDS.index(fact.kind), fact.name))
            listed += [_entry(record.path, fact) for fact in alone[: limit - len(listed)]]
    return {
        "schema": 1,
        "files": len(records),
        "readers": _readers(records),
        "pairs": _pairs(records, seen),
        "trust": _trust(seen),
        "disagreements": listed,
        "total": total,
    }


def _entry(path: str, fact: Fact) -> dict[str, Any]:
    return {
        "kind": fact.kind,
        "unit": fact.unit,
        "name": fact.name,
        "path": path,
        "line": fact.line,
        "location": str(Location(path, fact.line)),
        "seen_by": list(layers_of(fact.witnesses)),
        "not_seen_by": list(layers_of(fact.readers & ~fact.witnesses)),
        "in_graph": fact.kept,
    }


def _readers(records: Sequence[FileRecord]) -> dict[str, Any]:
    """Returns by reader the files that it read; of PyVerilog also of how many with a module."""
    files: Counter[str] = Counter()
    languages = {"verilog": [0, 0], "systemverilog": [0, 0]}
    for record in records:
        files.update(record.layers)
        if any(unit.kind == "module" for unit in record.units):
            count = languages["verilog" if record.language == "verilog" else "systemverilog"]
            count[0] += 1
            count[1] += PYVERILOG in record.layers
    found: dict[str, Any] = {layer.value: {"files": files[layer.value]} for layer in Layer}
    for language, (most, read) in languages.items():
        found[PYVERILOG][language] = {"files": most, "read": read}
    return found


def _trust(seen: Counter[tuple[str, int, int]]) -> dict[str, dict[str, int]]:
    found = {kind: dict.fromkeys((AGREED, DISPUTED, SINGLE), 0) for kind in KINDS}
    for (kind, witnesses, readers), count in seen.items():
        trust = seen_by(witnesses, readers).trust
        if trust:
            found[kind][trust] += count
    return found


def _pairs(
    records: Sequence[FileRecord], seen: Counter[tuple[str, int, int]]
) -> list[dict[str, Any]]:
    """Returns for each pair of readers how many facts both saw and how many only one of them."""
    layers = Counter(bits_of(record.layers) for record in records)
    found = []
    for first, second in combinations(Layer, 2):
        both = BIT[first] | BIT[second]
        facts: dict[str, dict[str, int]] = {}
        for (kind, witnesses, readers), count in sorted(seen.items()):
            if (readers | witnesses) & both == both and witnesses & both:
                saw = witnesses & both
                word = "both" if saw == both else "first" if saw == BIT[first] else "second"
                of_kind = facts.setdefault(kind, {"both": 0, "first": 0, "second": 0})
                of_kind[word] += count
        files = sum(count for bits, count in layers.items() if bits & both == both)
        found.append({
            "readers": [first.value, second.value], "files": files,
            "facts": {kind: facts[kind] for kind in KINDS if kind in facts},
        })  # fmt: skip
    return found
