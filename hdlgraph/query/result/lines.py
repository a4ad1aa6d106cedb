"""Chooses the source lines of a hit that say most about the question, and marks its words in them.

A line is worth the sum over the question's terms of the idf of the best word for it (as of
`matches.worths`), times a factor by its kind: logic before comments before declarations. Of two
lines the second counts terms of the first one REPEATED times only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.analyse import Question
from hdlgraph.query.result.matches import Matches, Worth
from hdlgraph.results import Hit, SourceLine
from hdlgraph.words import places

SHOWN = 2
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
LOGIC, COMMENT, CONNECTION, UNIT, DECLARATION, END = 1.0, 0.7, 0.6, 0.5, 0.4, 0.1
TOLD = 0.3
"""Factor of a line that says no more than the summary of the file."""
NAMED = 100.0
"""Added to the line that declares what is named, or that states the relation asked for."""

_COMMENT = re.compile(r"\s*(?://|/\*|\*(?![^*\n]*[;=])|\(\*)")
_DECLARATION = re.compile(
    r"\s*(?:(?:input|output|inout|logic|wire|reg|bit|rand|int|integer|genvar|import|typedef|string"
    r"|parameter|localparam|static|virtual|uvm_\w+)\b|`(?:include|define|undef|ifn?def)\b|[\[(])"
)
_UNIT = re.compile(
    r"\s*(?:(?:virtual|extern)\s+)?(?:module|interface|package|program|class|checker|bind)\b"
)
_CONNECTION = re.compile(
    r"\s*(?:\.\w|`[Aa][Ss][Ss]|assert|assume|cover|\$(?:display|error|fatal|warning)\b)"
)
"""A connection of an instance, or a check: logic that says less than a statement."""
_END = re.compile(r"\s*(?:end\w*\b|[)}\];,]*\s*(?://.*)?$|`endif|`else)")
_KINDS = ((_END, END), (_UNIT, UNIT), (_DECLARATION, DECLARATION), (_CONNECTION, CONNECTION))
_UNIT_NAME = re.compile(r"-> (\S+) \(")
"""The target of an edge, as evidence tells it."""
_BOX = re.compile(r"\s+(?:\*+/?|[/#=-]{3,})$")
"""The right side of a box around a comment."""
_LEGAL = re.compile(
    r"copyright|\(c\) ?(?:19|20)\d\d|licen[sc]e|spdx-|all rights reserved|warrant(?:y|ies)"
    r"|redistribut|\bliab(?:le|ility)|\bas[ -]is\b|permission is hereby|do not edit"
    r"|(?:auto|automatically)[ -]?generated"
)
"""Words of a notice, in lower case."""
HEADER = 120
"""Lines at the head of a file in which a notice is looked for."""


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
    """Returns at most SHOWN lines of a text, the best first.

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
    legal = _notice(lines)
    offered = [
        n for n in _most(worth.sum(axis=0), fixed) if n not in legal and lines[n - 1].strip()
    ]
    if not offered:
        return ()
    inside, told = _block_comments(lines, offered), _letters(summary)
    factor = np.asarray([_factor(lines[n - 1], n in inside, told) for n in offered])
    value = worth[:, offered].sum(axis=0) * factor
    first = int(np.argmax(value + [NAMED * (n in fixed) for n in offered]))
    found = [source_line(offered[first], lines[offered[first] - 1], words)]
    least = LEAST * value[first]
    again = np.where(worth[:, offered[first]] > 0, REPEATED, 1.0)
    value = (worth[:, offered] * again[:, None]).sum(axis=0) * factor
    for place in np.argsort(-value, kind="stable").tolist():
        if value[place] < least or len(found) == SHOWN:
            break
        shown = source_line(offered[place], lines[offered[place] - 1], words)
        if shown.text != found[0].text:
            found.append(shown)
    return tuple(found)


def _most(worth: np.ndarray, fixed: Sequence[int]) -> list[int]:
    """Returns the numbers of the lines of most worth, sorted, with those that are fixed."""
    order = np.argsort(-worth[1:], kind="stable")[:LOOKED_AT] + 1
    found = {int(number) for number in order if worth[number] > 0}
    return sorted(found.union(number for number in fixed if 0 < number < len(worth)))


def _factor(line: str, inside: bool, told: str) -> float:
    """Returns the factor of a line by its kind.

    Args:
        line: the line.
        inside: whether it stands in a block comment.
        told: the letters of the file's summary.
    """
    if inside or _COMMENT.match(line):
        if _LEGAL.search(line.lower()) or '@"' in line:
            return END  # a notice, or a template of Emacs
        said = _letters(line)
        return COMMENT * (TOLD if told and (said in told or told in said[-len(told) :]) else 1.0)
    return next((factor for kind, factor in _KINDS if kind.match(line)), LOGIC)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def _block_comments(lines: Sequence[str], wanted: Sequence[int]) -> set[int]:
    """Returns those of the wanted lines (sorted, from 1) that begin inside a block comment."""
    found, inside, asked = set(), False, set(wanted)
    for number, line in enumerate(lines[: wanted[-1]], 1):
        if inside and number in asked:
            found.add(number)
        if inside or "/*" in line:
            inside = _open_at_end(line, inside)
    return found


def _open_at_end(line: str, inside: bool) -> bool:
    """Returns whether a block comment is open at the end of a line."""
    at = 0
    while True:
        if inside:
            at = line.find("*/", at)
            if at < 0:
                return True
            inside, at = False, at + 2
        begin, rest = line.find("/*", at), line.find("//", at)
        if begin < 0 or 0 <= rest < begin:
            return False
        inside, at = True, begin + 2


def _notice(lines: Sequence[str]) -> range:
    """Returns the numbers of the lines, from 1, of a licence or banner at the head of a file."""
    told = []
    for number, line in enumerate(lines[:HEADER], 1):
        if line.strip() and not _COMMENT.match(line) and not told:
            break
        if _LEGAL.search(line.lower()):
            told.append(number)
        elif told and line.strip() and not _COMMENT.match(line) and number > told[-1] + 30:
            break
    return range(told[0], told[-1] + 1) if told else range(0)


def source_line(number: int, line: str, words: Mapping[str, Worth]) -> SourceLine:
    """Returns a line as it is shown, the words of the question in it marked."""
    text = line.expandtabs(4).strip()
    if _COMMENT.match(text):
        text = _BOX.sub("", text)
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
