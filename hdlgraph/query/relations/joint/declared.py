"""Finds files by what they declare: a setting or a type that a question means, and its value."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.query.best import highest
from hdlgraph.query.relations.design import DEFINES, TYPES, Design
from hdlgraph.query.relations.facts.value import fits, value_of
from hdlgraph.query.relations.joint.pairs import Pair, Way
from hdlgraph.query.relations.joint.sides import Words
from hdlgraph.query.relations.resolve import Resolver

MOST, MEMBERS = 60, 2
"""Declarations that are looked at, and members of a type that are told."""
_NAME = re.compile(r"[A-Za-z_][\w$]*")


def declared(
    design: Design, resolver: Resolver, words: Words, wanted: frozenset[str]
) -> Iterator[Pair]:
    """Yields (file that declares, none) for the settings or types that a question may mean.

    Args:
        design: the design.
        resolver: of the index.
        words: of the question.
        wanted: kinds of nodes, those of settings or of types.
    """
    for row in _likeliest(design, resolver, words, wanted):
        define = next(iter(design.into(row, DEFINES)), None)
        owner, detail = design.owner(row), design.details[row]
        names = _members(detail, words) if design.kinds[row] in TYPES else ()
        edges = () if define is None else (define.edge,)
        yield Pair(design.file(row), -1, edges, (owner, owner, row), 0, Way.DECLARED, names,
                   fits(value_of(detail), words.text))  # fmt: skip


def _likeliest(
    design: Design, resolver: Resolver, words: Words, wanted: frozenset[str]
) -> list[int]:
    """Returns the declarations whose names say most of a question, those it writes first."""
    lasts = [word.rpartition("::")[2] for word in sorted(words.identifiers)]
    own = [row for word in lasts for row in design.called.get(word, ())]
    if wanted == TYPES and lasts:
        members = resolver.kept("members", lambda: members_of(design))
        own += [row for word in lasts for row in members.get(word, ())]
    exact = [row for row in own if design.kinds[row] in wanted and design.file(row) >= 0][:MOST]
    scores = resolver.declared_scores(words.text, wanted == TYPES)
    likeliest = highest(scores, MOST)
    order = sorted(likeliest, key=lambda row: (-round(scores[row], 6), design.paths[row], row))
    return list(dict.fromkeys([*exact, *order[:MOST]]))


def members_of(design: Design) -> dict[str, list[int]]:
    """Returns lower-case name of a value of an enumeration -> the types that have it."""
    found: dict[str, list[int]] = {}
    for row in design.of_kind(TYPES):
        if design.details[row].startswith("enum"):
            names = _NAME.findall(design.details[row].partition("{")[2].lower())
            for name in dict.fromkeys(names):
                found.setdefault(name, []).append(row)
    return found


def _members(detail: str, words: Words) -> tuple[str, ...]:
    """Returns the members of a type whose names say most of a question."""
    told = [name for name in dict.fromkeys(_NAME.findall(detail)) if words.says(name)]
    told.sort(key=lambda name: -words.said([name]) - words.named([name]))
    return tuple(told[:MEMBERS])
