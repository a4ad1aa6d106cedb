"""Chooses among several definitions of a name the one that a whole design takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile

from hdlgraph.index.elaborate.closure import Closure
from hdlgraph.index.elaborate.design import Design
from hdlgraph.index.elaborate.walk import Walk

ROUNDS = 6
"""How often the walk is repeated with the definitions that were elected."""


def close(
    design: Design,
    tops: Sequence[int],
    roles: Mapping[str, str],
    defines: Collection[str] = (),
    *,
    near_top: bool = False,
) -> Closure:
    """Returns the files below tops, and which definitions they take.

    Uses that are linked to different definitions of a name vote: that which shares the most
    folders with the first top wins, then that which most uses are linked to.

    Args:
        design: the graph.
        tops: rows of units.
        roles: the role of each file by path.
        defines: names of macros that are given.
        near_top: whether the definition that shares the most folders with the first top wins
            even where all uses are linked to another one.
    """
    forced: dict[str, int] = {}
    near: dict[str, int] = {}
    for _ in range(ROUNDS):
        walk = Walk(design, roles, frozenset(defines), forced)
        walk.run(tops)
        if near_top:
            near |= _nearest(design, walk.found, tops)
        chosen = {**forced, **_elected(design, walk.found, tops), **near}
        if chosen == forced:
            break
        forced = chosen
    return walk.found


def _nearest(design: Design, found: Closure, tops: Sequence[int]) -> dict[str, int]:
    """Returns the definitions nearer to the first top than the chosen ones."""
    home = _folders(design, tops[0])
    nearer = {}
    for name, row in sorted(found.chosen.items()):
        shared = _shared(home, _folders(design, row))
        rivals = [one for one in design.units[name] if design.kinds[one] == design.kinds[row]]
        best = max((_shared(home, _folders(design, one)), -one) for one in rivals)
        if best[0] > shared and row not in tops:
            nearer[name] = -best[1]
    return nearer


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Returns how many folders two paths have in common from the root on."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in pairs)


def _folders(design: Design, row: int) -> list[str]:
    return design.paths[row].split("/")[:-1]


def _elected(design: Design, found: Closure, tops: Sequence[int]) -> dict[str, int]:
    """Returns the definition of each name that uses of it disagree on."""
    home = _folders(design, tops[0])

    def key(row: int, votes: Mapping[int, float]) -> tuple[float, ...]:
        return (_shared(home, _folders(design, row)), votes[row], -row)

    contested = {name for name, _ in found.others}
    return {
        name: max(found.votes[name], key=lambda row: key(row, found.votes[name]))
        for name in sorted(contested)
        if found.chosen.get(name) not in tops
    }
