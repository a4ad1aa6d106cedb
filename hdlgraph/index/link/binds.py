"""Edges of bind directives: what is bound, into which units, and into which instances only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from hdlgraph.index.link.candidates import MOST
from hdlgraph.index.link.instances import (
    INSTANTIATES,
    Sources,
    connect,
    matching,
    parameterize,
)
from hdlgraph.index.link.names import Names, Placed
from hdlgraph.index.link.nodes import FileEntry
from hdlgraph.index.link.ranked import Target, nearest
from hdlgraph.index.link.trust import Seen, readers_of
from hdlgraph.model import Bind, EdgeKind, Instance

BINDS = EdgeKind.BINDS.value
PLACES = 64
"""Instances of one name and unit among which a path of a bind chooses."""
_INDEX = re.compile(r"\[[^\]]*\]|\s")


def link_binds(names: Names, file: FileEntry) -> None:
    """Adds BINDS edges: target unit to bound unit and to the file of the bind, file to bound unit.

    The module that a bind stands in is not its target: only the one it names is. Where it names
    instances, these have an edge to the bound unit too: it is in no other instance of their unit.
    """
    readers = readers_of(file.record, "bind")
    for row, bind in file.binds:
        place = (file.path, bind.line)
        seen = readers.seen(bind.witnesses, bind.line)
        bound = matching(names.targets(names.modules, bind.unit, file, told=True), bind.connections)
        what, told = ("module", bind.unit), (bind.target, bind.name)
        for kind, source in ((BINDS, file.row), (INSTANTIATES, row)):
            if bound:
                names.link(kind, source, bound, *place, bind.name, seen=seen, instance=row)
            else:
                names.link_missing(kind, source, what, *place, *told, seen=seen, instance=row)
        targets, places = _targets(names, file, bind)
        if not targets:
            names.miss("module", bind.target, *place, bind.name)
        for instance in places:
            names.link(BINDS, instance, bound, *place, bind.name, 1.0, seen, row)
        _link_targets(names, file, (row, bind), targets, bound, seen)
        told_of = Instance(
            bind.name, bind.unit, bind.line, bind.line, bind.parameters,
            override_lines=bind.override_lines,
        )  # fmt: skip
        parameterize(names, place, row, told_of, nearest(bound), 1.0, readers)
        for target in nearest(targets):
            connect(
                names, place, Sources(target.entry, row, row), bind.connections, nearest(bound),
                target.confidence, readers,
            )  # fmt: skip


def _link_targets(
    names: Names,
    file: FileEntry,
    made: tuple[int, Bind],
    targets: Sequence[Target],
    bound: Sequence[Target],
    seen: Seen,
) -> None:
    """Adds BINDS of the units that a bind goes into, to the bound unit and to the bind's file."""
    row, bind = made
    place, what = (file.path, bind.line), ("module", bind.unit)
    for target in targets:
        entry, sure = target.entry, target.confidence
        names.link(BINDS, entry.row, bound, *place, bind.name, sure, seen, row)
        names.builder.edge(
            BINDS, entry.row, file.row, *place, bind.name, sure, target.resolved, seen=seen,
            instance=row,
        )  # fmt: skip
        if not bound:
            names.link_missing(
                BINDS, entry.row, what, *place, bind.target, bind.name, sure, seen, row
            )


def _targets(names: Names, file: FileEntry, bind: Bind) -> tuple[list[Target], list[int]]:
    """Returns the units a bind goes into, and the rows of the instances that it names, if any.

    It may name a unit, an instance, `top.u_a.u_b` step by step, or `unit: u_a, top.u_b`.
    """
    bare, _, listed = bind.target.partition(":")
    head, *rest = _INDEX.sub("", bare).split(".")
    targets = names.targets(names.modules, head, file)
    places: list[int] = []
    if not targets:
        placed = nearest(names.targets(names.instances, head, file))
        places = [one.entry.row for one in placed]
        targets = _units_of(names, [(one.entry.path, one.entry.instance) for one in placed])
    for part in rest:
        below: list[tuple[str, Instance]] = []
        inner: list[int] = []
        for target in nearest(targets):
            inside = target.entry.named(part)
            if inside is None:
                break  # a generate block: its instances are the unit's
            below += [(target.entry.path, one) for _, one in inside[:MOST]]
            inner += [row for row, _ in inside[:MOST]]
        else:
            targets, places = _units_of(names, below), inner
    paths = (*bind.instances, *(_INDEX.sub("", listed).split(",") if listed.strip(": ") else ()))
    return targets, list(dict.fromkeys(places)) or _listed(names, paths, head, bind.parent)


def _listed(names: Names, paths: Sequence[str], unit: str, parent: str) -> list[int]:
    """Returns the rows of the instances of a unit that a bind lists, such as `top.u_a`.

    A path begins inside of `parent`, the unit that the bind stands in. Of equal names those count
    whose place in the design agrees with most of the path.
    """
    found: dict[int, None] = {}
    for path in paths[:MOST]:
        *above, name = (parent, *_INDEX.sub("", path).split("."))
        named = (one for one in names.instances.get(name, ()) if one.instance.unit == unit)
        places = list(islice(named, PLACES))
        known: dict[tuple[int, int], int] = {}
        agreed = [_agreed(names, one, above[-MOST:], known) for one in places]
        best = [one.row for one, many in zip(places, agreed, strict=True) if many == max(agreed)]
        found |= dict.fromkeys(best[:MOST])
    return list(found)


def _agreed(
    names: Names, placed: Placed, above: Sequence[str], known: dict[tuple[int, int], int]
) -> int:
    """Returns twice how many of the last names before an instance are what it stands in.

    These are labels of generate blocks, the unit around, or an instance of this unit, and so on.
    A block around it that the names leave out counts against it, by one.
    `known` are the numbers that were found, by the row of an instance and how many names precede.
    """
    key = placed.row, len(above)
    if key not in known:
        owner, *labels = placed.name.split(".")[:-1]
        left = len(above)
        while labels and left and above[left - 1] == labels[-1]:
            labels.pop()
            left -= 1
        further = [0]
        if left and above[left - 1] == owner:
            further.append(2)
        elif left:
            outer = names.instances.get(above[left - 1], ())
            within = islice((one for one in outer if one.instance.unit == owner), MOST)
            further += [2 + _agreed(names, one, above[: left - 1], known) for one in within]
        known[key] = 2 * (len(above) - left) + max(further) - bool(labels)
    return known[key]


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
