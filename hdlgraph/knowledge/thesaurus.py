"""How RTL says what engineers ask in everyday words: `write back` may be `evict` or `flush`.

`thesaurus.txt` has a line `word or phrase = term, term, ...` for each headword: left as people
ask, right parts of identifiers and words of comments.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from hdlgraph.knowledge.projects import Projects, added
from hdlgraph.knowledge.structures import structures
from hdlgraph.knowledge.tables import lines
from hdlgraph.words import STOP_WORDS, split_identifier, stem

MAX_WORDS = 4  # of a headword


@lru_cache(maxsize=8)
def headwords(projects: Projects = ()) -> dict[str, tuple[str, ...]]:
    """Returns headword -> its terms, sorted by headword; a project's terms come last.

    Args:
        projects: the project tables in force.
    """
    found: dict[str, tuple[str, ...]] = {}
    for line in [*lines("thesaurus.txt"), *added(projects, "thesaurus")]:
        head, _, terms = line.partition(" = ")
        found[head] = (*found.get(head, ()), *terms.split(", "))
    return dict(sorted(found.items()))


@lru_cache(maxsize=8)
def mentions(projects: Projects = ()) -> Counter[str]:
    """Returns how many entries of thesaurus and structures have a word."""
    entries = [" ".join((head, *terms)) for head, terms in headwords(projects).items()]
    entries += [" ".join((*one.spellings, *one.what)) for one in structures(projects)]
    return Counter(word for text in entries for word in set(re.findall("[a-z0-9]+", text.lower())))


@lru_cache(maxsize=8)
def related(projects: Projects = ()) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Returns the stemmed content words of each headword -> its stemmed terms in order."""
    table: dict[tuple[str, ...], dict[str, None]] = {}
    for head, terms in headwords(projects).items():
        key = tuple(stem(part) for part in split_identifier(head) if part not in STOP_WORDS)
        for term in terms:
            parts = split_identifier(term)
            if key and len(parts) == 1:
                table.setdefault(key, {}).setdefault(stem(parts[0]))
    return {key: tuple(terms) for key, terms in table.items()}


def paraphrases(words: list[str], projects: Projects = ()) -> dict[str, tuple[str, ...]]:
    """Returns, for stemmed content words in order, the terms that RTL has instead.

    A phrase of several words hangs its terms on its last word.
    """
    table = related(projects)
    found: dict[str, dict[str, None]] = {}
    for start in range(len(words)):
        for length in range(1, MAX_WORDS + 1):
            key = tuple(words[start : start + length])
            for term in table.get(key, ()) if len(key) == length else ():
                found.setdefault(key[-1], {}).setdefault(term)
    return {word: tuple(terms) for word, terms in found.items()}
