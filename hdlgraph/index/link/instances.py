"""Edges of instances: to the unit, its ports and parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from hdlgraph.index.link.names import Names
from hdlgraph.index.link.nodes import EXPR_LIMIT, FileEntry, UnitEntry
from hdlgraph.index.link.ranked import HAS_PORTS, Target, nearest
from hdlgraph.index.link.trust import UNSEEN, Readers, Seen, readers_of_unit
from hdlgraph.model import Connection, EdgeKind, Instance
from hdlgraph.model.graph import STANDS_FOR
from hdlgraph.parsers.text.expressions import GATES

INSTANTIATES = EdgeKind.INSTANTIATES.value
CONNECTS = EdgeKind.CONNECTS.value
PARAMETERIZES = EdgeKind.PARAMETERIZES.value
IMPLICIT = 0.9
"""Confidence of a connection that only `.*` states."""
IMPLICIT_BASE, IMPLICIT_EACH = 1000, 16
"""A unit gets at most 1000 connections by `.*` of a file, and 16 more for each port, signal and
instance.

Designs have up to 4 for each. Without a limit they are the product of instances and names.
"""
LOOKALIKE = 0.2
"""Greatest confidence of a module with another name than the instance says."""

MEMBER = re.compile(r"(?:\.|::)\s*([A-Za-z_]\w*)")
HEAD = re.compile(r"(?<![\w.:$`'])([A-Za-z_]\w*)")


class Sources(NamedTuple):
    """Where the connections of an instance come from.

    `parent` declares the nets; what names none of them, a constant, comes from the row `other`;
    `instance` is the row of the instance.
    """

    parent: UnitEntry
    other: int
    instance: int


def link_instances(names: Names, file: FileEntry, parent: UnitEntry) -> None:
    """Adds INSTANTIATES, CONNECTS and PARAMETERIZES edges of the instances in a unit."""
    readers = readers_of_unit(file.record, parent.unit)
    for row, instance in parent.instances:
        if instance.unit in GATES:
            continue
        sure = min(instance.confidence, parent.unit.confidence)
        place = (file.path, instance.line)
        text = f"{instance.name} {instance.comment[:EXPR_LIMIT]}".strip()
        seen = readers.seen(instance.witnesses, instance.line)
        targets = names.targets(names.modules, instance.unit, file, told=True)
        if not targets:
            what = ("module", instance.unit)
            likely = lookalikes(names, file, instance)
            for source in (row, parent.row):
                user = parent.unit.name
                names.link_missing(INSTANTIATES, source, what, *place, user, text, sure, seen)
                names.link(INSTANTIATES, source, likely, *place, text, sure, seen)
            continue
        targets = matching(targets, instance.connections)
        for source in (row, parent.row):
            names.link(INSTANTIATES, source, targets, *place, text, sure, seen)
        told = instance.connections
        sources = Sources(parent, row, row)
        connect(names, place, sources, told, nearest(targets), sure, readers)
        parameterize(names, place, row, instance, nearest(targets), sure, readers)


def lookalikes(names: Names, file: FileEntry, instance: Instance) -> list[Target]:
    """Returns what an undefined module may stand for, with little confidence.

    Libraries choose implementations by generated wrappers that are not in the repository:
    `prim_flop` for `prim_generic_flop`. The ports that the instance names must all be there.
    """
    ports = {connection.port for connection in instance.connections} - {"", "*"}
    if not ports or instance.unit not in names.shortened:
        return []
    targets = names.targets(names.shortened, instance.unit, file)
    return [
        target._replace(
            confidence=round(LOOKALIKE * target.confidence, 4),
            resolved="candidate",
            reason=STANDS_FOR + instance.unit,
        )
        for target in targets
        if ports <= target.entry.ports.keys()
    ]


def matching(targets: list[Target], connections: Sequence[Connection]) -> list[Target]:
    """Returns the targets, those that lack a connected port moved behind the others."""
    if len(targets) == 1:
        return targets
    used = [c.port for c in connections if c.port not in ("", "*")]
    lacking = [any(port not in t.entry.ports for port in used) for t in targets]
    if not any(lacking) or all(lacking):
        return targets
    fit = [t for t, lacks in zip(targets, lacking, strict=True) if not lacks]
    unfit = [t for t, lacks in zip(targets, lacking, strict=True) if lacks]
    last = fit[-1].tier
    if lacking[0]:
        fit[0] = fit[0]._replace(reason=HAS_PORTS)
    return [
        *(t._replace(tier=t.tier - fit[0].tier) for t in fit),
        *(t._replace(tier=last + 1 + t.tier, confidence=0.01, reason="") for t in unfit),
    ]


def connect(
    names: Names,
    place: tuple[str, int],
    sources: Sources,
    connections: Sequence[Connection],
    targets: Sequence[Target],
    sure: float,
    readers: Readers,
) -> None:
    """Adds CONNECTS edges of the connections of one instance, to the ports of its targets."""
    edge, path = names.builder.edge, place[0]
    explicit = {connection.port for connection in connections}
    ordered = any(not connection.port for connection in connections)
    order = [list(target.entry.ports.values()) if ordered else [] for target in targets]
    for connection in connections:
        if connection.port == "*":
            line = connection.line or place[1]
            seen = readers.seen(connection.witnesses, line)
            _connect_star(names, (path, line), sources, explicit, targets, sure, seen)
            continue
        if not connection.expr:
            continue  # `.p()` says that nothing is connected
        nets = sources_of(sources.parent, connection)
        nets += [row for row in _of_paths(names, path, sources, connection) if row not in nets]
        nets = nets or [sources.other]
        text, line = connection.expr[:EXPR_LIMIT], connection.line or place[1]
        seen = readers.seen(connection.witnesses, line)
        for target, ports in zip(targets, order, strict=True):
            if connection.port:
                port = target.entry.ports.get(connection.port)
            else:
                at = connection.position
                port = ports[at] if 0 <= at < len(ports) else None
            if port is None:
                continue
            confidence = round(sure * target.confidence, 4)
            way = target.entry.way(port)
            for net in nets:
                edge(
                    CONNECTS, net, port, path, line, text, confidence, target.resolved, "ast",
                    seen, sources.instance, way,
                )  # fmt: skip


def _of_paths(names: Names, path: str, sources: Sources, connection: Connection) -> list[int]:
    """Returns the rows of what the paths in an actual lead to: `u_a.q` to the port of its unit."""
    found = []
    for one in connection.paths:
        above, _, last = re.sub(r"\[[^\]]*\]", "", one).rpartition(".")
        for _, inner in (sources.parent.named(above.rpartition(".")[2]) or ())[:1]:
            targets = names.targets(names.modules, inner.unit, names.by_path[path])
            found += [t.entry.names[last] for t in nearest(targets)[:1] if last in t.entry.names]
    return found


def _connect_star(
    names: Names,
    place: tuple[str, int],
    sources: Sources,
    explicit: set[str],
    targets: Sequence[Target],
    sure: float,
    seen: Seen,
) -> None:
    parent = sources.parent
    limit = IMPLICIT_BASE + IMPLICIT_EACH * len(parent.names)
    for target in targets:
        confidence = round(sure * target.confidence * IMPLICIT, 4)
        for name, source, port in names.shared(parent, target.entry):
            if name in explicit:
                continue
            stated = names.implicit.get(parent.row, 0)
            if stated >= limit:
                names.star_limited[parent.row] = parent
                return
            names.implicit[parent.row] = stated + 1
            names.builder.edge(
                CONNECTS, source, port, *place, name, confidence, target.resolved, "ast", seen,
                sources.instance, target.entry.way(port),
            )  # fmt: skip


def sources_of(parent: UnitEntry, connection: Connection) -> list[int]:
    """Returns the rows of the parent's ports, signals and interface instances in an actual.

    Of `i0.s` only `i0` counts: `s` is a member, though the parent may have a signal `s`.
    """
    known, expr = parent.names, connection.expr
    found: dict[int, None] = {}
    members: set[str] = set()
    if "." in expr or "::" in expr:
        members = set(MEMBER.findall(expr)) - set(HEAD.findall(expr))
    for signal in connection.signals:
        head = signal.partition(".")[0]
        if head in known and head not in members:
            found[known[head]] = None
    if not found and expr[:1].isalpha():  # readers do not count instances as signals
        found = {known[head]: None for head in HEAD.findall(expr) if head in known}
    return list(found)


def parameterize(
    names: Names,
    place: tuple[str, int],
    row: int,
    instance: Instance,
    targets: Sequence[Target],
    sure: float,
    readers: Readers,
) -> None:
    """Adds PARAMETERIZES edges of the values that one instance gives to parameters."""
    seen = [readers.seen(bits, instance.line) for bits in instance.override_witnesses]
    ordered = any(not name or name[0] == "#" for name, _ in instance.parameters)
    for target in targets:
        entry = target.entry
        order = [
            entry.parameters[one.name]
            for one in (entry.unit.parameters if ordered else ())
            if one.kind != "localparam"
        ]
        confidence = round(sure * target.confidence, 4)
        for position, (name, value) in enumerate(instance.parameters):
            line = (instance.override_lines[position : position + 1] or (0,))[0]
            if name and name[0] != "#":  # "#0": ordered
                parameter = entry.parameters.get(name)
            else:
                parameter = order[position] if position < len(order) else None
            if parameter is not None and value:
                names.builder.edge(
                    PARAMETERIZES, row, parameter, place[0], line or place[1], value[:EXPR_LIMIT],
                    confidence, target.resolved, seen=seen[position] if seen else UNSEEN,
                )  # fmt: skip
