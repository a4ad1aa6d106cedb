"""Chooses the source lines of a hit that say most about the question, and marks its words in them.

A line is worth the sum over the question's terms of the idf of the best word for it (as of
`matches.worths`), times a factor by its kind: logic before comments before declarations. Of two
lines the second counts terms of the first one REPEATED times only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from heapq import heapify, heappop, heappush

import msgspec
import numpy as np

from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.analyse import Question
from hdlgraph.query.result.line_kinds import (
    disabled,
    factor,
    in_block_comments,
    is_comment,
    letters,
    notice,
)
from hdlgraph.query.result.matches import Matches, Worth
from hdlgraph.results import Hit, SourceLine
from hdlgraph.words import places

MAX_LINES = 2
"""Lines of a hit."""
LOOKED_AT = 40
"""Lines of most worth whose text is looked at."""
LONGEST = 160
"""Characters shown of a line."""
STATEMENT = 40
"""Lines before an instance's own name in which the name of its unit is looked for."""
REPEATED = 0.25
LEAST = 0.3
"""Least worth of the second line, as a share of the first one's."""
NAMED = 100.0
"""Added to the line that declares what is named, or that states the relation asked for."""

_UNIT_NAME = re.compile(r"-> (\S+) \(")
"""The target of an edge, as evidence shows it."""
_BOX = "*/#=-"
"""Signs of which boxes around comments are made."""
LONGEST_LINE = 20_000
"""Characters of a line beyond which nothing is looked at."""


def with_lines(
    question: Question, lexicon: Lexicon, hits: Sequence[Hit], read_text: Callable[[str], str]
) -> tuple[Hit, ...]:
    """Returns hits with their best source lines; the first of these becomes the hit's line.

    A file that is not as it was indexed keeps the line it has and shows none.
    """
    number = {hit.path: lexicon.number(hit.path) for hit in hits}
    matches = Matches(question, lexicon, list(number.values()))
    out = []
    for place, hit in enumerate(hits):
        text = read_text(hit.path)
        fixed = _fixed(hit, question, text)
        found = best_lines(text, matches.lines(place), matches.worths, fixed, hit.summary)
        line = found[0].line if found else hit.line
        out.append(msgspec.structs.replace(hit, lines=found, line=line))
    return tuple(out)


def _fixed(hit: Hit, question: Question, text: str) -> list[int]:
    """Returns the lines that answer outright: what the question names, or the relation asked for.

    Of an instance it is the line of its statement that names the unit, not that of its own name.
    """
    wanted = {"identifier"} | ({"graph"} if question.instantiates else set())
    own = [e for e in hit.evidence if e.kind in wanted and e.path == hit.path and e.line > 1]
    lines = text.split("\n", max((item.line for item in own), default=0))
    out = []
    for item in own:
        before = range(item.line, max(item.line - STATEMENT, 0), -1)
        unit = _UNIT_NAME.search(item.walk[-1]) if item.walk else None
        named = (n for n in before if unit and n <= len(lines) and unit[1] in lines[n - 1])
        out.append(next(named, item.line) if item.kind == "graph" else item.line)
    return out


def best_lines(
    text: str,
    worth: np.ndarray,
    words: Mapping[str, Worth],
    fixed: Sequence[int] = (),
    summary: str = "",
) -> tuple[SourceLine, ...]:
    """Returns at most MAX_LINES lines of a text, the best first.

    Args:
        text: the whole file, as it was indexed.
        worth: float (terms, 1 + lines), see `Matches.lines`.
        words: the worth of each word of the question.
        fixed: lines that are shown before all others.
        summary: what is told of the file already.
    """
    lines = text.replace("\r\n", "\n").split("\n") if text else []
    if len(lines) != worth.shape[1] - 1:
        return ()  # cut somewhere, or not what was indexed
    inside = in_block_comments(lines) if "/*" in text else set()
    legal = {*notice(lines, inside), *disabled(lines, inside)}
    offered = [
        n for n in _most(worth.sum(axis=0), fixed) if n not in legal and lines[n - 1].strip()
    ]
    if not offered:
        return ()
    plain = letters(summary)

    @cache
    def kind(place: int) -> float:
        number = offered[place]
        return factor(lines[number - 1], number in inside, plain)

    most = worth[:, offered].sum(axis=0).tolist()
    _, first = next(_best_first(most, kind, [NAMED * (n in fixed) for n in offered]))
    found = [source_line(offered[first], lines[offered[first] - 1], words)]
    least = LEAST * (most[first] * kind(first))
    again = np.where(worth[:, offered[first]] > 0, REPEATED, 1.0)
    most = (worth[:, offered] * again[:, None]).sum(axis=0).tolist()
    for value, place in _best_first(most, kind, [0.0] * len(most)):
        if value < least or len(found) == MAX_LINES:
            break
        source = source_line(offered[place], lines[offered[place] - 1], words)
        if source.text != found[0].text:
            found.append(source)
    return tuple(found)


def _best_first(
    most: Sequence[float], kind: Callable[[int], float], given: Sequence[float]
) -> Iterator[tuple[float, int]]:
    """Yields (value, place) of lines, the best first, of equal ones the first.

    The value is `most * kind`, and what is given on top. A kind is at most 1, so that a line is
    looked at only where no other is better for certain.
    """
    # Of equal numbers the one that is not known for certain comes first.
    waiting = [(-(most[n] + given[n]), False, n) for n in range(len(most))]
    heapify(waiting)
    while waiting:
        value, known, place = heappop(waiting)
        if known:
            yield -value, place
        else:
            heappush(waiting, (-(most[place] * kind(place) + given[place]), True, place))


def _most(worth: np.ndarray, fixed: Sequence[int]) -> list[int]:
    """Returns the numbers of the lines of most worth, sorted, with those that are fixed."""
    order = np.argsort(-worth[1:], kind="stable")[:LOOKED_AT] + 1
    found = {int(number) for number in order if worth[number] > 0}
    return sorted(found.union(number for number in fixed if 0 < number < len(worth)))


def source_line(number: int, line: str, words: Mapping[str, Worth]) -> SourceLine:
    """Returns a line as it is shown, the words of the question in it marked."""
    text = line[:LONGEST_LINE].expandtabs(4).strip()
    if is_comment(text):
        text = _unboxed(text)
    marks = _marks(text, words)
    if len(text) <= LONGEST:
        return SourceLine(number, text, marks)
    middle = (marks[0][0] + marks[0][1]) // 2 if marks else 0
    start = max(0, min(middle - LONGEST // 2, len(text) - LONGEST))
    end = start + LONGEST
    before, after = "…" * (start > 0), "…" * (end < len(text))
    shift = start - len(before)
    inside = ((max(a, start), min(b, end)) for a, b in marks if a < end and b > start)
    cut = tuple((a - shift, b - shift) for a, b in inside)
    return SourceLine(number, f"{before}{text[start:end]}{after}", cut)


def _unboxed(text: str) -> str:
    """Returns a comment without the right side of a box around it."""
    kept = text.rstrip(_BOX)
    side = text[len(kept) :]
    boxed = kept[-1:].isspace() and (set(side) <= {"*", "/"} or len(side) > 2)
    return kept.rstrip() if boxed else text


def _marks(text: str, words: Mapping[str, Worth]) -> tuple[tuple[int, int], ...]:
    """Returns the places of the words in a text; those that only `_` parts are one."""
    found: list[tuple[int, int]] = []
    for start, end, term in sorted(places(text)):
        if term not in words:
            continue
        if found and (start <= found[-1][1] or set(text[found[-1][1] : start]) <= {"_"}):
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return tuple(found)
