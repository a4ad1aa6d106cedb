"""How RTL says what engineers ask in everyday words: general engineering knowledge, a data file.

`thesaurus.txt` has a line `word or phrase = term, term, ...` for each headword: left as people
ask, right identifier parts and words of comments.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from importlib.resources import files

from hdlgraph.words import STOP_WORDS, split_identifier, stem

MAX_WORDS = 4  # of a headword


def lines(name: str) -> list[str]:
    """Returns the lines of a data file of this package, comments and blank ones left out."""
    text = (files("hdlgraph.knowledge") / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


@lru_cache(maxsize=1)
def mentions() -> Counter[str]:
    """Returns how many lines of the tables of general knowledge have a word."""
    every = [*lines("thesaurus.txt"), *lines("structures.txt")]
    return Counter(word for line in every for word in set(re.findall("[a-z0-9]+", line.lower())))


@lru_cache(maxsize=1)
def related() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Returns the stemmed content words of each headword -> stemmed terms, in file order."""
    table: dict[tuple[str, ...], dict[str, None]] = {}
    for line in lines("thesaurus.txt"):
        head, _, terms = line.partition("=")
        key = tuple(stem(part) for part in split_identifier(head) if part not in STOP_WORDS)
        for term in terms.split(","):
            parts = split_identifier(term)
            if key and len(parts) == 1:
                table.setdefault(key, {}).setdefault(stem(parts[0]))
    return {key: tuple(terms) for key, terms in table.items()}


def paraphrases(words: list[str]) -> dict[str, tuple[str, ...]]:
    """Returns, for stemmed content words in order, the terms that RTL has instead.

    A phrase of several words hangs its terms on its last word.
    """
    table = related()
    found: dict[str, dict[str, None]] = {}
    for start in range(len(words)):
        for length in range(1, MAX_WORDS + 1):
            key = tuple(words[start : start + length])
            for term in table.get(key, ()) if len(key) == length else ():
                found.setdefault(key[-1], {}).setdefault(term)
    return {word: tuple(terms) for word, terms in found.items()}
