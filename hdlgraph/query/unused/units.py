"""Modules that nothing instantiates, packages that nothing imports, ports that nothing connects."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, FileRecord, Instance, Location, Unit
from hdlgraph.query.unused.records import Finding
from hdlgraph.query.unused.texts import Texts

_USES = frozenset({EdgeKind.INSTANTIATES.value, EdgeKind.BINDS.value, EdgeKind.EXTENDS.value})
FAR = 20_000
"""Characters of an instance that are looked at."""
LIBRARY, FEW = 0.6, 5
"""From this share of modules that nothing instantiates, of so many, a folder is a library."""


class Ports(NamedTuple):
    """The instances of all units of a name, and what they connect.

    `positions` is the greatest number of ports that one connects by order; `whole` says that one
    connects them all (`.*`); `open` are the ports that one leaves open in so many words.
    """

    instances: int
    connected: frozenset[str]
    positions: int
    whole: bool
    open: frozenset[str]
    places: tuple[tuple[str, int], ...]


def connected(records: Sequence[FileRecord]) -> dict[str, Ports]:
    """Returns what instances connect, by the name of the unit that they are of."""
    found: dict[str, list[tuple[tuple[str, int], Instance]]] = {}
    for record in records:
        for unit in record.units:
            for one in unit.instances:
                name = one.unit.rpartition("::")[2]
                found.setdefault(name, []).append(((record.path, one.line), one))
        for bind in record.binds:
            made = Instance(bind.name, bind.unit, bind.line, bind.line, (), bind.connections)
            found.setdefault(bind.unit, []).append(((record.path, bind.line), made))
    return {name: _ports(them) for name, them in found.items()}


def _ports(them: Sequence[tuple[tuple[str, int], Instance]]) -> Ports:
    links = [link for _, one in them for link in one.connections]
    return Ports(
        len(them),
        frozenset(link.port for link in links if link.port and link.expr),
        max((link.position + 1 for link in links if not link.port and link.expr), default=0),
        any(link.port == "*" for link in links),
        frozenset(link.port for link in links if link.port and not link.expr),
        tuple(place for place, _ in them),
    )


def several(records: Sequence[FileRecord]) -> frozenset[str]:
    """Returns the names of the units that have definitions with different ports."""
    ports: dict[str, frozenset[str]] = {}
    found = set()
    for record in records:
        for unit in record.units:
            names = frozenset(port.name for port in unit.ports)
            if ports.setdefault(unit.name, names) != names:
                found.add(unit.name)
    return frozenset(found)


def open_ports(
    texts: Texts, record: FileRecord, unit: Unit, by_name: Mapping[str, Ports]
) -> Iterator[Finding]:
    """Yields the ports of a unit that none of its instances connects."""
    seen = by_name.get(unit.name)
    if seen is None or seen.whole or not (seen.connected or seen.positions):
        return
    for position, port in enumerate(unit.ports):
        if port.name in seen.connected or position < seen.positions or port.origin:
            continue
        if port.direction not in ("input", "output") or _is_written(texts, unit, port.name, seen):
            continue
        kind = f"open_{port.direction}"
        of = f"each of its {seen.instances} instances" if seen.instances > 1 else "its one instance"
        stated = port.name in seen.open
        why = f"{of} leaves it open (as {Location(*seen.places[0])})"
        meant = "written as open" if stated and kind == "open_output" else ""
        yield Finding(kind, port.name, unit.name, record.path, port.line, why, meant)


def _is_written(texts: Texts, unit: Unit, port: str, seen: Ports) -> bool:
    """Returns whether the text of an instance connects a port: what could not be parsed."""
    connects = re.compile(rf"\.\s*{re.escape(port)}\s*\(\s*[^)\s]")
    for path in sorted({path for path, _ in seen.places}):
        text = texts.of(path)
        for at in text.find(unit.name, 0, len(text.code)):
            end = text.code.find(";", at, at + FAR)
            if connects.search(text.code, at, end if end >= 0 else at + FAR):
                return True
    return False


class Dead:
    """Finds modules that nothing instantiates and packages that nothing imports.

    Args:
        graph: the design graph.
        texts: of all files.
        tops: the names that project files give as tops.
    """

    def __init__(self, graph: Graph, texts: Texts, tops: Collection[str]) -> None:
        self._graph, self._texts, self._tops = graph, texts, tops
        self._missing = {one.name for one in graph.unresolved if one.kind == "module"}
        self._macro_words = frozenset().union(*(words for words, _ in texts.macros.values()))
        nodes = graph.nodes
        columns = (nodes.column(one) for one in ("kind", "name", "path"))
        self._rows: dict[str, list[int]] = {}
        for row, (kind, name, path) in enumerate(zip(*columns, strict=True)):
            if kind in ("module", "interface", "program", "package", "primitive") and path:
                self._rows.setdefault(name, []).append(row)

    def findings(self, records: Sequence[FileRecord]) -> Iterator[Finding]:
        """Yields the units of some files that nothing uses."""
        found = [
            (record, unit, reason)
            for record in records
            for unit in record.units
            if unit.kind in ("module", "interface", "primitive", "package") and not unit.parent
            for reason in (self._dead(record.path, unit),)
            if reason is not None
        ]
        holders = {bind.parent for record in records for bind in record.binds if bind.parent}
        libraries = self._libraries(records, [record.path for record, _, _ in found])
        for record, unit, (why, meant) in found:
            kind = "package" if unit.kind == "package" else "module"
            folder = record.path.rpartition("/")[0]
            if unit.name in holders:
                meant = "it holds binds"
            if kind == "module" and not meant:
                meant = libraries.get(folder, "")
            yield Finding(kind, unit.name, unit.name, record.path, unit.line, why, meant)

    def _libraries(self, records: Sequence[FileRecord], dead: Sequence[str]) -> dict[str, str]:
        """Returns the folders most of whose modules nothing instantiates, in words.

        Of folders with few modules the next one above counts that has enough.
        """
        paths = [record.path for record in records for one in record.units if one.kind == "module"]
        counts, gone = _below(paths), _below(dead)
        found = {}
        for folder in sorted({path.rpartition("/")[0] for path in dead}):
            at = folder
            while at and counts[at] < FEW:
                at = at.rpartition("/")[0]
            if counts[at] >= FEW and gone[at] >= LIBRARY * counts[at]:
                of = f"{gone[at]} of {counts[at]} modules in {at or '.'} stand alone"
                found[folder] = f"its folder is a library: {of}"
        return found

    def _dead(self, path: str, unit: Unit) -> tuple[str, str] | None:
        """Returns (why nothing uses a unit, by what that is meant), None where something may."""
        name = unit.name
        if name in self._tops or name in self._macro_words or name.startswith("$"):
            return None
        own = self._graph.row(f"{unit.kind}:{path}#{name}")
        if own >= 0 and self._is_used(own):
            return None
        others = [row for row in self._rows.get(name, ()) if row != own]
        used = [row for row in others if self._is_used(row)]
        if used:
            if unit.kind == "package":
                return None
            place = str(self._place(used[0]))
            return "nothing instantiates this definition", f"that at {place} is used instead"
        if self._is_mentioned(path, unit):
            return None
        if unit.kind == "package":
            return "no file imports it or names it", ""
        return self._alone(unit)

    def _alone(self, unit: Unit) -> tuple[str, str]:
        why = "nothing instantiates it"
        short = self._stands_for(unit.name)
        if short:
            return why, f"it may stand for {short}, which is instantiated"
        below = {one.unit for one in unit.instances if one.unit in self._rows}
        if below:
            some = f"{len(below)} other units" if len(below) > 1 else next(iter(below))
            return why, f"it may be a top: it instantiates {some}"
        return why, ""

    def _place(self, row: int) -> Location:
        nodes = self._graph.nodes
        return Location(nodes.column("path")[row], nodes.column("line")[row])

    def _is_used(self, row: int) -> bool:
        kinds = self._graph.edges.column("kind")
        sources = self._graph.edges.column("source")
        used = _USES | {EdgeKind.IMPORTS.value, EdgeKind.USES.value}
        return any(
            kinds[edge] in used and sources[edge] != row
            for edge in self._graph.in_edges(row).tolist()
        )

    def _is_mentioned(self, path: str, unit: Unit) -> bool:
        """Returns whether the name of a unit stands anywhere but in the unit itself."""
        if any(one != path for one in self._texts.with_word(unit.name)):
            return True
        text = self._texts.of(path)
        begin, end = text.span(unit.line, unit.end_line)
        first = text.code.rfind("\n", 0, begin) + 1
        outside = [*text.find(unit.name, 0, first), *text.find(unit.name, end, len(text.code))]
        return bool(outside)

    def _stands_for(self, name: str) -> str:
        """Returns the module in use of which a name is a longer form, as prim_[generic_]flop."""
        words = name.split("_")
        for at in range(1, len(words) - 1):
            short = "_".join(words[:at] + words[at + 1 :])
            if short in self._missing or any(map(self._is_used, self._rows.get(short, ()))):
                return short
        return ""


def _below(paths: Iterable[str]) -> Counter[str]:
    """Returns how many paths lie in each folder, also in folders of it."""
    counts: Counter[str] = Counter()
    for path in paths:
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            counts[folder] += 1
    return counts
