"""The overview of a design: its communities down to a level, in the order in which people read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.model.community import Community
from hdlgraph.results import Moved, StageUsage

TESTS = frozenset({"testbench", "formal"})
PARTS = ("design", "vendored", "tests")
"""What a community may belong to, in the order in which people read."""
SHARE = 0.2
"""A community with so many files of the design belongs to it, tests beside them or not."""
BESIDE_TESTS = 0.1
"""So many are enough beside tests alone: a small block has ten times its own files in tests."""


class Overview(msgspec.Struct, frozen=True):
    """What `overview` returns; `to_dict()` is the JSON contract of every front end.

    `communities` are those of the levels 0 to `level`, parents before their children; `levels` is
    how many there are. `outside` counts files that belong to no community. `tables` is the state
    of GraphRAG's tables in words, `usage` what a model took for the reports just now. `stale` says
    which files moved since the index was made, `notes` what a reader should know.
    """

    root: str
    files: int
    level: int
    levels: int
    communities: tuple[Community, ...]
    outside: int = 0
    tables: str = ""
    usage: tuple[StageUsage, ...] = ()
    notes: tuple[str, ...] = ()
    stale: Moved = Moved()

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object (`schema` 1)."""
        return {"schema": 1, **msgspec.to_builtins(self), "stale": self.stale.to_dict()}


def overview_of(
    communities: Sequence[Community],
    level: int,
    *,
    root: str,
    files: int,
    tables: str = "",
    usage: Sequence[StageUsage] = (),
) -> Overview:
    """Returns the overview down to a level.

    Args:
        communities: the reports of all levels.
        level: the finest level wanted; 0 is the coarsest.
        root: the repository.
        files: how many files the index holds.
        tables: the state of GraphRAG's tables in words.
        usage: what a model took for the reports just now.

    Raises:
        UsageError: there is no such level.
    """
    levels = max((one.level for one in communities), default=0) + 1
    if not 0 <= level < levels:
        raise UsageError(f"level {level}: this overview has levels 0 to {levels - 1}")
    chosen = _in_order([one for one in communities if one.level <= level])
    placed = sum(one.files for one in communities if one.level == 0)
    return Overview(
        root, files, level, levels, tuple(chosen), max(0, files - placed), tables, tuple(usage)
    )


def part_of(one: Community) -> str:
    """Returns what a community belongs to: "design", "vendored" (from elsewhere) or "tests"."""
    total = sum(one.roles.values())
    vendored = one.roles.get("vendored", 0)
    own = sum(n for role, n in one.roles.items() if role not in TESTS) - vendored
    if own >= SHARE * total:
        return "design"
    if vendored >= SHARE * total:
        return "vendored"
    return "design" if own >= BESIDE_TESTS * total else "tests"


def _in_order(communities: Sequence[Community]) -> list[Community]:
    """Returns communities, the design first and large before small, children after parents."""
    below: dict[int, list[Community]] = {}
    numbers = {one.community for one in communities}
    for one in communities:
        below.setdefault(one.parent if one.parent in numbers else -1, []).append(one)
    found: list[Community] = []
    waiting = sorted(below.pop(-1, ()), key=_rank, reverse=True)
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += sorted(below.pop(one.community, ()), key=_rank, reverse=True)
    return found


def _rank(one: Community) -> tuple[Any, ...]:
    return PARTS.index(part_of(one)), -one.files, one.title, one.community
