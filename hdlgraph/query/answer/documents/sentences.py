"""Sentences of a section, each with the lines it stands on, without the marks of its format."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.query.answer.sanitise import parted, printable

LONGEST = 360
"""Characters of a sentence that are quoted."""
LETTERS = 0.55
"""Share of letters and blanks below which a line is a drawing or a rule."""
MOST = 400
"""Sentences of one section that are looked at."""
_ITEM = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,3}[.)])\s+")
_RULE = re.compile(r"^\s*[|+]?[-=~^\"'`#*+_:|. ]{3,}\s*$")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s")
_DIRECTIVE = re.compile(r"^\s*(?:\.\. |:[\w-]+:(?!`))|^\s*\{\{[%<].*[%>]\}\}\s*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\](?:\([^()\s]{0,500}\)|\[[^\[\]\n]{0,100}\])")
_ROLE = re.compile(r":[\w:+-]{1,40}:`([^`<>\n]{0,200})(?:<[^<>\n]{0,200}>)?`")
_TARGET = re.compile(r"`([^`<>\n]{1,200}?)\s*<[^<>\n]{1,300}>`_{0,2}")
_SHORT = re.compile(r"\{\{<\s*\w+\s+\"?([^\"<>{}\n]{0,200}?)\"?\s*>\}\}")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
_MARKS = re.compile(r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|`{2,}")
_END = re.compile(r"(?<=[.!?:])\s+(?=[\"'`(\[]?[A-Z0-9])")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|etc|fig|sec|no|approx))\.$", re.IGNORECASE)


class Sentence(NamedTuple):
    """A sentence, or a block of code, with the lines of its text from `first` to `last`, from 0."""

    text: str
    first: int
    last: int
    code: bool = False


def sentences_of(text: str) -> list[Sentence]:
    """Returns the sentences of a section; pictures, rules and headings are left out."""
    found: list[Sentence] = []
    for paragraph in _paragraphs(text.split("\n")):
        found += _sentences(paragraph)
        if len(found) >= MOST:
            break
    return found[:MOST]


def prose(text: str) -> str:
    """Returns a text with empty lines for its pictures, rules and directives; code stays."""
    lines, fenced = text.split("\n"), False
    for number, line in enumerate(lines):
        fenced ^= _FENCE.match(line) is not None
        if not fenced and not _FENCE.match(line) and not _ROW.match(line):
            letters = sum(ch.isalnum() or ch.isspace() for ch in line)
            if _DIRECTIVE.match(line) or letters < LETTERS * len(line):
                lines[number] = ""
    return "\n".join(lines)


def plain(line: str) -> str:
    """Returns a line without the marks of Markdown, reStructuredText and HTML."""
    line = printable(line)
    for pattern in (_LINK, _ROLE, _TARGET, _SHORT):
        line = pattern.sub(lambda found: found[1], line)
    line = _MARKS.sub(lambda found: "`" if found[0][0] == "`" else "", _TAG.sub(" ", line))
    if _ROW.match(line):
        line = ", ".join(filter(None, (cell.strip() for cell in line.strip("| \t").split("|"))))
    # Nothing that is left may pose as a place that is cited.
    return parted(" ".join(_ITEM.sub("", line).replace("[", "(").replace("]", ")").split()))


def _paragraphs(lines: list[str]) -> Iterator[list[tuple[int, str]]]:
    """Yields runs of (number, plain text) of lines that belong together."""
    run: list[tuple[int, str]] = []
    fenced = False
    for number, line in enumerate(lines):
        fence = _FENCE.match(line) is not None
        fenced ^= fence
        apart = fence or _RULE.match(line) or _HEADING.match(line) or _DIRECTIVE.match(line)
        if apart or not line.strip() or _ITEM.match(line) or _ROW.match(line):
            if run:
                yield run
            run = []
        if apart or fenced or not line.strip():
            continue
        words = plain(line)
        letters = sum(ch.isalnum() or ch.isspace() for ch in words)
        if words and letters >= LETTERS * len(words):
            run.append((number, words))
        if _ROW.match(line) and run:
            yield run
            run = []
    if run:
        yield run


def _sentences(run: list[tuple[int, str]]) -> Iterator[Sentence]:
    """Yields the sentences of a paragraph."""
    starts, at = [], 0
    for _, words in run:
        starts.append(at)
        at += len(words) + 1
    text = " ".join(words for _, words in run)

    def line_of(place: int) -> int:
        return run[bisect.bisect_right(starts, place) - 1][0]

    begin = 0
    for end in [*(found.start() for found in _END.finditer(text)), len(text)]:
        one = text[begin:end].strip()
        if end < len(text) and (_ABBREVIATED.search(one[-8:]) or len(one) < 12):
            continue
        if one:
            first = begin + len(text[begin:end]) - len(text[begin:end].lstrip())
            cut = one if len(one) <= LONGEST else f"{one[: LONGEST - 1].rpartition(' ')[0]}…"
            yield Sentence(cut, line_of(first), line_of(max(end - 1, first)))
        begin = end
