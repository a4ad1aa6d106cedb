"""Chooses what to quote of passages for a question: the pieces that hold most of its words.

A piece is worth the share of the question's words that stand in it, each word by its rarity, and
half of the same for the clause of the question that it fits best. Words that were quoted already
count less, and so do later passages. What several passages say alike is boilerplate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from hdlgraph.query.documents.clauses import clauses
from hdlgraph.query.documents.pieces import CODE, Piece, pieces
from hdlgraph.words import content_stems

PASSAGES = 3
"""Passages that are quoted."""
WORDS = 60
"""Words after which nothing more is quoted."""
ROOM = 1.25
"""A piece may go beyond WORDS by so much."""
LATER = 0.2
"""What a place further down in the ranking takes from a piece."""
REPEAT_WEIGHT = 0.6
"""What is left of the weight of a word once it was quoted."""
CLAUSE = 0.5
"""How much the best clause counts beside the whole question."""
REPEATED = 2
"""Passages that may hold the same piece; of more it is boilerplate."""
LEAST = 0.3
"""Of the worth of the best piece that any other one has; what is worth less is beside the point."""
SHORTEST = 3
"""Words of a sentence or row that is quoted."""


class Quote(NamedTuple):
    """A piece of a passage: which passage, from 0, and the piece with its lines in the text."""

    passage: int
    piece: Piece


class _Candidate(NamedTuple):
    quote: Quote
    words: frozenset[str]
    size: int
    follows: _Candidate | None = None
    """The code that a sentence with a colon at its end introduces."""


def best_quotes(
    question: str, texts: Sequence[str], rarity: Callable[[str], float], most: int = WORDS
) -> list[Quote]:
    """Returns what to quote, in the order of the passages and of their lines.

    Args:
        question: free text.
        texts: of the passages, best first; those after the third tell what is boilerplate.
        rarity: gives the weight of a word's stem.
        most: words after which nothing more is quoted.
    """
    asked = {stem: rarity(stem) for stem in content_stems(question)}
    parts = [{stem: rarity(stem) for stem in content_stems(one)} for one in clauses(question)]
    left = _candidates([pieces(text) for text in texts])
    weights = dict(asked)
    chosen: list[Quote] = []
    size, first = 0, 0.0
    while left and size < most:
        best = max(left, key=lambda one: (_worth(one, asked, weights, parts), _earlier(one)))
        left.remove(best)
        worth = _worth(best, asked, asked, parts)
        first = first or worth
        taken = [best, best.follows] if best.follows in left else [best]
        more = sum(one.size for one in taken if one)
        if not best.words & asked.keys() or worth < LEAST * first:
            continue
        if chosen and size + more > most * ROOM:
            continue
        for one in filter(None, taken):
            if one is not best:
                left.remove(one)
            chosen.append(one.quote)
            for stem in one.words & weights.keys():
                weights[stem] *= REPEAT_WEIGHT
        size += more
    return sorted(chosen, key=lambda one: (one.passage, one.piece.line, one.piece.end_line))


def _candidates(found: Sequence[Sequence[Piece]]) -> list[_Candidate]:
    repeats = Counter(text for one in found for text in {piece.text for piece in one})
    out = []
    for number, part in enumerate(found[:PASSAGES]):
        later: _Candidate | None = None
        for piece in reversed(part):
            size = len(piece.text.split())
            if repeats[piece.text] > REPEATED or (size < SHORTEST and piece.kind != CODE):
                continue
            words = frozenset(content_stems(piece.text))
            introduces = piece.text.endswith(":") and later and later.quote.piece.kind == CODE
            follows = later if introduces else None
            later = _Candidate(Quote(number, piece), words, size, follows)
            out.append(later)
    return out


def _worth(
    one: _Candidate,
    asked: Mapping[str, float],
    weights: Mapping[str, float],
    parts: Sequence[Mapping[str, float]],
) -> float:
    """Returns what a piece is worth, with the weights that words have by now."""
    whole = _share(one.words, weights, asked)
    clause = max((_share(one.words, part, part) for part in parts), default=0.0)
    return whole + CLAUSE * clause - LATER * one.quote.passage


def _share(words: Collection[str], weights: Mapping[str, float], of: Mapping[str, float]) -> float:
    held = sum(weight for stem, weight in weights.items() if stem in words)
    return held / (sum(of.values()) or 1.0)


def _earlier(one: _Candidate) -> tuple[int, int]:
    return -one.quote.passage, -one.quote.piece.line
