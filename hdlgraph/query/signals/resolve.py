"""Finds the signal that a name means: `name`, `unit.name`, or a path through instances."""

from __future__ import annotations

import difflib
import re
from itertools import islice
from typing import NamedTuple

from hdlgraph.errors import UsageError
from hdlgraph.model import Location
from hdlgraph.model.flow import Child
from hdlgraph.query.design.names import unescaped
from hdlgraph.query.signals.design import Design

NAMED = 8
"""Candidates that a message names."""
WORDS = 64
"""Parts that a name may have."""
_INDEX = re.compile(r"\[[^\]]{0,40}\]")
_NODE = re.compile(r"(?:signal|port):(.+)#([^#]+)")


class Hop(NamedTuple):
    """An instance on the way down: the unit that it stands in, and itself."""

    row: int
    child: Child


class Point(NamedTuple):
    """A signal of the unit at a row.

    `way` are the instances that lead there from the unit named first, () where none was named.
    """

    row: int
    signal: str
    way: tuple[Hop, ...] = ()


def resolve(design: Design, name: str) -> list[Point]:
    """Returns the signals that a name means, those of the likeliest unit first.

    Several units of one name may each have the signal; other ambiguities are errors.

    Raises:
        UsageError: nothing has the name, or signals of several units have; the message holds the
            candidates with their places.
    """
    wanted = _INDEX.sub("", name.strip().replace("/", "."))
    node = _NODE.fullmatch(name.strip())
    if node:
        return _of_node(design, *node.groups())
    if escaped := _escaped(design, name):
        return escaped
    words = [word for word in wanted.split(".") if word][:WORDS]
    if not words:
        raise UsageError("the name of a signal is empty: give NAME, UNIT.NAME or an instance path")
    if len(words) > 1:
        rows = design.flows.by_name.get(words[0], [])
        found = [point for row in rows for point in _below(design, row, words[1:])]
        if found:
            return list(dict.fromkeys(found))
        if rows:
            _lost(design, rows[0], words)
    rows = design.flows.by_signal.get(".".join(words)) or design.flows.by_signal.get(words[0], [])
    names = {design.flows.units[row].name for row in rows}
    if len(names) == 1:
        return [Point(row, ".".join(words)) for row in rows]
    raise UsageError(_several(design, name, rows) if rows else _unknown(design, words))


def _escaped(design: Design, name: str) -> list[Point]:
    r"""Returns the signals of one unit that `\a+b` or `unit.\a+b` means, with signs of any kind."""
    plain = unescaped(name)
    if plain == name.strip():
        return []
    unit, _, own = plain.partition(".")
    flows = design.flows
    within = [row for row in flows.by_name.get(unit, ()) if row in flows.by_signal.get(own, ())]
    rows = within or flows.by_signal.get(plain, [])
    one = len({flows.units[row].name for row in rows}) == 1
    return [Point(row, own if within else plain) for row in rows] if one else []


def _of_node(design: Design, path: str, inner: str) -> list[Point]:
    unit, _, signal = inner.partition(".")
    rows = [
        row for row in design.flows.by_name.get(unit, ()) if design.flows.units[row].path == path
    ]
    if not rows:
        raise UsageError(f"{unit[:200]!r} of {path[:200]} has no facts of signals")
    return [Point(row, signal) for row in design.having(rows, signal)]


def _below(design: Design, row: int, words: list[str]) -> list[Point]:
    """Returns the signal at the end of a path of instances that begins in a unit."""
    way: tuple[Hop, ...] = ()
    while words:
        step = _instance(design, row, words) if len(words) > 1 else None
        if step is None:
            break
        child, used = step
        targets = design.targets(row, child)
        if not targets:
            return []
        way = (*way, Hop(row, child))
        row, words = targets[0], words[used:]
    signal = ".".join(words)
    if not words or not design.has(row, signal):
        return []
    return [*handles(design, row, signal, way), Point(row, signal, way)]


def handles(design: Design, row: int, signal: str, way: tuple[Hop, ...]) -> list[Point]:
    """Returns the members of instances of an interface that one of its signals is.

    What uses them stands around the instance; [] where the interface itself drives the signal.
    Without a way to one instance those of all are returned.
    """
    unit, view, base = design.flows.units[row], design.view(row), signal.partition(".")[0]
    if unit.kind != "interface" or base in view.ports or base in view.writes:
        return []
    if way:
        found = [Point(way[-1].row, f"{way[-1].child.name}.{signal}", way[:-1])]
    else:
        around = islice(design.parents(row), NAMED)
        found = [Point(outer, f"{child.name}.{signal}") for outer, child in around]
    return [one for one in found if design.has(one.row, one.signal)]


def _instance(design: Design, row: int, words: list[str]) -> tuple[Child, int] | None:
    """Returns the instance that begins a path and the words it takes; labels may be left out."""
    children = design.view(row).children
    for used in range(min(len(words) - 1, 8), 0, -1):
        whole = ".".join(words[:used])
        if whole in children:
            return children[whole], used
    for name, child in children.items():
        if name.rpartition(".")[2] == words[0]:
            return child, 1
    return None


def _lost(design: Design, row: int, words: list[str]) -> None:
    """Raises the error for a path that leads nowhere, naming where it ends."""
    at, left = row, words[1:]
    while len(left) > 1 and (step := _instance(design, at, left)) is not None:
        targets = design.targets(at, step[0])
        if not targets:
            of = step[0].unit
            raise UsageError(
                f"{'.'.join(words)[:200]!r}: {step[0].name} is an instance of {of}, which the "
                "repository does not define"
            )
        at, left = targets[0], left[step[1] :]
    unit, view = design.flows.units[at], design.view(at)
    if left and (child := _named(design, at, left[0])):
        raise UsageError(
            f"{'.'.join(words)[:200]!r} is an instance of {child.unit}, no signal: add the name of "
            f"a signal behind it; `hdlgraph show` shows the instance"
        )
    known = [*view.known, *view.children]
    near = difflib.get_close_matches(left[0][:200], known, n=5, cutoff=0.6)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    place = Location(unit.path, unit.line)
    raise UsageError(
        f"{unit.kind} {unit.name} ({place}) has no signal or instance {left[0][:200]!r}{hint}"
    )


def _named(design: Design, row: int, name: str) -> Child | None:
    """Returns the instance of a name; the labels of generate blocks may be left out."""
    children = design.view(row).children
    labelled = (one for whole, one in children.items() if whole.rpartition(".")[2] == name)
    return children.get(name) or next(labelled, None)


def _several(design: Design, name: str, rows: list[int]) -> str:
    """Returns the message for a name that signals of several units have."""
    told = []
    for row in rows[:NAMED]:
        unit = design.flows.units[row]
        line = design.view(row).lines.get(name, unit.line)
        told.append(f"{unit.name}.{name} ({Location(unit.path, line)})")
    more = f" and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
    return (
        f"{name[:200]!r} is a signal of {len(rows)} units: {', '.join(told)}{more}; "
        "name one as UNIT.NAME"
    )


def _unknown(design: Design, words: list[str]) -> str:
    short = ".".join(words)[:200]
    last = words[-1][:200]
    if short in design.flows.by_name:
        row = design.flows.by_name[short][0]
        unit = design.flows.units[row]
        signal = next(iter(sorted(design.view(row).ports)), "SIGNAL")
        return (
            f"{short!r} is a {unit.kind} ({Location(unit.path, unit.line)}), no signal: name one "
            f"of its signals, as {short}.{signal}"
        )
    near = difflib.get_close_matches(last, design.flows.by_signal, n=5, cutoff=0.7)
    if not near:
        return f"nothing is called {short!r} among the signals; `hdlgraph who` finds other names"
    told = []
    for one in near:
        unit = design.flows.units[design.flows.by_signal[one][0]]
        told.append(f"{unit.name}.{one} ({Location(unit.path, unit.line)})")
    return f"nothing is called {short!r} among the signals; did you mean {', '.join(told)}?"
