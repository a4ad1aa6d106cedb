"""Finds the lines of the names that a question writes as they stand in the code."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hdlgraph.query.answer.source_text import SourceText
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.analyse import identifiers

NAMES = 4  # of a question that are looked up
READ = 24  # files that are read for them
LINES = 10  # of one file
REGION = 12  # lines of an `ifdef region that is shown in one piece
_SHOUTED = re.compile(r"(?<![\w$.])[A-Z][A-Z0-9]{4,}(?![\w$])")
_HUMPS = re.compile(r"(?<![\w$.])[a-z]*(?:[A-Z][a-z0-9]*){2,}(?![\w$])")
_HUMP = re.compile(r"[A-Z]+[a-z0-9]*|^[a-z]+")
_IDENTIFIER = re.compile(r"(?<![\w$])[A-Za-z_][\w$]*")
SURELY = 3  # parts of a word such as FifoPtrWidth that is no product's name
_DECLARES = re.compile(
    r"^\s*(?:`define|localparam|parameter|typedef|output|input|inout|genvar|logic|wire|reg)\b"
)
_BEGIN = re.compile(r"^\s*`if(?:n?def)\b")
_END = re.compile(r"^\s*`endif\b")


@dataclass(frozen=True, slots=True)
class Found:
    """The lines of a file that have names of a question; `names` are those, `worth` how well."""

    path: str
    names: tuple[str, ...]
    lines: tuple[int, ...]
    worth: float


def exact_names(question: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Returns the names in a question that stand in the code, those of files and units left out."""
    units = {path.rpartition("/")[2].partition(".")[0] for path in lexicon.paths}
    humps = [
        word
        for word in _HUMPS.findall(question)
        if len(_HUMP.findall(word)) >= SURELY or lexicon.places(word.lower())
    ]
    found = [*identifiers(question), *_SHOUTED.findall(question), *humps]
    return tuple(
        name
        for name in dict.fromkeys(found)
        if "." not in name and name not in units and name.strip("_")
    )[:NAMES]


def longer(name: str, lexicon: Lexicon) -> list[str]:
    """Returns the identifiers of the index that have a name as whole words, in small letters."""
    small = name.lower().strip("_")
    whole = re.compile(rf"(?:^|_){re.escape(small)}(?:_|$)")
    return [term for term in lexicon.having(small) if whole.search(term)]


def spelled(
    terms: Sequence[str], paths: Sequence[str], read_text: Callable[[str], str]
) -> tuple[str, ...]:
    """Returns identifiers as they are written in the first file of some that has any of them.

    Args:
        terms: the identifiers in small letters.
        paths: the files.
        read_text: gives their texts.
    """
    wanted = frozenset(terms)
    for path in paths:
        found = (one[0] for one in _IDENTIFIER.finditer(read_text(path)))
        known = [one for one in dict.fromkeys(found) if one.lower() in wanted]
        if known:
            return tuple(known[:NAMES])
    return ()


def files_with(names: Sequence[str], lexicon: Lexicon, first: Sequence[str]) -> list[str]:
    """Returns the files that may have some of the names, those of `first` before the others."""
    import numpy as np

    counts: dict[int, int] = {}
    for name in names:
        at = lexicon.positions(name.lower().strip("_"))
        numbers = np.unique(np.searchsorted(lexicon.file_start, at, side="right") - 1)
        for number in numbers.tolist():
            counts[number] = counts.get(number, 0) + 1
    others = sorted(counts, key=lambda n: (-counts[n], lexicon.paths[n]))
    paths = [*first, *(lexicon.paths[n] for n in others[:READ])]
    return list(dict.fromkeys(paths))


def lookup(
    names: Sequence[str], paths: Sequence[str], read_text: Callable[[str], str]
) -> list[Found]:
    """Returns the lines with the names in each file, the files that say most of them first."""
    found = []
    for order, path in enumerate(paths):
        one = in_file(names, path, read_text(path))
        if one is not None:
            found.append((one, order))
    return [one for one, _ in sorted(found, key=lambda pair: (-pair[0].worth, pair[1]))]


def in_file(names: Sequence[str], path: str, text: str) -> Found | None:
    """Returns the lines of a file that declare, assign or use the names, None without any."""
    if not any(name in text for name in names):
        return None
    source = SourceText(text)
    words = {name: re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])") for name in names}
    scored: list[tuple[float, int]] = []
    best: dict[str, float] = {}
    for number in range(1, len(source.lines) + 1):
        code = source.bare[number - 1].partition("//")[0]
        here = [name for name, word in words.items() if name in code and word.search(code)]
        if not here or source.is_comment(number):
            continue
        worth = max(_worth(code, name) for name in here)
        for name in here:
            best[name] = max(best.get(name, 0.0), worth)
        scored.append((worth + len(here), number))
    if not scored:
        return None
    chosen: set[int] = set()
    for _, number in sorted(scored, key=lambda pair: (-pair[0], pair[1])):
        added = set(_around(source.lines, number))
        if len(chosen | added) <= LINES + REGION * (not chosen):
            chosen |= added
    return Found(path, tuple(sorted(best)), tuple(sorted(chosen)), sum(best.values()))


def _worth(code: str, name: str) -> float:
    """Returns what a line says of a name: its value most, then what is assigned to it, its use."""
    plain = re.escape(name)
    valued = re.search(rf"`define\s+{plain}\b|(?<![\w$.]){plain}\s*(?:\[[^\]]*\]\s*)*=(?!=)", code)
    if valued and _DECLARES.search(code):
        return 3.0
    if _DECLARES.search(code) or re.search(rf"^\s*`ifn?def\s+{plain}\b", code):
        return 2.0
    if valued or re.search(rf"(?<![\w$.]){plain}\s*(?:\[[^\]]*\]\s*)*<=", code):
        return 2.0
    return 1.0


def _around(lines: Sequence[str], number: int) -> range:
    """Returns the lines of the short `ifdef region around a line, else with a comment above."""
    first = number
    while first > 1 and number - first < REGION and not _END.match(lines[first - 1]):
        if _BEGIN.match(lines[first - 1]):
            last = next(
                (n for n in range(number, min(first + REGION, len(lines)) + 1)
                 if _END.match(lines[n - 1])), 0
            )  # fmt: skip
            if last:
                return range(first, last + 1)
            break
        first -= 1
    above = number - 1 if number > 1 and lines[number - 2].strip().startswith("//") else number
    return range(above, number + 1)
