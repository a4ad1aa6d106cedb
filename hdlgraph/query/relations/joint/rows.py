"""What speaks for each file as the answer to a question for a relation: one row of numbers each.

A file has one row by itself and one for each edge by which it may answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hdlgraph.query.relations.answers import looked_up
from hdlgraph.query.relations.asked import Sought
from hdlgraph.query.relations.joint.attributes import attributes
from hdlgraph.query.relations.joint.candidates import candidates, named
from hdlgraph.query.relations.joint.cue_words import SOUGHT
from hdlgraph.query.relations.joint.kinds import KINDS
from hdlgraph.query.relations.joint.pairs import Pair
from hdlgraph.query.relations.joint.sides import Side, Sides, Words
from hdlgraph.query.relations.readings.clauses import WH, has_name
from hdlgraph.query.relations.readings.read import Reading
from hdlgraph.query.relations.readings.weighed import Weighed

FILES, UNITS_EACH = 40, 3
"""Files that the plain ranking finds first, around which edges are looked up; units of each."""
EXACT, PARENTS, TOLD = 0.9, 24, 60
"""Sureness of what is named; units above one, and characters of an edge, that are looked at."""
BASE = ("plain", "plain of a relation", "read", "read, named", "named", "present", "present first")
OF_EDGE = (
    "edge", "plain known", "named known", "name known", "near known", "told known", "name", "near",
    "told", "known near", "near of known", "said", "identifiers", "one level", "two levels", "test",
    "net said", "named itself", "net named", "under named", "levels asked", "top", "both named",
)  # fmt: skip
"""What the rows hold; behind BASE stands what a file has for each kind, then the kind itself."""
AT_HAS, AT_KIND = len(BASE), len(BASE) + len(KINDS)
AT_EDGE = AT_KIND + len(KINDS)
WIDTH = AT_EDGE + len(OF_EDGE)
JOIN, PARENT = KINDS.index("join"), KINDS.index("parent")
_BREAK = re.compile(
    r"\b(?:is|are|was|does|do|did|can|gets?|has|have|that|which|who|to|of|in|inside|by|from|for|on"
    r"|into|with)\b", re.I,
)  # fmt: skip
_LEVELS = re.compile(r"\b(?:levels?|deep|further|two|several|couple|steps?)\b", re.I)


class Row(NamedTuple):
    """A file with what speaks for it: alone (`kind` -1) or by an edge of a kind."""

    number: int
    kind: int
    pair: Pair | None
    values: np.ndarray


@dataclass(frozen=True)
class Question:
    """A question as rows are made of it.

    `likely` are the probabilities of `kinds.KINDS`, `present` the scores of all files with what
    readings say, 0 to 1; `first` is the file that is best by these where they say anything, or -1.
    """

    text: str
    likely: tuple[float, ...]
    readings: tuple[Reading, ...]
    sides: Sides
    words: Words
    present: np.ndarray
    first: int

    @cached_property
    def by_name(self) -> list[int]:
        """Returns the units and files that the question writes by name."""
        return named(self.words, self.sides.resolver)

    @property
    def named(self) -> list[int]:
        """Returns the numbers of the files of what the question writes by name."""
        design = self.sides.resolver.design
        numbers = dict.fromkeys(design.file(row) for row in self.by_name)
        return [number for number in numbers if number >= 0]

    @property
    def shares(self) -> list[float]:
        """Returns the roots of the probabilities: a kind that is not sure counts as well."""
        return [float(one**0.5) for one in self.likely]


def rows(asked: Question) -> list[Row]:
    """Returns the rows of all files that may answer."""
    sides, design = asked.sides, asked.sides.resolver.design
    top = np.argsort(-sides.plain, kind="stable")[:FILES].tolist()
    units = [row for number in top for row in design.units_of.get(number, ())[:UNITS_EACH]]
    by_name = asked.by_name
    found = [
        (kind, pair)
        for kind, pair in candidates(asked.likely, units, by_name, asked.words, sides.resolver)
        if pair.asked >= 0 and pair.asked != pair.known
    ]
    read = _read(asked)
    files = set(asked.named)
    numbers = dict.fromkeys([*top, *read, *sorted(files), *(pair.asked for _, pair in found)])
    alone = {number: _alone(number, asked, read, number in files) for number in numbers}
    out = [Row(number, -1, None, values) for number, values in alone.items()]
    return out + list(_by_edges(found, asked, alone, frozenset(by_name)))


def _read(asked: Question) -> dict[int, tuple[float, float]]:
    """Returns how well each file answers a reading, and a reading of what is named."""
    found: dict[int, tuple[float, float]] = {}
    weighed = Weighed(asked.sides.resolver, asked.sides.plain)
    for one in asked.readings:
        answer = looked_up(one.asked, weighed)
        exact = has_name(one.asked.name) and answer.sure >= EXACT
        for number, weight in answer.weight.items():
            value = one.likely * weight / answer.top * min(1.0, answer.sure)
            was = found.get(number, (0.0, 0.0))
            found[number] = max(was[0], value), max(was[1], value * exact)
    return found


def _alone(
    number: int, asked: Question, read: Mapping[int, tuple[float, float]], is_named: bool
) -> np.ndarray:
    out = np.zeros(WIDTH, np.float32)
    plain, relation = float(asked.sides.plain[number]), sum(asked.likely)
    out[:AT_HAS] = (
        plain, plain * relation, *read.get(number, (0.0, 0.0)), relation * is_named,
        asked.present[number], number == asked.first,
    )  # fmt: skip
    resolver = asked.sides.resolver
    has = resolver.kept(("attributes", number), lambda: attributes(number, resolver))
    out[AT_HAS:AT_KIND] = np.multiply(has, asked.shares)
    return out


def _by_edges(
    found: Iterable[tuple[int, Pair]], asked: Question, alone: Mapping[int, np.ndarray],
    by_name: frozenset[int],
) -> Iterator[Row]:  # fmt: skip
    """Yields a row for each two files and kind: that of the edge that says most of a question."""
    best: dict[tuple[int, int, int, int], tuple[float, Pair]] = {}
    told = asked.sides.resolver.design.graph.edges.column("text")
    for kind, pair in found:
        said = _said(pair, asked, told)
        key = (kind, pair.asked, pair.known, pair.level)
        if key not in best or best[key][0] < sum(said):
            best[key] = sum(said), pair
    texts = {kind: _ends(asked, kind) for kind in {key[0] for key in best}}
    for (kind, *_), (_, pair) in best.items():
        values = alone[pair.asked].copy()
        share = asked.shares[kind]
        values[AT_KIND + kind] = share
        values[AT_EDGE:] = np.multiply(
            _of_edge(kind, pair, asked, texts[kind], by_name, told), share
        )
        yield Row(pair.asked, kind, pair, values)


def _said(pair: Pair, asked: Question, told: Sequence[str]) -> tuple[float, float]:
    """Returns which share of the question, and of its identifiers, the names of an edge say."""
    design = asked.sides.resolver.design
    names = [design.last(row) for row in pair.rows]
    names += [told[edge].partition("\n")[0][:TOLD] for edge in pair.edges[:2]]
    return asked.words.said(names), asked.words.named(names)


def _ends(asked: Question, kind: int) -> tuple[Side, Side]:
    """Returns what the answer is called, and what is known, as a reading or the question says."""
    fitting = [one for one in asked.readings if one.asked.sought in SOUGHT[kind]]
    wh = WH.search(asked.text)
    rest = asked.text[wh.end() :] if wh else ""
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


def _of_edge(
    kind: int, pair: Pair, asked: Question, texts: tuple[Side, Side], by_name: frozenset[int],
    told: Sequence[str],
) -> list[float]:  # fmt: skip
    sides, (called, known) = asked.sides, texts
    design, number = sides.resolver.design, pair.asked
    k_row, a_row, *more = pair.rows
    nets = [design.last(row) for row in more]
    above = {f.row for f in design.parents(a_row)[:PARENTS]} - {k_row} if kind == PARENT else set()
    others = [k_row, *more[:1]] if kind == JOIN else [k_row]
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
        *_said(pair, asked, told),
        float(pair.level == 1),
        float(pair.level >= 2),
        float(sides.resolver.tests(number)),
        asked.words.said(nets),
        float(a_row in by_name),
        float(any(one.lower() in asked.words.identifiers for one in nets)),
        float(not by_name.isdisjoint(above)),
        float(pair.level >= 1 and _LEVELS.search(asked.text) is not None),
        float(not design.parents(a_row)),
        float(kind == JOIN and all(row in by_name for row in others)),
    ]


def _mean(values: np.ndarray, rows: Sequence[int], pair: Pair, file_of: object) -> float:
    """Returns the mean of what the files of the known ends have, 0 for one without a file."""
    numbers = [pair.known, *(file_of(row) for row in rows[1:])]  # type: ignore[operator]
    return sum(float(values[one]) if one >= 0 else 0.0 for one in numbers) / len(numbers)
