"""Adds to `path` the walks between classes: over bases, and what they create, start and send."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from hdlgraph.model import NodeKind
from hdlgraph.model.kinds import EdgeKind, relation
from hdlgraph.query.verification.library import Class
from hdlgraph.query.verification.links import Link, link_record

if TYPE_CHECKING:
    from hdlgraph.query.verification.find import Verification

STEPS = 7
"""Steps of a walk, turns counted: further apart two classes have little to do with each other."""
TURN = 2
"""Steps for which it counts to turn round: two classes with one base have little in common."""
CLASS = NodeKind.CLASS.value
_FOLLOWED = frozenset((EdgeKind.CREATES.value, EdgeKind.SENDS_TO.value, EdgeKind.STARTS.value))
_Way = tuple[tuple[Link, bool], ...]


def walks(known: Verification | None, found: dict[str, Any], limit: int) -> dict[str, Any]:
    """Returns an answer of `path` with a walk over the code of a testbench first, where one is.

    What the design graph has between classes leads over files and macros that they share.

    Args:
        known: the verification of the design, None for nothing.
        found: the answer from the design graph.
        limit: the greatest number of walks.
    """
    if known is None:
        return found
    starts, ends = _of(known, found.get("sources", ())), _of(known, found.get("targets", ()))
    way = _shortest(known, starts, {one.row for one in ends}) if starts and ends else None
    if way is None:
        return found
    walk = {
        "cost": _cost(way),
        "start": _place(_near(way[0])),
        "steps": [_step(*one) for one in way],
    }
    return {**found, "walks": [walk, *found["walks"]][:limit], "total": found["total"] + 1}


def _of(known: Verification, nodes: Any) -> list[Class]:
    return [
        one
        for node in nodes
        if node["kind"] == CLASS
        for one in known.library.named(str(node["name"]).rpartition(".")[2])
        if one.path == node["path"]
    ]


def _shortest(known: Verification, starts: list[Class], ends: set[int]) -> _Way | None:
    """Returns the walk of the least steps, each turn counted as several; None without one."""
    extended = _extended(known)
    number = count()
    front: list[tuple[int, int, Class, bool | None, _Way]] = [
        (0, next(number), one, None, ()) for one in starts
    ]
    done: set[tuple[int, bool | None]] = set()
    while front:
        far, _, one, way_on, way = heapq.heappop(front)
        if way and one.row in ends:
            return way
        if (one.row, way_on) in done:
            continue
        done.add((one.row, way_on))
        for link, forward in _steps(known, one, extended):
            other = link.target if forward else link.source
            cost = far + 1 + TURN * (way_on not in (None, forward))
            if cost <= STEPS:
                step = (*way, (link, forward))
                heapq.heappush(front, (cost, next(number), other, forward, step))
    return None


def _steps(
    known: Verification, one: Class, extended: dict[int, list[Link]]
) -> Iterator[tuple[Link, bool]]:
    """Yields the steps that lead on from a class: (edge, whether along it)."""
    links = known.described.links
    base = _base(known, one)
    if base is not None:
        yield base, True
    yield from ((link, True) for link in _followed(links.out(one)))
    yield from ((link, False) for link in extended.get(one.row, ()))
    yield from ((link, False) for link in _followed(links.into(one)))


def _followed(links: list[Link]) -> list[Link]:
    """Returns the edges that a walk may take; a start says more than the creation before it."""
    found = (link for link in links if link.kind in _FOLLOWED)
    return sorted(found, key=lambda link: link.kind != EdgeKind.STARTS)


def _base(known: Verification, one: Class) -> Link | None:
    """Returns the edge to the class that a class extends, None where the repository has none."""
    chain = known.library.chain(known.library.class_at(one.row))
    if len(chain) < 2 or not chain[1].known:
        return None
    text = known.library.rows[one.row][1].extends
    return Link(EdgeKind.EXTENDS, one, chain[1], one.path, one.line, text)


def _extended(known: Verification) -> dict[int, list[Link]]:
    """Returns the edges from the classes that extend each class, by its row."""
    found: dict[int, list[Link]] = defaultdict(list)
    for one in known.library.all():
        link = _base(known, one)
        if link is not None:
            found[link.target.row].append(link)
    return found


def _near(step: tuple[Link, bool]) -> Class:
    return step[0].source if step[1] else step[0].target


def _cost(way: _Way) -> int:
    return sum(relation(link.kind).cost for link, _ in way)


def _place(one: Class) -> dict[str, Any]:
    return {
        "id": f"{CLASS}:{one.path}#{one.name}",
        "kind": CLASS,
        "name": one.name,
        "path": one.path,
        "line": one.line,
        "location": f"{one.path}:{one.line}",
    }


def _step(link: Link, forward: bool) -> dict[str, Any]:
    return {
        "kind": str(link.kind),
        "forward": forward,
        "words": relation(link.kind).words(forward),
        **link_record(link),
        "to": _place(link.target if forward else link.source),
        "more": 0,
    }
