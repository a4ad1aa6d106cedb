"""Takes the text of a passage apart: sentences, blocks of code, rows of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

SENTENCE, CODE, ROW = "sentence", "code", "row"
MOST = 2_000
"""Pieces of one text; a longer one is read so far."""
CODE_LINES = 40
"""Lines of a block of code that are one piece."""
_END = re.compile(r"(?<=[.!?:])\s+(?=[`\"'(*\[]?[A-Z0-9])")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"\s*#{1,6}\s")
_RULE = re.compile(r"[\s|:=+*_~-]+")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s")


class Piece(NamedTuple):
    """A piece and the lines that it stands on, from 0 for the first line of the text."""

    kind: str
    text: str
    line: int
    end_line: int


def pieces(text: str) -> list[Piece]:
    """Returns the pieces of a text in order; headings and rules are none."""
    found: list[Piece] = []
    held: list[tuple[int, str]] = []
    fenced = False
    for number, line in enumerate(text.split("\n")):
        if len(found) >= MOST:
            break
        if _FENCE.match(line):
            found += _code(held) if fenced else _sentences(held)
            held, fenced = [], not fenced
        elif fenced:
            held.append((number, line.rstrip()))
        elif line.lstrip().startswith("|") or _ends(line):
            found += [*_sentences(held), *_row(number, line)]
            held = []
        else:
            if _ITEM.match(line):
                found += _sentences(held)
                held = []
            held.append((number, line.strip()))
    found += _code(held) if fenced else _sentences(held)
    return found[:MOST]


def _ends(line: str) -> bool:
    """Returns whether a line ends a paragraph: a blank one, a heading, a rule."""
    return not line.strip() or bool(_HEADING.match(line) or _RULE.fullmatch(line))


def _row(number: int, line: str) -> Iterator[Piece]:
    if line.lstrip().startswith("|") and not _RULE.fullmatch(line):
        cells = (cell.strip() for cell in line.strip().strip("|").split("|"))
        yield Piece(ROW, " ".join(filter(None, cells)), number, number)


def _code(lines: list[tuple[int, str]]) -> Iterator[Piece]:
    kept = lines[:CODE_LINES]
    if any(line.strip() for _, line in kept):
        yield Piece(CODE, "\n".join(line for _, line in kept), kept[0][0], kept[-1][0])


def _sentences(lines: list[tuple[int, str]]) -> Iterator[Piece]:
    """Yields the sentences of a paragraph, each with the lines from its first to its last word."""
    text, starts = "", []
    for number, line in lines:
        text += " " if text else ""
        starts.append((len(text), number))
        text += line
    begin = 0
    for end in (*(match.start() for match in _END.finditer(text)), len(text)):
        sentence = text[begin:end].strip()
        if sentence:
            first = [n for at, n in starts if at <= begin + 1]
            last = [n for at, n in starts if at < end]
            yield Piece(SENTENCE, " ".join(sentence.split()), first[-1], last[-1])
        begin = end
