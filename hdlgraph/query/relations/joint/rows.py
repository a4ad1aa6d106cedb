"""What speaks for each file as the answer to a question for a relation: one row of numbers each.

A file has one row by itself and one for each edge by which it may answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hdlgraph.query.best import few_best
from hdlgraph.query.relations.facts import held, written
from hdlgraph.query.relations.facts.logic import flows_of
from hdlgraph.query.relations.find import looked_up
from hdlgraph.query.relations.joint import compared
from hdlgraph.query.relations.joint.attributes import attributes
from hdlgraph.query.relations.joint.candidates import candidates
from hdlgraph.query.relations.joint.edge import OF_EDGE, around, ends, of_edge, said
from hdlgraph.query.relations.joint.kinds import KINDS
from hdlgraph.query.relations.joint.pairs import Pair
from hdlgraph.query.relations.joint.question import Question, Row
from hdlgraph.query.relations.readings.clauses import has_name
from hdlgraph.query.relations.readings.weighed import Weighed

FILES, UNITS_EACH = 40, 3
"""Files that the plain ranking finds first, around which edges are looked up; units of each."""
EXACT, MOST = 0.9, 240
"""Sureness of what is named; rows by edges."""
BASE = (
    *("plain", "plain of a relation", "read", "read, named", "named", "present", "present first"),
    *("form", "form first", "form of a relation"),
    *written.HAS,
    *held.HAS,
)
"""What the rows hold; behind BASE stands what a file has for each kind, then the kind itself, what
speaks for the edge, and how both files compare with the question and with other rows."""
AT_HAS, AT_KIND = len(BASE), len(BASE) + len(KINDS)
AT_EDGE = AT_KIND + len(KINDS)
AT_COMPARED = AT_EDGE + len(OF_EDGE)
WIDTH = AT_COMPARED + compared.WIDTH


class Rows(NamedTuple):
    """Rows, and what speaks for them, float32 (rows, WIDTH)."""

    every: list[Row]
    values: np.ndarray


def rows(asked: Question) -> Rows:
    """Returns the rows of all files that may answer."""
    sides, design = asked.sides, asked.sides.resolver.design
    top = few_best(sides.plain, FILES).tolist()
    units = [row for number in top for row in design.units_of.get(number, ())[:UNITS_EACH]]
    by_name = asked.by_name
    found = [
        (kind, pair)
        for kind, pair in candidates(
            asked.likely,
            units,
            by_name,
            asked.words,
            sides.resolver,
            sides.asked.index.part(flows_of),
        )
        if pair.asked >= 0 and pair.asked != pair.known
    ]
    read = _read(asked)
    files = set(asked.named)
    by_words = [*asked.written.few(), *asked.held.few(), *sorted(files)]
    numbers = dict.fromkeys([*top, *read, *by_words, *(pair.asked for _, pair in found)])
    alone = {number: _alone(number, asked, read, number in files) for number in numbers}
    every = [Row(number) for number in numbers]
    every += _best(found, asked)
    values = np.zeros((len(every), WIDTH), np.float32)
    texts = {kind: ends(asked, kind) for kind in {row.kind for row in every if row.pair}}
    named = frozenset(by_name)
    most = max((row.near for row in every), default=0.0)
    if every:
        values[:, :AT_KIND] = [alone[row.number] for row in every]
        paired = [at for at, row in enumerate(every) if row.pair is not None]
        kinds = [every[at].kind for at in paired]
        shares = np.asarray([asked.shares[kind] for kind in kinds])
        values[paired, AT_KIND + np.asarray(kinds, np.int64)] = shares
        edges = [of_edge(every[at], most, asked, texts[every[at].kind], named) for at in paired]
        if edges:
            values[paired, AT_EDGE:AT_COMPARED] = np.multiply(edges, shares[:, None])
        values[:, AT_COMPARED:] = compared.values(every, asked, found)
    return Rows(every, values)


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
) -> tuple[float, ...]:
    """Returns BASE of a file, and what it has for each kind."""
    plain, relation = float(asked.sides.plain[number]), sum(asked.likely)
    resolver = asked.sides.resolver
    has = resolver.kept(("attributes", number), lambda: attributes(number, resolver))
    return (
        plain, plain * relation, *read.get(number, (0.0, 0.0)), relation * is_named,
        float(asked.present[number]), number == asked.first, *_formed(number, asked),
        *(value * relation for value in asked.written.of(number)),
        *(value * relation for value in asked.held.of(number)),
        *(value * share for value, share in zip(has, asked.shares, strict=True)),
    )  # fmt: skip


def _formed(number: int, asked: Question) -> tuple[float, bool, float]:
    """Returns how well a file answers the known form of a question, and whether best."""
    form = asked.form
    if form is None or number not in form.weight:
        return 0.0, False, 0.0
    share = form.weight[number] / form.top
    sure = share * min(1.0, form.sure)
    return sure, share == 1.0, sure * sum(asked.likely)


def _best(found: Sequence[tuple[int, Pair]], asked: Question) -> list[Row]:
    """Returns of each two files, kind, level and way the edge that says most of a question.

    Of more than MOST those stay whose names, lines and files speak most for them.
    """
    best: dict[tuple[int, int, int, int, int], Row] = {}
    near = around([pair for _, pair in found], asked)
    for (kind, pair), share in zip(found, near, strict=True):
        row = Row(pair.asked, kind, pair, said(pair, asked), share)
        key = (kind, pair.asked, pair.known, pair.level, pair.way)
        if key not in best or best[key].worth < row.worth:
            best[key] = row
    every = list(best.values())
    if len(every) <= MOST:
        return every
    plain = asked.sides.plain

    def worth(row: Row) -> float:
        ends = float(plain[row.number]) + (float(plain[row.known]) if row.known >= 0 else 0.0)
        return row.worth + ends + asked.shares[row.kind]

    return sorted(every, key=worth, reverse=True)[:MOST]
