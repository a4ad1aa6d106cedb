"""Adds to `path` the walks between classes over what they create, start and send to each other."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from hdlgraph.model import NodeKind
from hdlgraph.model.kinds import EdgeKind, relation
from hdlgraph.query.verification.library import Class
from hdlgraph.query.verification.links import Link

if TYPE_CHECKING:
    from hdlgraph.query.verification.find import Verification

STEPS = 6
"""Steps of a walk."""
CLASS = NodeKind.CLASS.value
_FOLLOWED = frozenset((EdgeKind.CREATES.value, EdgeKind.SENDS_TO.value, EdgeKind.STARTS.value))


def walks(known: Verification | None, found: dict[str, Any], limit: int) -> dict[str, Any]:
    """Returns an answer of `path` with a walk over the code of a testbench, where one is as short.

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
    shortest = min((len(one["steps"]) for one in found["walks"]), default=STEPS + 1)
    if len(way) > shortest:
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


def _shortest(
    known: Verification, starts: list[Class], ends: set[int]
) -> list[tuple[Link, bool]] | None:
    links = known.described.links
    ways: dict[int, list[tuple[Link, bool]]] = {one.row: [] for one in starts}
    front = deque(starts)
    while front:
        one = front.popleft()
        way = ways[one.row]
        if len(way) >= STEPS:
            continue
        both = [(link, True) for link in links.out(one)] + [(two, False) for two in links.into(one)]
        for link, forward in both:
            other = link.target if forward else link.source
            if link.kind not in _FOLLOWED or other.row in ways:
                continue
            ways[other.row] = [*way, (link, forward)]
            if other.row in ends:
                return ways[other.row]
            front.append(other)
    return None


def _near(step: tuple[Link, bool]) -> Class:
    return step[0].source if step[1] else step[0].target


def _cost(way: list[tuple[Link, bool]]) -> int:
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
        "path": link.path,
        "line": link.line,
        "location": link.location,
        "text": link.text,
        "confidence": 1.0,
        "resolved": True,
        "witnesses": ["regex"],
        "trust": "single",
        "to": _place(link.target if forward else link.source),
        "more": 0,
    }
