"""Short forms that identifiers use for the words of a question.

Contractions invert the abbreviation dictionary (`arbiter` -> `arb`, `translation lookaside
buffer` -> `tlb`).
"""

from __future__ import annotations

from functools import lru_cache

from hdlgraph.knowledge.abbreviations import abbreviations
from hdlgraph.knowledge.projects import Projects
from hdlgraph.words import split_identifier, stem


@lru_cache(maxsize=8)
def _contraction_table(projects: Projects) -> dict[tuple[str, ...], tuple[str, ...]]:
    table: dict[tuple[str, ...], set[str]] = {}
    for short, long in abbreviations(projects).items():
        key = tuple(stem(part) for part in split_identifier(long))
        if key and key != (stem(short),):
            table.setdefault(key, set()).add(short)
    return {key: tuple(sorted(shorts)) for key, shorts in table.items()}


def contractions(text: str, projects: Projects = ()) -> dict[str, tuple[str, ...]]:
    """Returns, for the stemmed last word of each phrase of `text`, its abbreviations.

    A phrase of several words (`load store unit`) hangs its abbreviation on its last word.
    """
    table = _contraction_table(projects)
    parts = [stem(part) for part in split_identifier(text)]
    found: dict[str, dict[str, None]] = {}
    for start in range(len(parts)):
        for length in range(1, 6):
            key = tuple(parts[start : start + length])
            for short in table.get(key, ()) if len(key) == length else ():
                found.setdefault(key[-1], {}).setdefault(short)
    return {word: tuple(shorts) for word, shorts in found.items()}
