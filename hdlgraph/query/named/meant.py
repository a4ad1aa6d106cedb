"""The identifiers of an index that the names of a question mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.named.fragments import fragments
from hdlgraph.query.named.subject import is_written, subject
from hdlgraph.query.question.edits import nearest
from hdlgraph.words import stem

SPELT = 0.95
"""How well a name fits that is spelt nearly so."""
SHORTEST = 5
"""Letters of the shortest name that is looked up where it is misspelt."""
FEW = 3
"""Files of a word of one part that is taken for a name."""


class Meant(NamedTuple):
    """Words of a question, and the terms that they mean, each with how well it fits, 0 to 1."""

    words: tuple[str, ...]
    terms: Mapping[str, float]

    def rarity(self, lexicon: Lexicon) -> float:
        """Returns how rare the rarest of the terms is."""
        return max(lexicon.idf(lexicon.document_frequency(term) or 0.5) for term in self.terms)


def meant(text: str, lexicon: Lexicon) -> tuple[Meant, ...]:
    """Returns what each name means of a question that is names alone.

    Nothing where it says more, or where one of its words is part of no name.
    """
    asked = subject(text)
    written = [word for word in asked if is_written(word)]
    found = [_written(word, lexicon) for word in written]
    plain = [word for word in asked if not is_written(word)]
    if plain:
        found.append(_plain(plain, lexicon, alone=not written))
    return tuple(found) if all(one.terms for one in found) else ()


def _written(word: str, lexicon: Lexicon) -> Meant:
    """Returns what a word means that is spelt as names are."""
    name = word.lower().strip("_")
    if lexicon.document_frequency(name):
        return Meant((word,), {name: 1.0})
    near = nearest(name, lexicon, SHORTEST)
    if near:
        return Meant((word,), dict.fromkeys(near, SPELT))
    return Meant((word,), fragments([word], lexicon))


def _plain(words: Sequence[str], lexicon: Lexicon, alone: bool) -> Meant:
    """Returns what everyday words mean together.

    Args:
        words: the words.
        lexicon: of the index.
        alone: whether the question has no other words. Beside a name one word is no name: it may
            as well say what is asked.
    """
    if len(words) > 1:
        return Meant(tuple(words), fragments(words, lexicon))
    word, found = words[0].lower(), {}
    files = lexicon.document_frequency(stem(word)) if alone else FEW + 1
    if not files:
        found = dict.fromkeys(nearest(word, lexicon, SHORTEST), SPELT) or fragments(words, lexicon)
    elif files <= FEW:
        found = {stem(word): 1.0}
    return Meant(tuple(words), found)
