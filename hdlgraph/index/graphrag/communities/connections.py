"""What joins the communities of a level: instances, nets, packages, classes and headers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hdlgraph.index.graphrag.communities.design import NET, TESTS, Design, Relation
from hdlgraph.model.community import Connection, Statement

KEPT = 12
"""Connections of a community that its report names; the strongest stay."""
EXAMPLES = 3
IN_TESTS = 0.5
"""What a test says of two parts counts so much of what the design says of them."""
BY = {
    "instantiates": "instantiated_by",
    "drives": "driven_by",
    "imports": "imported_by",
    "includes": "included_by",
    "extends": "extended_by",
    "uses": "used_by",
    "binds": "bound_by",
}
"""What a kind is called from the other side."""
Thing = tuple[str, str, str]
ORDER = {word: place for place, word in enumerate(BY)}


@dataclass(slots=True)
class _Between:
    """All uses by one community of things in another one."""

    counts: Counter[str] = field(default_factory=Counter)
    things: dict[Thing, float] = field(default_factory=dict)
    examples: dict[str, tuple[tuple[Any, ...], Statement]] = field(default_factory=dict)

    @property
    def strength(self) -> float:
        """Returns the sum over what is used, each thing once."""
        return sum(self.things.values())

    def add(self, thing: Thing, one: Relation, weight: float) -> None:
        self.counts[one.kind] += 1
        self.things[thing] = weight
        key = (-weight, one.path, one.line, one.source, one.target, one.text)
        known = self.examples.get(one.kind)
        if known is None or key < known[0]:
            self.examples[one.kind] = key, Statement(_words(one), one.path, one.line)


def _words(one: Relation) -> str:
    if one.kind == NET:
        return one.text
    source, target = one.source or _file(one.source_path), one.target or _file(one.target_path)
    label = f" as {one.text}" if one.kind == "instantiates" and one.text else ""
    return f"{source} {one.kind} {target}{label}"


def _file(path: str) -> str:
    return path.rpartition("/")[2]


def connections_of(
    design: Design, of_file: Mapping[str, int], titles: Mapping[int, str]
) -> dict[int, tuple[list[Connection], int]]:
    """Returns the strongest connections of each community, and how many more it has.

    What many communities use, such as a package of macros, joins none of them strongly: a use
    counts the less the more communities use the same.

    Args:
        design: what joins files.
        of_file: the community of each file at one level.
        titles: titles of the communities.
    """
    between: dict[tuple[int, int], _Between] = defaultdict(_Between)
    crossing = []
    users: dict[Thing, set[int]] = defaultdict(set)
    for one in (*design.nets, *design.relations):
        source, target = of_file.get(one.source_path), of_file.get(one.target_path)
        if source is None or target is None or source == target:
            continue
        thing = _thing(one)
        users[thing].add(target if one.kind == NET else source)
        crossing.append((source, target, thing, one))
    for source, target, thing, one in crossing:
        share = IN_TESTS if design.roles.get(one.path) in TESTS else 1.0
        between[source, target].add(thing, one, share / len(users[thing]))
    return _by_community(between, titles)


def _thing(one: Relation) -> Thing:
    """Returns the key of what a relation uses: a net with its driver, else a unit or a file."""
    if one.kind == NET:
        return one.kind, one.source_path, one.text.partition(" by ")[2]
    return one.kind, one.target_path, one.target


def _by_community(
    between: Mapping[tuple[int, int], _Between], titles: Mapping[int, str]
) -> dict[int, tuple[list[Connection], int]]:
    others: dict[int, set[int]] = defaultdict(set)
    for source, target in between:
        others[source].add(target)
        others[target].add(source)
    found = {}
    nothing = _Between()
    for here, there in sorted(others.items()):
        ranked = []
        for other in there:
            out, into = between.get((here, other), nothing), between.get((other, here), nothing)
            ranked.append((-(out.strength + into.strength), other, out, into))
        ranked.sort(key=lambda one: one[:2])
        made = [_connection(other, titles[other], out, into) for _, other, out, into in ranked]
        found[here] = made[:KEPT], max(0, len(made) - KEPT)
    return found


def _connection(other: int, title: str, out: _Between, into: _Between) -> Connection:
    words = sorted(out.counts, key=ORDER.__getitem__)
    by = sorted(into.counts, key=ORDER.__getitem__)
    counts = {word: out.counts[word] for word in words}
    counts |= {BY[word]: into.counts[word] for word in by}
    found = [(ORDER[word], one.examples[word]) for one in (out, into) for word in one.counts]
    found.sort(key=lambda item: (item[1][0][0], item[0], item[1][0]))
    return Connection(
        other, title, counts, tuple(statement for _, (_, statement) in found[:EXAMPLES])
    )
