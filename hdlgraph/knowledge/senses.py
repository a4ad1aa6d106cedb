"""Identifier parts with several meanings: `ecc` corrects errors, or is about elliptic curves.

`senses.txt` has a line `part = meaning: words around it` for each meaning. A meaning counts only
where the files around say some of those words.
"""

from __future__ import annotations

from functools import lru_cache

from hdlgraph.knowledge.tables import lines

Meanings = tuple[tuple[str, frozenset[str]], ...]
"""(meaning, words around it) of one identifier part, in the order of the table."""


@lru_cache(maxsize=1)
def senses() -> dict[str, Meanings]:
    """Returns identifier part -> its meanings with the words that point to them."""
    found: dict[str, Meanings] = {}
    for line in lines("senses.txt"):
        part, _, rest = line.partition("=")
        meaning, _, around = rest.partition(":")
        one = (meaning.strip(), frozenset(around.split()))
        found[part.strip()] = (*found.get(part.strip(), ()), one)
    return found


@lru_cache(maxsize=1)
def sense_words() -> frozenset[str]:
    """Returns all words that point to a meaning."""
    return frozenset().union(*(words for each in senses().values() for _, words in each))
