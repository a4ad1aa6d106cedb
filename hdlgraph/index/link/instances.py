"""Edges of instances: to the unit, its ports and parameters; and of bind directives."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hdlgraph.index.link.candidates import MOST
from hdlgraph.index.link.names import Names, Target, nearest
from hdlgraph.index.link.nodes import EXPR_LIMIT, FileEntry, UnitEntry
from hdlgraph.index.link.trust import UNSEEN, Readers, Seen, readers_of, readers_of_unit
from hdlgraph.model import Bind, Connection, EdgeKind, Instance
from hdlgraph.parsers.text.expressions import GATES

INSTANTIATES = EdgeKind.INSTANTIATES.value
CONNECTS = EdgeKind.CONNECTS.value
PARAMETERIZES = EdgeKind.PARAMETERIZES.value
BINDS = EdgeKind.BINDS.value
IMPLICIT = 0.9
"""Confidence of a connection that only `.*` states."""
IMPLICIT_BASE, IMPLICIT_EACH = 1000, 16
"""A unit gets at most 1000 connections by `.*`, and 16 more for each port, signal and instance.

Designs have up to 4 for each. Without a limit they are the product of instances and names.
"""
LOOKALIKE = 0.2
"""Greatest confidence of a module with another name than the instance says."""

MEMBER = re.compile(r"(?:\.|::)\s*([A-Za-z_]\w*)")
HEAD = re.compile(r"(?<![\w.:$`'])([A-Za-z_]\w*)")


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
        _connect(names, place, parent, row, told, nearest(targets), sure, readers)
        _parameterize(names, place, row, instance, nearest(targets), sure, readers)


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
        target._replace(confidence=round(LOOKALIKE * target.confidence, 4), resolved="candidate")
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
    return [
        *(t._replace(tier=t.tier - fit[0].tier) for t in fit),
        *(t._replace(tier=last + 1 + t.tier, confidence=0.01) for t in unfit),
    ]


def _connect(
    names: Names,
    place: tuple[str, int],
    parent: UnitEntry,
    instance_row: int,
    connections: Sequence[Connection],
    targets: Sequence[Target],
    sure: float,
    readers: Readers,
) -> None:
    edge, path = names.builder.edge, place[0]
    explicit = {connection.port for connection in connections}
    ordered = any(not connection.port for connection in connections)
    order = [list(target.entry.ports.values()) if ordered else [] for target in targets]
    for connection in connections:
        if connection.port == "*":
            line = connection.line or place[1]
            seen = readers.seen(connection.witnesses, line)
            _connect_star(names, (path, line), parent, explicit, targets, sure, seen)
            continue
        if not connection.expr:
            continue  # `.p()` says that nothing is connected
        sources = sources_of(parent, connection) or [instance_row]
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
            for source in sources:
                edge(
                    CONNECTS, source, port, path, line, text, confidence, target.resolved, seen=seen
                )


def _connect_star(
    names: Names,
    place: tuple[str, int],
    parent: UnitEntry,
    explicit: set[str],
    targets: Sequence[Target],
    sure: float,
    seen: Seen,
) -> None:
    limit = IMPLICIT_BASE + IMPLICIT_EACH * len(parent.names)
    for target in targets:
        confidence = round(sure * target.confidence * IMPLICIT, 4)
        for name, source, port in names.shared(parent, target.entry):
            if name in explicit:
                continue
            if parent.implicit >= limit:
                names.star_limited.add(parent.row)
                return
            parent.implicit += 1
            names.builder.edge(
                CONNECTS, source, port, *place, name, confidence, target.resolved, seen=seen
            )


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


def _parameterize(
    names: Names,
    place: tuple[str, int],
    row: int,
    instance: Instance,
    targets: Sequence[Target],
    sure: float,
    readers: Readers,
) -> None:
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
            if name and name[0] != "#":  # "#0": ordered
                parameter = entry.parameters.get(name)
            else:
                parameter = order[position] if position < len(order) else None
            if parameter is not None and value:
                names.builder.edge(
                    PARAMETERIZES, row, parameter, *place, value[:EXPR_LIMIT], confidence,
                    target.resolved, seen=seen[position] if seen else UNSEEN,
                )  # fmt: skip


def link_binds(names: Names, file: FileEntry) -> None:
    """Adds BINDS edges: target unit to bound unit and to the file of the bind, file to bound unit.

    The module that a bind stands in is not its target: only the one it names is.
    """
    readers = readers_of(file.record, "bind")
    for bind in file.record.binds:
        place = (file.path, bind.line)
        seen = readers.seen(bind.witnesses, bind.line)
        bound = names.targets(names.modules, bind.unit, file, told=True)
        what = ("module", bind.unit)
        if bound:
            names.link(BINDS, file.row, bound, *place, bind.name, seen=seen)
        else:
            names.link_missing(BINDS, file.row, what, *place, bind.target, bind.name, seen=seen)
        targets = _bind_targets(names, file, bind)
        if not targets:
            names.miss("module", bind.target, *place, bind.name)
        for target in targets:
            entry, sure = target.entry, target.confidence
            names.link(BINDS, entry.row, bound, *place, bind.name, sure, seen)
            names.builder.edge(
                BINDS, entry.row, file.row, *place, bind.name, sure, target.resolved, seen=seen
            )
            if not bound:
                names.link_missing(
                    BINDS, entry.row, what, *place, bind.target, bind.name, sure, seen
                )
        for target in nearest(targets):
            _connect(
                names, place, target.entry, target.entry.row, bind.connections, nearest(bound),
                target.confidence, readers,
            )  # fmt: skip


def _bind_targets(names: Names, file: FileEntry, bind: Bind) -> list[Target]:
    """Returns the units a bind names: a unit, an instance, or `top.u_a.u_b` step by step."""
    bare = re.sub(r"\[[^\]]*\]|\s", "", bind.target.partition(":")[0])
    head, *rest = bare.split(".")
    targets = names.targets(names.modules, head, file)
    if not targets:
        placed = nearest(names.targets(names.instances, head, file))
        targets = _units_of(names, [(one.entry.path, one.entry.instance) for one in placed])
    for part in rest:
        below: list[tuple[str, Instance]] = []
        for target in nearest(targets):
            inside = target.entry.named(part)
            if inside is None:
                break  # a generate block: its instances are the unit's
            below += [(target.entry.path, one) for one in inside[:MOST]]
        else:
            targets = _units_of(names, below)
    return targets


def _units_of(names: Names, instances: list[tuple[str, Instance]]) -> list[Target]:
    found: dict[int, Target] = {}
    for path, instance in instances:
        for target in names.targets(names.modules, instance.unit, names.by_path[path]):
            found.setdefault(target.entry.row, target)
        if len(found) >= MOST:
            break
    if len(found) < 2:
        return list(found.values())
    share = round(1 / len(found), 4)
    return [
        target._replace(confidence=min(share, target.confidence), resolved="candidate")
        for target in found.values()
    ]
