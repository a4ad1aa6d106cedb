"""Words that only phrase a question and say little about its subject."""

from __future__ import annotations

from hdlgraph.words import stem

GENERIC = frozenset(
    stem(word)
    for word in """able act add answer apply approach arrive available away back base become begin
        behave behaviour being believe bring call carry case cause change check choose come
        common compare complete condition consider contain correct count current cycle deal
        depend describe detail determine difference different do effect enable end enter equal
        event exist expect explain false final first follow full general good hand handle hold
        hook important include individual input inside issue job keep kind last leave left level
        line long look main make manage many matter mean mechanism meet mode moment move name new
        next number occur old option order output own part particular pass path perform pick
        piece place play point possible present prevent process produce provide purpose put
        raise range reach ready real react reason receive relate rely represent respond rest
        result return right role rule run send separate sequence serve set setting several
        show side signal simple single small special specific start state stay step stop store
        support system task test tie time touch true turn type type under value wait way work
        write""".split()
)
"""Stems of everyday verbs and nouns, some of them also names of signals in half of all files."""
WORTH = 0.35
"""Worth of such a word beside one that names a thing of the design."""


def particular(term: str) -> float:
    """Returns how much a stemmed term of a question says of its subject, WORTH to 1."""
    return WORTH if term in GENERIC else 1.0
