"""What a cross-encoder learns from: questions with the files that the search has first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hdlgraph.eval.fit.judged import judged
from hdlgraph.eval.fit.listwise import FIRST, Asked, seen
from hdlgraph.eval.sets.questions import Question
from hdlgraph.query.listwise.order import asks_for_relation
from hdlgraph.train.cross.cards import cards_of
from hdlgraph.train.cross.fit import Line

CANDIDATES = 20
"""Files of a question that are scored, and that hard negatives are drawn from."""


@dataclass(frozen=True)
class Listed:
    """A question: its text, what the network of the order sees, its first files and their cards."""

    text: str
    asked: Asked
    files: tuple[int, ...]
    cards: tuple[str, ...]
    right_cards: tuple[str, ...]

    @property
    def group(self) -> tuple[str, str]:
        """Returns what questions share that must not be learnt from and judged on."""
        return self.asked.index, self.right_cards[0]


def collect(index: Path, questions: Sequence[Question]) -> list[Listed]:
    """Returns the questions that have a right file in the index and ask for no relation.

    The order is that of the sum of the parts; copies of right files are as good as they are.

    Args:
        index: with vectors.
        questions: to be ranked.
    """
    found: list[Listed] = []
    cards: list[str] = []
    for searcher, question, right, equal in judged(index, questions):
        cards = cards or cards_of(searcher.index)
        ranking = searcher.ranking(question.text, 1)
        if asks_for_relation(ranking):
            continue
        lexicon = searcher.lexicon
        near = {path for n in right for path in lexicon.near_copies.get(lexicon.paths[n], ())}
        also = {*equal, *(n for n, path in enumerate(lexicon.paths) if path in near)} - {*right}
        asked = seen(searcher, ranking, question.kind, ({*right}, also), index.name)
        first = tuple(ranking.order[:FIRST])
        told = tuple(cards[n] for n in first[:CANDIDATES])
        found.append(Listed(question.text, asked, first, told, tuple(cards[n] for n in right)))
    return found


def texts_of(listed: Sequence[Listed]) -> dict[str, int]:
    """Returns the number of each text of questions and cards."""
    every = (text for one in listed for text in (one.text, *one.cards, *one.right_cards))
    return {text: n for n, text in enumerate(dict.fromkeys(every))}


def lines_of(listed: Sequence[Listed], number: dict[str, int]) -> list[Line]:
    """Returns the questions as lines, those left out of which no wrong card is known."""
    found = []
    for one in listed:
        apart = one.asked.right | one.asked.ignored
        right = tuple(number[card] for card in one.right_cards)
        wrong = [number[card] for card, out in zip(one.cards, apart, strict=False) if not out]
        wrong = [card for card in wrong if card not in right]
        if wrong:
            found.append(Line(number[one.text], right, tuple(wrong)))
    return found
