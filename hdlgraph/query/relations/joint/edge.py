"""What speaks for a file as an answer by one edge: how well both its ends and its names fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from hdlgraph.query.relations.design import BELOW, PORT
from hdlgraph.query.relations.facts.logic import NOTHING, flows_of, logic_of
from hdlgraph.query.relations.joint.cue_words import SOUGHT
from hdlgraph.query.relations.joint.kinds import KINDS
from hdlgraph.query.relations.joint.pairs import Pair, Way, up
from hdlgraph.query.relations.joint.question import Question, Row
from hdlgraph.query.relations.joint.sides import Side
from hdlgraph.query.relations.readings.clauses import wanted_at
from hdlgraph.query.relations.sought import Sought

PARENTS, TOLD = 24, 60
"""Units above one, and characters of an edge, that are looked at."""
OF_EDGE = (
    "edge", "plain known", "named known", "name known", "near known", "told known", "name", "near",
    "told", "known near", "near of known", "said", "identifiers", "one level", "two levels", "test",
    "net said", "named itself", "net named", "under named", "levels asked", "top", "both named",
    "guarded", "deeper", "outwards", "crossing", "clocked in", "wired", "routed",
    "declared", "namesake", "beside", "logic", "tied", "agrees", "guarded agrees", "above",
    "around", "around, behind the most",
    "explained", "all explained", "value agrees", "acts", "passes on",
    "part named", "inner part named",
)  # fmt: skip
WAYS = tuple(Way)[1:]
_WAYS = {one: tuple(float(one is way) for way in WAYS) for one in Way}
PARENT, CONFIGURED = KINDS.index("parent"), KINDS.index("configured")
DRIVES, READS = KINDS.index("drives"), KINDS.index("reads")
PAIRED = frozenset((KINDS.index("join"), KINDS.index("between")))
"""Kinds of which two ends may be known."""
_BREAK = re.compile(
    r"\b(?:is|are|was|does|do|did|can|gets?|has|have|that|which|who|to|of|in|inside|by|from|for|on"
    r"|into|with)\b", re.I,
)  # fmt: skip
_LEVELS = re.compile(r"\b(?:levels?|deep|further|two|several|couple|steps?)\b", re.I)


def said(pair: Pair, asked: Question) -> tuple[float, float]:
    """Returns which share of the question, and of its identifiers, the names of an edge say."""
    design = asked.sides.resolver.design
    told = design.graph.edges.column("text")
    names = [design.last(row) for row in pair.rows]
    names += [told[edge].partition("\n")[0][:TOLD] for edge in pair.edges[:2]]
    names += pair.names
    return asked.words.said(names), asked.words.named(names)


def around(pairs: Sequence[Pair], asked: Question) -> list[float]:
    """Returns which share of the question stands around the lines of the edges of each pair."""
    design = asked.sides.resolver.design
    paths, lines = (design.graph.edges.column(name) for name in ("path", "line"))
    by_path: dict[str, dict[int, float]] = {}
    for pair in pairs:
        for edge in pair.edges[:2]:
            by_path.setdefault(paths[edge], {})[lines[edge]] = 0.0
    asked.nearby.read(number for path in by_path if (number := design.file_of(path)) >= 0)
    for path, found in by_path.items():
        number = design.file_of(path)
        if number >= 0:
            shares = asked.nearby.shares(number, list(found)).tolist()
            found.update(zip(found, shares, strict=True))
    return [max((by_path[paths[edge]][lines[edge]] for edge in pair.edges[:2]), default=0.0)
            for pair in pairs]  # fmt: skip


def ends(asked: Question, kind: int) -> tuple[Side, Side]:
    """Returns what the answer is called, and what is known, as a reading or the question says."""
    fitting = [one for one in asked.readings if one.asked.sought in SOUGHT[kind]]
    wanted = wanted_at(asked.text)
    rest = asked.text[wanted[1] :] if wanted else ""
    stop = _BREAK.search(rest)
    called = rest[: stop.start()] if stop else " ".join(rest.split()[:4])
    known = ""
    if fitting:
        best = max(fitting, key=lambda one: one.likely).asked
        pair = best.sought in (Sought.BETWEEN, Sought.MIDDLE)
        called = f"{called} {best.type} {'' if pair else best.other}"
        known = f"{best.name} {best.other if pair else ''}"
    if not known:
        known = asked.text.replace(called, " ") if called.strip() else asked.text
    return asked.sides.of(" ".join(called.split())), asked.sides.of(" ".join(known.split()))


@lru_cache(maxsize=64)
def asks_levels(text: str) -> bool:
    """Returns whether a question speaks of levels of the hierarchy."""
    return _LEVELS.search(text) is not None


def of_edge(
    row: Row, most: float, asked: Question, texts: tuple[Side, Side], by_name: frozenset[int]
) -> list[float]:
    """Returns OF_EDGE of a row that has a pair.

    Args:
        row: the two files with the edge.
        most: the greatest share of the question around the lines of any row.
        asked: the question.
        texts: what the answer is called, and what is known.
        by_name: the nodes that the question writes by name.
    """
    kind, pair = row.kind, row.pair
    assert pair is not None
    sides, (called, known) = asked.sides, texts
    design, number = sides.resolver.design, pair.asked
    k_row, a_row, *more = pair.rows
    nets = [*(design.last(row) for row in more), *pair.names]
    above = {f.row for f in design.parents(a_row)[:PARENTS]} - {k_row} if kind == PARENT else set()
    others = [k_row, *more[:1]] if kind in PAIRED else [k_row]
    return [
        1.0,
        _mean(sides.plain, others, pair, design.file),
        float(k_row in by_name),
        sum(known.named(row) for row in others) / len(others),
        _mean(known.near, others, pair, design.file),
        _mean(known.told, others, pair, design.file),
        called.named(a_row),
        float(called.near[number]),
        float(called.told[number]),
        float(known.near[number]),
        float(called.near[pair.known]) if pair.known >= 0 else 0.0,
        *row.said,
        float(pair.level == 1),
        float(pair.level >= 2),
        float(sides.resolver.tests(number)),
        asked.words.said(nets),
        float(a_row in by_name and design.file(a_row) == number),
        float(any(one.lower() in asked.words.identifiers for one in nets)),
        float(not by_name.isdisjoint(above)),
        float(pair.level >= 1 and asks_levels(asked.text)),
        float(not design.parents(a_row)),
        float(kind in PAIRED and all(row in by_name for row in others)),
        *_WAYS[pair.way],
        pair.agrees,
        pair.agrees * (pair.way is Way.GUARDED),
        _above(a_row, k_row, asked) if kind == PARENT else 0.0,
        row.near,
        row.near - most,
        *_further(kind, pair, asked),
    ]


def _further(kind: int, pair: Pair, asked: Question) -> tuple[float, ...]:
    """Returns the last of OF_EDGE: what explains the names, the value, what statements do."""
    value = pair.agrees * (kind == CONFIGURED)
    return (*explained(pair, asked), value, *_acts(kind, pair, asked), *_parts(pair, asked))


def _parts(pair: Pair, asked: Question) -> tuple[bool, bool]:
    """Returns whether the question writes the instance that the first edge states, or a later."""
    design = asked.sides.resolver.design
    told, kinds = design.graph.edges.column("text"), design.edge_kinds
    named = [kinds[edge] in BELOW and told[edge].partition(" ")[0].lower() in
             asked.words.identifiers for edge in pair.edges]  # fmt: skip
    return any(named[:1]), any(named[1:])


def explained(pair: Pair, asked: Question) -> tuple[float, float]:
    """Returns which share of the units that a question writes by name lies around an edge.

    Those are its known ends, and what lies above the end that is asked for; the second number says
    whether they are all of at least two, and none is the end that is asked for.
    """
    groups = asked.name_groups
    if not groups:
        return 0.0, 0.0
    design, resolver = asked.sides.resolver.design, asked.sides.resolver
    own = pair.rows[1]
    ends = {*pair.rows, *(design.owner(one) for one in pair.rows[2:])}
    ends |= resolver.kept(("above", own), lambda: frozenset(one for one, *_ in up(design, own)))
    if design.file(own) == pair.asked:
        ends.discard(own)
    told = sum(not group.isdisjoint(ends) for group in groups) / len(groups)
    itself = any(design.file(row) == pair.asked for group in groups for row in group)
    return told, float(told == 1.0 and len(groups) > 1 and not itself)


def _acts(kind: int, pair: Pair, asked: Question) -> tuple[bool, bool]:
    """Returns whether statements of the asked unit drive or read what an edge brings to its port.

    The second one says that it only passes it on.
    """
    drive, index = kind == DRIVES, asked.sides.asked.index
    if kind not in (DRIVES, READS) or not pair.edges:
        return False, False
    design = asked.sides.resolver.design
    port = design.targets[pair.edges[0]]
    logic = logic_of(pair.rows[1], asked.sides.resolver, index.part(flows_of))
    if logic is NOTHING or design.kinds[port] != PORT or design.owner(port) != pair.rows[1]:
        return False, False
    acts = design.last(port) in (logic.driven if drive else logic.read)
    return acts, not acts


def _above(row: int, known: int, asked: Question) -> float:
    """Returns how well the plain ranking finds what lies above a unit, at most two levels up."""
    design, plain = asked.sides.resolver.design, asked.sides.plain
    above = {fact.row for fact in design.parents(row)[:PARENTS]}
    above |= {fact.row for one in sorted(above) for fact in design.parents(one)[:PARENTS]}
    numbers = (design.file(one) for one in above - {row, known})
    return max((float(plain[one]) for one in numbers if one >= 0), default=0.0)


def _mean(
    values: np.ndarray, rows: Sequence[int], pair: Pair, file_of: Callable[[int], int]
) -> float:
    """Returns the mean of what the files of the known ends have, 0 for one without a file."""
    numbers = [pair.known, *(file_of(row) for row in rows[1:])]
    return sum(float(values[one]) if one >= 0 else 0.0 for one in numbers) / len(numbers)
