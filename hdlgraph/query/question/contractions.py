"""Short forms that identifiers use for the words of a question.

Contractions invert the abbreviation dictionary (`arbiter` -> `arb`, `translation lookaside
buffer` -> `tlb`) and what the repository itself defines ("Packet Memory Port (PMP)"). Where the
repository defines a short form otherwise than the dictionary, its own meaning alone counts.
"""

from __future__ import annotations

from functools import lru_cache

from hdlgraph.knowledge.abbreviations import abbreviations
from hdlgraph.knowledge.agree import contradicted
from hdlgraph.knowledge.projects import Projects
from hdlgraph.knowledge.short_forms import general_forms
from hdlgraph.words import split_identifier, stem

Defined = tuple[tuple[str, str], ...]
"""(short form, long form) of each definition in a repository."""


@lru_cache(maxsize=8)
def contraction_table(
    projects: Projects = (), defined: Defined = ()
) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Returns the stemmed words of long forms -> their short forms in lower case, sorted."""
    own = _by_short(defined)
    table: dict[tuple[str, ...], set[str]] = {}
    general = [
        (short, long)
        for short, long in abbreviations(projects).items()
        if not contradicted(short, long, own.get(short, ()))
    ]
    mined = [(short, long) for short, longs in own.items() for long in longs]
    for short, long in general + mined:
        key = tuple(stem(part) for part in split_identifier(long.replace("-", " ")))
        if key and key != (stem(short),):
            table.setdefault(key, set()).add(short)
    return {key: tuple(sorted(shorts)) for key, shorts in table.items()}


@lru_cache(maxsize=8)
def refuted(projects: Projects = (), defined: Defined = ()) -> frozenset[str]:
    """Returns the short forms, stemmed, of which no general meaning holds in a repository."""
    known, tables = abbreviations(projects), general_forms(projects)
    found = set()
    for short, longs in _by_short(defined).items():
        meant = [form.long for form in tables.get(short, ())]
        meant += [known[short]] if short in known else []
        if meant and all(contradicted(short, long, longs) for long in meant):
            found.add(stem(short))
    return frozenset(found)


def _by_short(defined: Defined) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for short, long in defined:
        found.setdefault(short.lower(), []).append(long)
    return found


def contractions(
    text: str, projects: Projects = (), defined: Defined = ()
) -> dict[str, tuple[str, ...]]:
    """Returns, for the stemmed last word of each phrase of `text`, its abbreviations.

    A phrase of several words (`load store unit`) hangs its abbreviation on its last word.

    Args:
        text: the question.
        projects: the project tables in force.
        defined: what the repository defines.
    """
    table = contraction_table(projects, defined)
    parts = [stem(part) for part in split_identifier(text)]
    found: dict[str, dict[str, None]] = {}
    for start in range(len(parts)):
        for length in range(1, 6):
            key = tuple(parts[start : start + length])
            for short in table.get(key, ()) if len(key) == length else ():
                found.setdefault(key[-1], {}).setdefault(short)
    return {word: tuple(shorts) for word, shorts in found.items()}
