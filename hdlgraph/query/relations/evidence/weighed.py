"""Which lines say best why a file answers: each is weighed by what it says, where, and of what.

The weights are fitted by `hdlgraph.eval.fit.evidence`: of each question a softmax over the lines of
all its first files, whose mass on those that state the relation is to be large.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

import msgspec
import numpy as np

from hdlgraph.query.relations.design import Design
from hdlgraph.query.relations.found import Stated
from hdlgraph.query.relations.joint.kinds import KINDS
from hdlgraph.query.relations.joint.question import Question
from hdlgraph.query.relations.nets import is_clocking

SORTS = (
    *("answer", "row", "other", "ends", "states", "names", "guards", "conditional", "nets"),
    *("between", "used", "edges", "form", "inner", "joining"),
    *("statements", "declarations", "words"),
)
"""Where a line comes from."""
VERBS = {
    "connected": " is connected to ", "instantiates": " instantiates ", "binds": " binds ",
    "bind in": " has a bind in ", "uses": " uses ", "imports": " imports ",
    "includes": " includes ", "extends": " extends ", "declared": " is declared",
    "sets": " parameterizes ", "guarded": " has code guarded by ", "condition": " is there if ",
    "drives": " drives ", "reads": " reads ", "states": " has the states of ",
    "goes": " goes from ", "tests": " is tested for ", "state": " tests its state ",
    "calls": " calls ", "waits": " waits for ", "where": " has code where ", "asks": " tests ",
    "speaks": " speaks of ",
}  # fmt: skip
"""What a line says, by the words between its names."""
SAID = (
    *("said", "said, behind the most", "named", "around", "around, behind the most", "place"),
    *("own path", "path shown", "ends shown", "best end shown", "clocking", "clocking, asked"),
    *("net said", "net named", "first file", "both"),
    *("own line", "own line, behind the most", "own line best", "own line of own path"),
)
HITS = 5
"""Files whose lines are compared."""
REMEMBERED = 1 << 14
"""Lines of which what they say is remembered."""
UNITS = 3
"""Units of a file whose names are looked for in a line."""
_NAME = re.compile(r"[A-Za-z_$][\w$.]*")
CLOCKED = KINDS.index("clocked")


class Told(NamedTuple):
    """A line of a file, where it comes from (one of SORTS), and its place among those."""

    line: Stated
    sort: str
    place: int = 0


@cache
def features() -> tuple[str, ...]:
    """Returns the names of what is known of a line."""
    verbs = (*VERBS, "other")
    sorts = (f"from {sort}" for sort in SORTS)
    of_kinds = (f"{verb} for {kind}" for verb in verbs for kind in KINDS)
    return (*SAID, *sorts, *verbs, *of_kinds, *(f"hit {rank}" for rank in range(1, HITS + 1)))


@cache
def _weights() -> np.ndarray:
    text = files(__package__).joinpath("weights.json").read_bytes()
    found: dict[str, float] = msgspec.json.decode(text)
    return np.asarray([found.get(name, 0.0) for name in features()])


def scores(
    lines: Sequence[Told], design: Design, question: Question, number: int, first: Sequence[int]
) -> np.ndarray:
    """Returns how much speaks for each line, float64 (lines,); arguments as of `values`."""
    return values(lines, design, question, number, first) @ _weights()


def single(told: Iterable[Told]) -> list[Told]:
    """Returns each line once, as it comes first."""
    found: dict[Stated, Told] = {}
    for one in told:
        found.setdefault(one.line, one)
    return list(found.values())


def values(
    lines: Sequence[Told], design: Design, question: Question, number: int, first: Sequence[int]
) -> np.ndarray:
    """Returns `features` of lines, float64 (lines, features).

    Args:
        lines: that are told of a file.
        design: the design.
        question: the question.
        number: the file.
        first: the files that are shown first.
    """
    near = _near(lines, design, question)
    words = question.words
    names = [_NAME.findall(one.line.text) for one in lines]
    said = [words.said(_parts(some)) for some in names]
    most, nearest = max(said), max(near)
    own_line = _own(lines, design, question)
    own = design.units_of.get(number, [])[:UNITS]
    shown = {design.last(row).lower(): rank for rank, one in reversed([*enumerate(first, 1)])
             if one != number for row in design.units_of.get(one, [])[:UNITS]}  # fmt: skip
    mine = {design.last(row).lower() for row in own}
    path = question.sides.resolver.path(number)
    paths = {question.sides.resolver.path(one) for one in first}
    known = mine | shown.keys()
    likely = question.likely[CLOCKED]
    rows = []
    for at, one in enumerate(lines):
        parts = _parts(names[at])
        units, nets = _split(parts, known)
        ranks = [shown[unit] for unit in units if unit in shown]
        clocking = any(map(is_clocking, nets))
        rows.append((
            said[at], said[at] - most, words.named(parts), near[at],
            near[at] - nearest, 1 / (1 + one.place), one.line.path == path,
            one.line.path in paths, len({*ranks}) / 2, max((1 / r for r in ranks), default=0.0),
            clocking, clocking * likely, words.said(nets), words.named(nets),
            number == first[0] if first else 0.0, said[at] + near[at],
            own_line[at][0], own_line[at][1], own_line[at][1] >= 0.0,
            own_line[at][0] * (one.line.path == path),
        ))  # fmt: skip
    out = _sorts(lines, question)
    out[:, : len(SAID)] = rows
    if number in first[:HITS]:
        out[:, len(features()) - HITS + list(first).index(number)] = 1.0
    return out


def _sorts(lines: Sequence[Told], question: Question) -> np.ndarray:
    """Returns `features` of lines by where they come from and what they do, 0 for the others."""
    out = np.zeros((len(lines), len(features())))
    every = np.arange(len(lines))
    out[every, len(SAID) + np.asarray([SORTS.index(one.sort) for one in lines])] = 1.0
    verbs = np.asarray([_verb(one.line.text) for one in lines])
    begin = len(SAID) + len(SORTS)
    out[every, begin + verbs] = 1.0
    begin += len(VERBS) + 1
    of_verb = begin + verbs[:, None] * len(KINDS) + np.arange(len(KINDS))
    out[every[:, None], of_verb] = question.likely
    return out


def _near(lines: Sequence[Told], design: Design, question: Question) -> list[float]:
    """Returns which share of the question stands around each line."""
    by_path: dict[str, dict[int, float]] = {}
    for one in lines:
        by_path.setdefault(one.line.path, {})[one.line.line] = 0.0
    for path, found in by_path.items():
        number = design.file_of(path)
        if number >= 0:
            shares = question.nearby.shares(number, list(found)).tolist()
            found.update(zip(found, shares, strict=True))
    return [by_path[one.line.path][one.line.line] for one in lines]


def _own(lines: Sequence[Told], design: Design, question: Question) -> list[tuple[float, float]]:
    """Returns the share of the question on each line, and that less the most of its file."""
    by_path: dict[str, dict[int, tuple[float, float]]] = {}
    for one in lines:
        by_path.setdefault(one.line.path, {})[one.line.line] = 0.0, -1.0
    for path, found in by_path.items():
        number = design.file_of(path)
        if number >= 0:
            most = question.nearby.most(number)
            shares = question.nearby.own(number, list(found)).tolist()
            found.update((line, (one, one - most)) for line, one in zip(found, shares, strict=True))
    return [by_path[one.line.path][one.line.line] for one in lines]


def _parts(names: Iterable[str]) -> list[str]:
    return [part for name in names for part in name.split(".")]


def _split(parts: Iterable[str], units: Collection[str]) -> tuple[list[str], list[str]]:
    """Returns the names of a line that are units of the files shown, and the others."""
    own: list[str] = []
    rest: list[str] = []
    for part in parts:
        (own if part.lower() in units else rest).append(part)
    return own, rest


@lru_cache(maxsize=REMEMBERED)
def _verb(text: str) -> int:
    """Returns the place of what a line says among VERBS, that behind the last one for another."""
    said = f"{text} "
    return next((at for at, verb in enumerate(VERBS.values()) if verb in said), len(VERBS))
