"""The tops of a repository: units of the design that nothing in the design instantiates."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from hdlgraph.errors import UsageError
from hdlgraph.index.elaborate.closure import TESTS
from hdlgraph.index.elaborate.design import BINDS, INSTANTIATES, UNITS, Design

TOPS = frozenset({"module", "program"})
MAX_LISTED = 8
"""Candidates and near names that a message has."""


_PLACEHOLDER = re.compile(r"_[A-Z0-9_]+_")
"""How the name of a module reads that a generator is to fill in."""


class Top(NamedTuple):
    """A top: its row, and how many different units its hierarchy has."""

    row: int
    size: int


def find_tops(design: Design, roles: Mapping[str, str], without: Collection[int] = ()) -> list[Top]:
    """Returns the tops of the design, those with the largest hierarchy first, ties by path.

    What test code instantiates, or what has a role in testing itself, does not count, unless
    there is nothing else; templates, whose names are placeholders, come last.

    Args:
        design: the graph.
        roles: the role of each file by path.
        without: rows of units that count as if they were not there.
    """
    tested = _tops(design, lambda path: roles.get(path) in TESTS, without)
    found = tested or _tops(design, lambda path: False, without)
    sized = [Top(row, _size(design, row)) for row in found]

    def key(top: Top) -> tuple[bool, int, str, str]:
        name = design.names[top.row]
        is_template = _PLACEHOLDER.fullmatch(name) is not None
        return is_template, -top.size, design.paths[top.row], name

    return sorted(sized, key=key)


def _tops(
    design: Design, is_left_out: Callable[[str], bool], without: Collection[int]
) -> list[int]:
    """Returns the modules that nothing in the design instantiates or binds."""
    edges = design.graph.edges
    columns = [edges.column(name) for name in ("kind", "source", "target", "path")]
    used = {
        target
        for kind, source, target, path in zip(*columns, strict=True)
        if kind in (INSTANTIATES, BINDS)
        and design.kinds[source] in UNITS
        and source not in (target, *without)
        and not is_left_out(path)
    }
    return [
        row
        for row, kind in enumerate(design.kinds)
        if kind in TOPS
        and row not in used
        and row not in without
        and design.paths[row]
        and not is_left_out(design.paths[row])
    ]


def _size(design: Design, row: int) -> int:
    seen, waiting = {row}, [row]
    while waiting:
        for one in design.links(waiting.pop()):
            if one.kind == INSTANTIATES and one.target not in seen and design.paths[one.target]:
                seen.add(one.target)
                waiting.append(one.target)
    return len(seen)


def named_tops(design: Design, names: Sequence[str]) -> list[int]:
    """Returns the rows of the units that a user names as tops.

    Args:
        design: the graph.
        names: names of modules, or ids of nodes where a name has several definitions.

    Raises:
        UsageError: nothing has that name, it is no module, or it has several definitions.
    """
    return [_named(design, name.strip()) for name in dict.fromkeys(names)]


def _named(design: Design, name: str) -> int:
    row = design.graph.row(name)
    if row >= 0 and design.kinds[row] in UNITS and design.paths[row]:
        return row
    found = design.units.get(name, [])
    if not found:
        known = [one for one, rows in design.units.items() if design.kinds[rows[0]] in TOPS]
        near = difflib.get_close_matches(name[:200], known, MAX_LISTED, 0.6)
        hint = f"did you mean {', '.join(near)}?" if near else "`hdlgraph tree` lists the tops"
        raise UsageError(f"--top {name!r}: no unit has that name; {hint}")
    modules = [one for one in found if design.kinds[one] in TOPS]
    if not modules:
        raise UsageError(f"--top {name!r}: is a {design.kinds[found[0]]}, not a module")
    if len(modules) > 1:
        ids = design.graph.nodes.column("id")
        listed = ", ".join(ids[one] for one in modules[:MAX_LISTED])
        raise UsageError(
            f"--top {name!r}: has {len(modules)} definitions; name one of them: {listed}"
        )
    return modules[0]
