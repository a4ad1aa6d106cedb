"""What the statements of a unit do with its nets: those they drive, read, derive from others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from hdlgraph.errors import IndexVersionError
from hdlgraph.model.flow import Flow
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.relations.resolve import Resolver
from hdlgraph.store.design.flows import FOLDER, Flows

HOPS, MOST = 2, 12
"""Statements from a net to one derived from it, and such nets of one."""
NOT_DESIGN = frozenset(("assert", "initial", "final"))
"""Kinds of blocks by which nothing of the design flows."""


class Logic(NamedTuple):
    """Nets by name: those that statements of a unit drive, read, and derive from each."""

    driven: frozenset[str]
    read: frozenset[str]
    derived: dict[str, tuple[str, ...]]


NOTHING = Logic(frozenset(), frozenset(), {})


def flows_of(index: IndexView) -> Flows | None:
    """Returns the flows of all units, None where the index has none."""
    if not (index.folder / FOLDER).is_dir():
        return None
    if index.held is not None:
        index.held.check(FOLDER)
    try:
        return Flows(index.folder)
    except IndexVersionError:
        return None


def logic_of(unit: int, resolver: Resolver, flows: Flows | None) -> Logic:
    """Returns what the statements of a unit do with its nets; nothing where that is not known."""
    at = flows.by_id.get(resolver.design.unit_id(unit)) if flows else None
    if flows is None or at is None:
        return NOTHING
    return resolver.kept(("logic", unit), lambda: _logic(flows.flow(at)))


def _logic(flow: Flow) -> Logic:
    names = [name.partition(".")[0] for name in flow.names]
    driven: set[str] = set()
    read: set[str] = set()
    next_: dict[str, dict[str, None]] = {}
    for block in flow.blocks:
        if block.kind in NOT_DESIGN:
            continue
        for step in block.steps:
            sources = dict.fromkeys(names[one] for one in step.reads)
            targets = dict.fromkeys(names[one] for one, _ in step.writes)
            driven.update(targets)
            read.update(sources)
            for one in sources:
                next_.setdefault(one, {}).update(targets)
    read.update(names[one] for guard in flow.guards for one in guard.reads)
    return Logic(frozenset(driven), frozenset(read), {one: _behind(one, next_) for one in next_})


def _behind(name: str, next_: dict[str, dict[str, None]]) -> tuple[str, ...]:
    """Returns the nets that a few statements derive from one, the nearest first."""
    found: dict[str, None] = {}
    front: Iterable[str] = (name,)
    for _ in range(HOPS):
        front = [two for one in front for two in next_.get(one, ())
                 if two != name and two not in found]  # fmt: skip
        found.update(dict.fromkeys(front))
    return tuple(found)[:MOST]
