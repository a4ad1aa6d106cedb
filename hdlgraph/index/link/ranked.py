"""Ranks the definitions that a name may mean: the likeliest first, with their shares."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from hdlgraph.index.filesets.evidence import REASONS, Evidence
from hdlgraph.index.link.candidates import MOST, TEST_ROLES
from hdlgraph.index.link.kin import Kin

MIN_SHARE = 0.01
TIER_WEIGHT = 0.25
"""A candidate of the next farther tier weighs this much of one in the tier before."""

CLOSEST = 4
"""Ports and parameters are connected to at most this many equally near candidates."""

ONLY, OWN_FILE, NEAREST = "only definition", "same file", "nearest folder"
FIRST, OWN_COPY = "first by path among equally near ones", "same copy of the folder"
LIBRARY = "in a library that its folder uses otherwise"
HAS_PORTS, INCLUDED = "has the connected ports", "in a file that the user includes"
"""Why a definition is the likeliest of its name."""


class Target(NamedTuple):
    """A definition that a name may mean; `tier` 0 are the nearest, equally likely ones.

    `reason` says of the likeliest one why it is that, "" of the others.
    """

    entry: Any
    confidence: float
    resolved: str
    tier: int
    reason: str = ""


@lru_cache(maxsize=65536)
def distance(one: str, other: str) -> tuple[bool, int]:
    """Returns (whether two paths lie in different top-level trees, folders between them)."""
    a, b = one.split("/")[:-1], other.split("/")[:-1]
    common = 0
    for left, right in zip(a, b, strict=False):
        if left != right:
            break
        common += 1
    return (a[:1] != b[:1], len(a) + len(b) - 2 * common)


def rank(
    path: str, role: str, entries: Sequence[Any], joined: Joined | None = None
) -> list[Target]:
    """Returns the `MOST` nearest entries as targets of a use in `path`, ties by path.

    Those that `joined` says are joined to the user more closely come before nearer ones.
    """
    if len(entries) == 1:
        return [Target(entries[0], 1.0, "unique", 0, ONLY)]
    tested = role in TEST_ROLES

    def key(entry: Any) -> tuple[Any, ...]:
        apart, steps = distance(path, entry.path)
        level = joined.level(entry.path) if joined else 0
        strange = apart and joined is not None and not joined.kin.uses(path, entry.path)
        return (level, apart, strange, not tested and entry.role in TEST_ROLES, steps)

    keyed = sorted(((key(entry), entry.path, entry.row, entry) for entry in entries), key=_first)
    del keyed[MOST:]
    tiers = {value: tier for tier, value in enumerate(dict.fromkeys(item[0] for item in keyed))}
    weights = [TIER_WEIGHT ** tiers[item[0]] for item in keyed]
    total = sum(weights)
    found = [
        Target(item[3], max(MIN_SHARE, round(weight / total, 4)), "candidate", tiers[item[0]])
        for item, weight in zip(keyed, weights, strict=True)
    ]
    found[0] = found[0]._replace(reason=_reason(keyed, joined))
    return found


def _reason(keyed: Sequence[tuple[Any, ...]], joined: Joined | None) -> str:
    """Returns why the first of some entries, which stand behind their keys, is the likeliest."""
    first, second = keyed[0][0], keyed[1][0]
    if first == second:
        return FIRST
    if joined and first[0] != second[0]:
        return joined.reason(first[0])
    return LIBRARY if first[:2] == second[:2] and first[2] != second[2] else NEAREST


class Joined(NamedTuple):
    """What joins a user to other files: filesets, the files that it includes, libraries."""

    kin: Kin
    evidence: Evidence
    sets: tuple[int, ...]
    included: frozenset[str]

    def level(self, path: str) -> int:
        """Returns how closely a file is joined to the user, 0 the most."""
        return 0 if path in self.included else 1 + self.evidence.level(self.sets, path)

    def reason(self, level: int) -> str:
        """Returns what a level means, in words."""
        return REASONS[level - 1] if level else INCLUDED


def _first(item: tuple[Any, ...]) -> tuple[Any, ...]:
    return item[:3]


def nearest(targets: Sequence[Target]) -> list[Target]:
    """Returns the targets of the nearest tier, at most `CLOSEST`."""
    return [target for target in targets if target.tier == 0][:CLOSEST]


def restricted(targets: Sequence[Target], kept: Sequence[Target]) -> list[Target]:
    """Returns the targets in `kept` with their shares computed anew; all targets if it is empty."""
    if not kept or len(kept) == len(targets):
        return list(targets)
    if len(kept) == 1:
        return [kept[0]._replace(confidence=1.0, resolved="unique", tier=0, reason=INCLUDED)]
    total, first = sum(target.confidence for target in kept), kept[0].tier
    return [
        target._replace(confidence=round(target.confidence / total, 4), tier=target.tier - first)
        for target in kept
    ]
