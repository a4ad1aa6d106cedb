"""Ranks files for a question for a relation by the edges that may answer it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hdlgraph.query.features.feature import Asked as AskedFiles
from hdlgraph.query.features.feature import scale
from hdlgraph.query.relations.found import Found
from hdlgraph.query.relations.joint.known import likeliest
from hdlgraph.query.relations.joint.pairs import Way
from hdlgraph.query.relations.joint.question import Question, Row
from hdlgraph.query.relations.joint.rows import BASE, Rows, rows
from hdlgraph.query.relations.joint.score import PLAIN, of_files, scores_of
from hdlgraph.query.relations.joint.sides import Sides, Words
from hdlgraph.query.relations.readings.read import Reading
from hdlgraph.query.relations.resolve import Resolver

LIKELY = 0.4
"""Probability that a question asks for a relation at all from which edges decide with the plain
ranking and are shown. From .3 on, with a DOUBT of 1.5, of 1,948 questions for a relation .672 in
place of .658 have their answer first with corpora left out, but of 5,651 others 25 lose the first
place in place of 12; of 207 plain ones of a later set one more leaves the first 20."""
DOUBT = 3.0
"""How much more the plain ranking counts where that probability is low. With corpora left out,
15 of 5,937 questions for no relation lose the first place by edges, 13 win it."""
FORMED = 0.25
"""Score by which the file that a known form has first stands above its equals."""
FAR = 1e6
"""Score that takes an edge out."""
FIRST, SHOWN = 10, 6
"""Files whose edges are kept to be told, and edges of each."""
STEP = 0.01
"""Score by which the file of what is known stands behind another one."""
CLEAR, BOTH = 0.5, 2
"""How much better than the second a sure answer is; files that then are lifted behind it."""


@dataclass(frozen=True)
class Decided:
    """What edges decide: `part` is added to the scores of all files, `rows` the best row of each.

    `rows` are sorted by what speaks for their files, the first being the answer; `edges` are the
    best rows by edges of the files of the first ones.
    """

    part: np.ndarray
    rows: tuple[tuple[float, Row], ...]
    edges: Mapping[int, tuple[Row, ...]]


def asked_of(
    asked: AskedFiles, resolver: Resolver, readings: Sequence[Reading], likely: tuple[float, ...],
    part: np.ndarray | None, form: Found | None = None, placed: float = 0.5,
) -> Question:  # fmt: skip
    """Returns a question as rows are made of it.

    Args:
        asked: the question, and what the features before found.
        resolver: of the index.
        readings: of the question.
        likely: the probabilities of the kinds.
        part: what the readings or a form add to the scores, None where they say nothing.
        form: what answers the known form that the question has.
        placed: how likely the file that states the edge is asked for.
    """
    sides = Sides(asked, resolver)
    present = sides.plain if part is None else scale(asked.so_far() + part, asked.candidates)
    return Question(
        asked.question.text, likely, tuple(readings), sides,
        Words(asked.question.text, resolver), present,
        -1 if part is None else int(np.argmax(present)), form, placed,
    )  # fmt: skip


def decide(question: Question, so_far: np.ndarray, candidates: np.ndarray | None) -> Decided:
    """Returns how edges change the ranking of a question.

    Args:
        question: the question.
        so_far: the scores of all files before, float32 (n_files,).
        candidates: the files that are ranked, None for all.
    """
    made = rows(question)
    doubt = DOUBT * (1 - sum(question.likely)) * PLAIN
    scores = scores_of(made.values) + doubt * made.values[:, BASE.index("plain")]
    if question.form is not None:
        scores = scores + FORMED * made.values[:, BASE.index("present first")]
        scores = np.where(_beside(made, question.form), -FAR, scores)
    every = _by_file(made, scores)
    summed = of_files([row.number for row in made.every], scores)
    best = {number: (summed[number], found[0][1]) for number, found in every.items()}
    chosen = so_far if candidates is None else so_far[candidates]
    low, high = float(chosen.min()), float(chosen.max())
    out = np.zeros(len(so_far), np.float32)
    top = max(summed.values(), default=0.0)
    for number, (score, _) in best.items():
        out[number] = high + (high - low) * (score - top) / PLAIN - so_far[number]
    order = sorted(best.values(), key=lambda one: (-one[0], one[1].number))
    if candidates is not None:
        allowed = set(candidates.tolist())
        order = [one for one in order if one[1].number in allowed]
    if order:
        ends = likeliest(
            [row.number for row in made.every], [row.known for row in made.every], made.values,
            scores,
        )  # fmt: skip
        _known_behind(order, ends, out, so_far)
    more = {row.number: tuple(one for _, one in every[row.number][:SHOWN] if one.pair)
            for _, row in order[:FIRST]}  # fmt: skip
    return Decided(out, tuple(order), more)


def _beside(made: Rows, form: Found) -> np.ndarray:
    """Returns which rows say where a name is declared that the question asks the uses of, bool.

    A known form says what it asks for; what is declared answers it where the form says so too.
    """
    return np.array(
        [
            row.pair is not None and row.pair.way is Way.DECLARED and row.number not in form.weight
            for row in made.every
        ],
        bool,
    )


def _by_file(made: Rows, scores: np.ndarray) -> dict[int, list[tuple[float, Row]]]:
    """Returns the rows of each file with their scores, the best first."""
    every: dict[int, list[tuple[float, Row]]] = {}
    for score, row in zip(scores.tolist(), made.every, strict=True):
        every.setdefault(row.number, []).append((score, row))
    for found in every.values():
        found.sort(key=lambda one: -one[0])
    return every


def _known_behind(
    order: Sequence[tuple[float, Row]], known: Sequence[int], out: np.ndarray, so_far: np.ndarray
) -> None:
    """Lifts the files of what is known: two behind a sure answer, one behind the second file.

    People look at both ends, and asked for the other one.
    """
    if len(order) < BOTH + 1:
        return
    (first, answer), (second, other), *_ = order
    sure = first - second >= CLEAR
    allowed = {row.number for _, row in order} - {answer.number}
    if not sure:
        allowed -= {other.number}
    guesses = [one for one in known if one in allowed]
    above = answer.number if sure else other.number
    for number in guesses[: BOTH if sure else 1]:
        place = float(so_far[above] + out[above]) - STEP
        out[number] = max(float(out[number]), place - float(so_far[number]))
        above = number if float(so_far[number] + out[number]) <= place + STEP / 2 else above
