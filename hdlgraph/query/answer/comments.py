"""Sentences of a source file's comments, each with the lines it stands on."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass

from hdlgraph.query.answer.source_text import LICENCE, SourceText

MIN_WORDS = 4
MAX_WORDS = 60
MIN_LETTERS = 0.6  # share of letters and blanks below which a comment is a drawing or a table
_TOKEN = re.compile(r"\"(?:[^\"\\\n]|\\.){0,500}+\"|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)")
_END = re.compile(r"(?<=[a-z0-9)\]'\"`][.!?])\s+(?=[\"'`(]?[A-Z])")
_MARKER = re.compile(
    r"^[ \t]*(?:/[/*]+[!<]?|\*(?!/))[ \t]?"
    # Each run of blanks, stars or slashes is tried once, from its beginning.
    r"|(?<![ \t])[ \t]+\*+/[ \t]*$|(?<!\*)\*+/[ \t]*$|(?<!/)/{2,}[ \t]*$"
)
_CODE = re.compile(
    r";\s*$|^\s*(?:assign|always\w*|begin|end|input|output|logic|wire|reg|module)\b|\|->|\|=>"
    r"|\w\s*\(\s*\.\w|lint_off|lint_on|pragma|synopsys|verilator"
)
_BANNER = re.compile(r"[-=*/#_~+]{4,}|-->|<--")

_LEAD = re.compile(r"^.{0,400}?(?:\bDescription|\bDocumentation|@brief|@details)\b\s*:?\s*[-*]?\s*")
_HISTORY = re.compile(r"[@\\]?\bauthors?\b\s*:?|\bdate\s*:|\S+@\S+\.\w+|\bversion\s*:", re.I)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its first and last line."""

    text: str
    line: int
    end_line: int


def sentences(source: SourceText) -> list[Sentence]:
    """Returns the sentences of a file's comments; licences, drawings and code are left out."""
    return list(each_sentence(source))


def each_sentence(source: SourceText) -> Iterator[Sentence]:
    """Yields what `sentences` returns; of a file no more is read than is asked for."""
    for run in _runs(source.text):
        text = " ".join(part for _, part in run)
        if not LICENCE.search(text):
            yield from _split(run)


Run = list[tuple[int, str]]
"""Adjacent comment lines: (line, text without markers)."""


def _runs(text: str) -> Iterator[Run]:
    """Yields the comments of a text; a blank or drawn comment line parts two."""
    run: Run = []
    at, line, last = 0, 1, -1  # `last`: the line of a comment that the next may go on
    for token in _TOKEN.finditer(text):
        if token[0].startswith('"'):
            continue
        line += text.count("\n", at, token.start())
        at = token.start()
        alone = not text[text.rfind("\n", 0, at) + 1 : at].strip()
        if not (alone and line == last + 1) and run:
            yield run
            run = []
        for number, part in enumerate(token[0].split("\n"), line):
            plain = _MARKER.sub("", part).strip()
            if plain and not _BANNER.search(plain):
                run.append((number, plain))
            elif run:
                yield run
                run = []
        last = line + token[0].count("\n") if alone else -1
    if run:
        yield run


def _split(run: Run) -> list[Sentence]:
    text, starts, numbers = "", [], []
    for number, part in run:
        starts.append(len(text))
        numbers.append(number)
        text += part + " "
    out = []
    begin = 0
    for end in [*(m.start() for m in _END.finditer(text)), len(text)]:
        sentence = text[begin:end].strip()
        if sentence and readable(sentence):
            first = begin + len(text[begin:end]) - len(text[begin:end].lstrip())
            where = [numbers[bisect.bisect_right(starts, p) - 1] for p in (first, max(end - 1, 0))]
            out.append(Sentence(sentence, where[0], where[1]))
        begin = end
    return out


def readable(text: str) -> bool:
    """Returns whether a text reads as a sentence rather than as a list, a drawing or code."""
    words = text.split()
    if not MIN_WORDS <= len(words) <= MAX_WORDS or LICENCE.search(text):
        return False
    if _CODE.search(text) or _BANNER.search(text):
        return False
    if text.count(",") * 3 > len(words) + 3:  # a list of names
        return False
    good = sum(ch.isalpha() or ch == " " for ch in text)
    return good >= MIN_LETTERS * len(text)


def plain_sentence(text: str) -> str:
    """Returns a sentence without the header fields before and after it, "" if nothing is left.

    Who wrote a file, and when, answers no question on its design.
    """
    lead = _LEAD.match(text)
    text = text[lead.end() :] if lead else text
    found = _HISTORY.search(text)
    kept = text[: found.start()].strip(" -*,;") if found else text
    return kept if len(kept.split()) >= MIN_WORDS - 1 else ""
