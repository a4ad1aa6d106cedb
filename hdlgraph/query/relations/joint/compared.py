"""How the files of rows compare: with the question by both ends, with the rows beside them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from hdlgraph.query.relations.joint import overlap
from hdlgraph.query.relations.joint.overlap import Channel, behind_best
from hdlgraph.query.relations.joint.pairs import Pair
from hdlgraph.query.relations.joint.question import Question, Row
from hdlgraph.query.relations.readings.clauses import has_name
from hdlgraph.query.relations.wording.excluded import NOTHING, excluded
from hdlgraph.query.relations.wording.levels import levels
from hdlgraph.query.relations.wording.sort import PLACED, sorts

CHANNELS = 3
BESIDE = (
    *("meaning", "meaning above", "words", "words above", "names", "names above"),
    *("plain", "plain above", "both", "both above", "of all", "known", "known above", "siblings"),
    *("around", "around above", "said", "said above"),
)
ASKS = (
    *("states", "states, placed", "other, not placed", "placed", "levels fit", "left out"),
    *("role", "roles"),
    *(f"{one}, states" for one in PLACED),
    "value, states, named",
)
ABOUT = (
    *("likely", "log likely", "relation", "support", "folder", "alike", "has name", "length"),
    *("alone", "level", "names of edge", "identifiers"),
    *ASKS,
    *("place", "place of known", "plain known", "test known"),
    *("users", "parts", "users of known", "parts of known"),
)
FILE_HAS = ("place", "plain", "tests", "users", "parts")
WIDTH = CHANNELS * overlap.WIDTH + len(BESIDE) + len(ABOUT)
"""Of a row: overlaps by meaning, words and names; BESIDE, ABOUT."""
FLOOR = 0.01
HIERARCHY = 2
"""The first of KINDS are those of the hierarchy."""


def values(every: Sequence[Row], asked: Question, found: Iterable[tuple[int, Pair]]) -> np.ndarray:
    """Returns how rows compare, float32 (rows, WIDTH).

    Args:
        every: the rows.
        asked: the question.
        found: all edges that were found, with their kinds.
    """
    files = list(dict.fromkeys(
        number for row in every for number in (row.number, row.pair.known if row.pair else -1)
        if number >= 0
    ))  # fmt: skip
    at = {number: place for place, number in enumerate(files)}
    own = np.asarray([at[row.number] for row in every])
    known = np.asarray([at.get(row.pair.known, len(files)) if row.pair else len(files)
                        for row in every])  # fmt: skip
    meaning = overlap.by_meaning(asked.sides.asked, files)
    channels = [
        one.shares(own, known)
        for one in (meaning, overlap.by_words(asked.sides.asked, files))
    ]  # fmt: skip
    channels.append(_by_names(asked, files, own, known))
    plain = asked.sides.plain[np.asarray(files)][own]
    beside = _beside(every, channels, plain)
    about = _about(every, asked, files, own, known)
    about[:, ABOUT.index("support")] = _support(every, asked, found)
    about[:, ABOUT.index("role")] = by_role(meaning, asked, own)
    about[:, ABOUT.index("roles")] = by_role(meaning, asked, own) - by_role(meaning, asked, known)
    return np.concatenate([*channels, beside, about], axis=1).astype(np.float32)


def by_role(meaning: Channel, asked: Question, rows: np.ndarray) -> np.ndarray:
    """Returns how near some rows are to the tokens that tell of what is asked for.

    Nearness to tokens that tell of what is named counts against them.
    """
    count = min(len(asked.roles), meaning.gains.shape[1])
    return meaning.gains[rows, :count] @ asked.roles[:count]


def _by_names(
    asked: Question, files: Sequence[int], own: np.ndarray, known: np.ndarray
) -> np.ndarray:
    """Returns the overlaps by the names of units; a file has those of its first ones."""
    design, resolver = asked.sides.resolver.design, asked.sides.resolver
    names = []
    for number in files:
        units = [design.last(row) for row in design.units_of.get(number, ())[:3]]
        names.append(units or [resolver.path(number).rpartition("/")[2].partition(".")[0]])
    channel = overlap.by_names(asked.words, names)
    return channel.shares(own, known)


def _beside(every: Sequence[Row], channels: Sequence[np.ndarray], plain: np.ndarray) -> np.ndarray:
    """Returns how rows compare with those of the same kind and known end, or of the same file."""
    same_known = _numbers((row.kind, row.pair.known if row.pair else -1) for row in every)
    same_asked = _numbers((row.kind, row.number) for row in every)
    both = np.sum([one[:, overlap.NAMES.index("both")] for one in channels], axis=0)
    other = np.sum([one[:, overlap.NAMES.index("known")] for one in channels], axis=0)
    columns: list[np.ndarray] = []
    stated = (np.asarray([row.near for row in every]), np.asarray([sum(row.said) for row in every]))
    for one in (*(one[:, 0] for one in channels), plain, both):
        columns += behind_best(one, same_known)
    columns.append(both - both.max())
    columns += behind_best(other, same_asked)
    columns.append(np.log1p(np.bincount(same_known)[same_known]) / 5)
    for one in stated:
        columns += behind_best(one, same_known)
    return np.stack(columns, axis=1)


def _numbers(keys: Iterable[Hashable]) -> np.ndarray:
    """Returns the number of the group of each key, from 0."""
    seen: dict[Hashable, int] = {}
    return np.asarray([seen.setdefault(key, len(seen)) for key in keys])


def _about(
    every: Sequence[Row], asked: Question, files: Sequence[int], own: np.ndarray, known: np.ndarray
) -> np.ndarray:
    """Returns ABOUT of all rows, 0 for the support."""
    by_file = np.asarray([*(_of_file(one, asked) for one in files), [0.0] * 5])
    at = dict(zip(FILE_HAS, by_file.T, strict=True))
    paths = [asked.sides.resolver.path(one).rpartition("/") for one in files]
    parts = [frozenset(asked.words.tokens(path[2].partition(".")[0])) for path in paths]
    text = [float(has_name(asked.text)), min(len(asked.text.split()), 40) / 40]
    rest = []
    for row, one, other in zip(every, own.tolist(), known.tolist(), strict=True):
        likely = asked.likely[row.kind] if row.pair else 0.0
        both = other < len(files)
        same = both and paths[one][0] == paths[other][0]
        alike = (
            len(parts[one] & parts[other]) / len(parts[one] | parts[other] or "-") if both else 0
        )
        rest.append((
            likely, math.log(max(likely, FLOOR)) / 5, sum(asked.likely), 0.0, same, alike, *text,
            row.pair is None, row.pair.level / 2 if row.pair else 0.0, *row.said,
        ))  # fmt: skip
    of_files = [at["place"][own], *(at[name][known] for name in ("place", "plain", "tests"))]
    of_files += [at[name][end] for end in (own, known) for name in ("users", "parts")]
    return np.concatenate(
        [np.asarray(rest, np.float64), _asks(every, asked), np.stack(of_files, axis=1)], axis=1
    )


def _asks(every: Sequence[Row], asked: Question) -> np.ndarray:
    """Returns how rows fit the place, the levels and the exceptions that a question tells of."""
    placed, level = asked.placed, levels(asked.text)
    sort, named = sorts(asked.text)[: len(PLACED)], frozenset(asked.named)
    out = np.zeros((len(every), len(ASKS)))
    states = np.asarray([_states(row, asked) for row in every], np.float64)
    paired = np.asarray([row.pair is not None for row in every], bool)
    out[paired, :3] = np.stack(
        [states, states * placed, (1 - states) * (1 - placed)], axis=1
    )[paired]  # fmt: skip
    out[:, 3] = placed
    if level >= 0:
        fits = [(1.0 if row.pair.level == level else -1.0) if row.kind < HIERARCHY else 0.0
                for row in every if row.pair]  # fmt: skip
        out[paired, 4] = fits
    out[:, 5] = [_left_out(row.number, asked) for row in every]
    out[:, -1 - len(sort) : -1] = np.multiply.outer(states, sort)
    out[:, -1] = sort[0] * states * [row.number in named for row in every]
    return out


def _states(row: Row, asked: Question) -> bool:
    """Returns whether the file of a row states the edge itself."""
    design = asked.sides.resolver.design
    if row.pair is None or not row.pair.edges:
        return row.pair is not None
    return design.file_of(design.graph.edges.column("path")[row.pair.edges[0]]) == row.number


def _left_out(number: int, asked: Question) -> float:
    """Returns how much a file is what a question leaves out, 0 to 1."""
    said = excluded(asked.text)
    if said == NOTHING:
        return 0.0
    resolver = asked.sides.resolver
    design = resolver.design
    *folders, name = resolver.path(number).split("/")
    names = [design.last(row) for row in design.units_of.get(number, ())[:3]]
    return said.share([*names, name.partition(".")[0]], folders, resolver.tests(number))


def _of_file(number: int, asked: Question) -> tuple[float, ...]:
    """Returns FILE_HAS of a file: its place and score in the plain ranking, who uses it."""
    resolver = asked.sides.resolver
    design = resolver.design

    def count() -> tuple[float, float, float]:
        units = design.units_of.get(number, ())[:3]
        users = sum(len(design.parents(row)) for row in units)
        parts = sum(len(design.children(row)) for row in units)
        return float(resolver.tests(number)), math.log1p(users) / 5, math.log1p(parts) / 5

    kept = resolver.kept(("degrees", number), count)
    return asked.place(number), float(asked.sides.plain[number]), *kept


def _support(
    every: Sequence[Row], asked: Question, found: Iterable[tuple[int, Pair]]
) -> list[float]:
    """Returns the probability of all kinds of edges between the two files of each row."""
    kinds: dict[tuple[int, int], set[int]] = {}
    for kind, pair in found:
        kinds.setdefault((pair.asked, pair.known), set()).add(kind)
    return [
        sum(asked.likely[kind] for kind in kinds[row.number, row.pair.known]) if row.pair else 0.0
        for row in every
    ]
