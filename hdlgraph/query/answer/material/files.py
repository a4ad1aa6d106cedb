"""Which of the files found are shown: near copies once, the design before what tests it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from hdlgraph.model.file import Role
from hdlgraph.query.answer.source_text import Wanted
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.results import Hit
from hdlgraph.store.lexical import TEXT
from hdlgraph.words import terms

MOST = 4  # files shown of those found; what they refer to may add another
LOOKED_AT = 10
RARE = 15  # files that may write an identifier that still tells them apart
ALIKE = 0.8  # share of lines in common from which two files are copies
NEAR = 0.85  # of the best file's score
CLEARLY = 0.6  # of the worth of the rarest term: so much more does the name of one file say
TESTS = frozenset([Role.TESTBENCH, Role.FORMAL])
_NOISE = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_UNIT = re.compile(r"^[ \t]*(?:module|package|interface|class|program)\s+(\w+)", re.M)


def chosen(
    hits: Sequence[Hit], read_text: Callable[[str], str], verification: bool
) -> list[tuple[Hit, str]]:
    """Returns the files to show with their texts, the best first.

    Args:
        hits: what was found, the best first.
        read_text: gives a file's text, "" when it cannot be read.
        verification: whether the question is about verification.
    """
    kept: list[tuple[Hit, str, frozenset[str], frozenset[str]]] = []
    for hit in hits[:LOOKED_AT]:
        text = read_text(hit.path)
        lines, units = _lines(text), frozenset(_UNIT.findall(text))
        if lines and not any(_alike(lines, units, other) for other in kept):
            kept.append((hit, text, lines, units))
    if not verification:
        # What the question names outright stays where it is.
        kept.sort(key=lambda one: one[0].role in TESTS and not _named(one[0]))
    return [(hit, text) for hit, text, *_ in kept[:MOST]]


def rare_first(found: Sequence[tuple[Hit, str]], wanted: Wanted) -> list[tuple[Hit, str]]:
    """Returns the files with the first one whose name has a rare word of the question in front.

    It must be found about as well as the best, whose name says clearly less.

    Args:
        found: files to show with their texts, the best first.
        wanted: the question's terms.
    """
    if len(found) < 2:
        return list(found)
    rarest = max((worth for _, worth in wanted.values()), default=0.0)
    words = [rarest_word(" ".join([hit.path, *_UNIT.findall(text)]), wanted) for hit, text in found]
    for place, (hit, _) in enumerate(found[1:], 1):
        near = hit.score >= NEAR * found[0][0].score and hit.role not in TESTS
        if near and not _named(found[0][0]) and words[place] >= words[0] + CLEARLY * rarest:
            return [found[place], *found[:place], *found[place + 1 :]]
    return list(found)


def rarest_word(text: str, wanted: Wanted) -> float:
    """Returns the worth of the rarest word of the question in a text, such as a path."""
    return max((wanted[term][1] for term in terms(text) if term in wanted), default=0.0)


def _named(hit: Hit) -> bool:
    return any(e.kind == "identifier" for e in hit.evidence)


def _lines(text: str) -> frozenset[str]:
    """Returns the lines of code of a text without blanks and comments."""
    plain = _NOISE.sub("", text)
    return frozenset(line for raw in plain.split("\n") if len(line := "".join(raw.split())) > 3)


def _alike(
    lines: frozenset[str],
    units: frozenset[str],
    other: tuple[Hit, str, frozenset[str], frozenset[str]],
) -> bool:
    common = len(lines & other[2]) / max(min(len(lines), len(other[2])), 1)
    sizes = sorted((len(lines), len(other[2])))
    return (common >= ALIKE and sizes[0] * 2 >= sizes[1]) or (
        bool(units & other[3]) and common >= ALIKE / 2
    )


def naming(lexicon: Lexicon, identifiers: Sequence[str]) -> dict[str, list[int]]:
    """Returns path -> lines of the files that write identifiers of a question, the most first.

    An identifier that many files write says little; such ones are passed over.
    """
    found: dict[int, list[int]] = {}
    counts: Counter[int] = Counter()
    for word in identifiers:
        documents, frequencies = lexicon.postings(word.lower(), TEXT)
        if len(documents) > RARE:
            continue
        for file, often in zip(documents.tolist(), frequencies.tolist(), strict=True):
            found.setdefault(file, []).extend(lexicon.lines_of(file, word.lower()).tolist())
            counts[file] += 100 + min(often, 99)
    order = sorted(counts, key=lambda n: (-counts[n], n))
    return {lexicon.paths[n]: sorted({line for line in found[n] if line}) for n in order}
