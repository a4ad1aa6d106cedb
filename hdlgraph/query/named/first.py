"""Puts the files first that have the names of a question which is names and nothing else.

What such a question asks for is where the name stands: no file without it is what is meant, however
near its words are. Of the files that have it, those that declare it as a unit, a type, a routine or
a macro come first; all others keep their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hdlgraph.model.kinds import UNIT_KINDS
from hdlgraph.query.features.feature import Ranking, Scores
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.listwise.order import asks_for_relation
from hdlgraph.query.named.meant import Meant, meant
from hdlgraph.query.named.subject import asks_declaration, asks_where
from hdlgraph.results import Evidence

PART = "named"
"""The part of a score by which a file changed its place."""
STEPS = 10
"""Steps in which is told how well the names of a file fit."""
HOMES = 2
"""Files of a declared name, at most: one that more declare tells none of them."""
DECLARED = UNIT_KINDS | {"type", "macro", "function", "task"}
_CELL = re.compile(r"\s*\\?(\$[\w$]+)\s*")
"""A name with a dollar before it, as of an internal cell; no word of the index has that sign."""


@dataclass(frozen=True, kw_only=True)
class NamedScores(Scores):
    """What is told of files by the names they have; `names` are those of the question."""

    names: Sequence[Meant]

    def evidence(self, ranking: Ranking, number: int) -> Iterator[Evidence]:
        """Yields one line: where a name first stands in the file."""
        lexicon = ranking.asked.index.lexicon
        offered = [(-fit, term) for one in self.names for term, fit in one.terms.items()]
        for _, term in sorted(offered):
            lines = lexicon.lines_of(number, term)
            lines = lines[lines > 0]
            if len(lines):
                text, path = f"has the name {term}", lexicon.paths[number]
                yield Evidence("identifier", path, int(lines[0]), text, ranking.part(PART, number))
                return


def put_first(ranking: Ranking, text: str) -> None:
    """Puts the files of a ranking first that have what its question names, if it names alone.

    Each takes the score of its new place; what it gains or loses is the part PART of its score.
    Where edges answer, they keep their order: of a question where one name is driven or used
    among the files that have it, of any other question altogether. Where a name is declared, the
    edges to it do not say: what has an instance of a unit does not declare it.

    Args:
        ranking: order, score and parts are changed in place.
        text: the question as it was asked.
    """
    lexicon = ranking.asked.index.lexicon
    cell = _CELL.fullmatch(text)
    names = (_cell(cell[1]),) if cell else meant(text, lexicon)
    related, declared = asks_for_relation(ranking), asks_declaration(text)
    if not names or (related and not (len(names) == 1 and (declared or asks_where(text)))):
        return
    fit = np.round(fits(names, lexicon) * STEPS)
    if related:
        fit = (fit > 0).astype(float)
    used = related and not declared
    home = np.zeros(len(fit)) if used else homes(names, lexicon, declared)
    if cell:
        home = _declaring(cell[1], lexicon)
    order = np.asarray(ranking.order)
    anew = order[np.lexsort((np.arange(len(order)), -home[order], -fit[order]))]
    if (anew == order).all():
        return
    score = ranking.score.copy()
    score[anew] = ranking.score[order]
    ranking.parts[PART] = score - ranking.score
    ranking.scores[PART] = NamedScores(parts={}, names=names)
    ranking.order[:] = anew.tolist()
    ranking.score[:] = score


def _cell(name: str) -> Meant:
    """Returns what the name of a cell means: the term that stands for it."""
    return Meant((name,), {name.strip("$_").lower(): 1.0})


def _declaring(name: str, lexicon: Lexicon) -> np.ndarray:
    """Returns 1 for each file that declares a cell, 0 for others."""
    out = np.zeros(lexicon.n_files)
    out[[place[0] for place in lexicon.places(name.lower()) if place[3] == name]] = 1.0
    return out


def fits(names: Sequence[Meant], lexicon: Lexicon) -> np.ndarray:
    """Returns how well each file has some names, 0 to 1: by the best term of each, by rarity."""
    rarity = np.asarray([one.rarity(lexicon) for one in names])
    out = np.zeros(lexicon.n_files)
    for one, share in zip(names, rarity / rarity.sum(), strict=True):
        best = np.zeros(lexicon.n_files)
        for term, fit in one.terms.items():
            files = lexicon.postings(term)[0]
            best[files] = np.maximum(best[files], fit)
        out += share * best
    return out


def homes(names: Sequence[Meant], lexicon: Lexicon, any_kind: bool) -> np.ndarray:
    """Returns 1 for each file that declares what fits one of the names best, 0 for others.

    Args:
        names: of the question.
        lexicon: of the index.
        any_kind: whether constants and enumeration members count as well as DECLARED: who writes
            the name of one alone means its use as often.
    """
    out = np.zeros(lexicon.n_files)
    for one in names:
        best = round(max(one.terms.values()) * STEPS)
        for term in (term for term, fit in one.terms.items() if round(fit * STEPS) == best):
            places = [place for place in lexicon.places(term) if any_kind or place[2] in DECLARED]
            found = {place[0] for place in places}
            if len(found) <= HOMES:
                out[list(found)] = 1.0
    return out
