"""Checks mechanically that what an answer cites stands on the lines it cites.

The text of the answer is read as a user reads it: every `[path:line]` or `[path:line-line]` with
the words before it. These are supported when they stand on the lines word for word (comment marks
and line breaks aside), when they are numbered source lines that are the file's own, or when they
state a fact in one of the forms of `forms` that these lines bear out. Nothing of the code that
writes answers is used here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from hdlgraph.eval.answers.forms import Lines, states_fact
from hdlgraph.eval.answers.papers import Papers, is_row

Enclosing = Callable[[str, int], Collection[str]]
"""Path and line -> the names of the units around it."""
_MARK = re.compile(
    r"(?<![\w\])])\[(?P<path>[^\[\]\n:]{1,400}?)"
    r"(?::(?P<line>\d{1,9})(?:-(?P<end>\d{1,9}))?|, page (?P<page>\d{1,9})"
    r"|, section [^\[\]\n]{1,400})\]"
)
_PATH = re.compile(r"[^\s\[\]]*(?:/[^\[\]]*|\.[A-Za-z]\w{0,5})")
_NUMBERED = re.compile(r"\s*(\d{1,9})\| ?(.*)")
_LEAD = re.compile(r"[-*\s]*")
_COMMENT_MARK = re.compile(r"^\s*(?:/[/*]+[!<]?|\*+(?!/)|--)|\*+/\s*$|/{2,}\s*$")
_INNER_MARK = re.compile(r"/{2,}[!<]?|/\*+[!<]?|\*+/|(?<!\w)\*+")


@dataclass(frozen=True, slots=True)
class Claim:
    """Words of an answer and the place they cite; `wrong` says what is wrong, "" if nothing."""

    text: str
    path: str
    line: int
    end_line: int
    wrong: str = ""


def claims(
    text: str,
    read_text: Callable[[str], str],
    enclosing: Enclosing | None = None,
    places_only: bool = False,
    papers: Papers | None = None,
) -> list[Claim]:
    """Returns what an answer cites, each with what is wrong with it.

    Args:
        text: the answer.
        read_text: gives a file's text, "" for a file that is not there.
        enclosing: gives the names of the units around a line.
        places_only: whether only the places must exist, as in an answer that a model worded.
        papers: the documents that may be cited as well.
    """
    lines_of = cache(lambda path: read_text(path).replace("\r\n", "\n").split("\n"))
    found = []
    for claim, path, line, end, page in _cited(text):
        passage = papers is not None and papers.knows(path)
        if passage and not (isinstance(claim, list) and lines_of(path) != [""]):
            assert papers is not None
            wrong = papers.wrong("" if places_only else claim, path, line, end, page)
        else:
            wrong = _missing(lines_of(path), line, end)
            if not wrong and not places_only:
                wrong = _unsupported(claim, lines_of(path), _at(path, line, end, enclosing))
        shown = "\n".join(f"{n}| {code}" for n, code in claim) if isinstance(claim, list) else claim
        found.append(Claim(shown, path, line, end, wrong))
    return found


def precision(checked: Sequence[Claim]) -> float:
    """Returns the share of the claims with nothing wrong; 1.0 of none."""
    return sum(not claim.wrong for claim in checked) / len(checked) if checked else 1.0


def _cited(text: str) -> Iterator[tuple[str | list[tuple[int, str]], str, int, int, int]]:
    """Yields (words or numbered lines, path, line, end line, page) of each mark of an answer.

    The rows of a table of fields are words, a row a line.
    """
    block: list[tuple[int, str]] = []
    table: list[str] = []
    for row in text.split("\n"):
        numbered = _NUMBERED.fullmatch(row)
        if numbered:
            block.append((int(numbered[1]), numbered[2]))
            continue
        if is_row(row):
            table.append(row)
            continue
        at, claim = 0, "\n".join(table)
        table = table if row.startswith("  and ") else []
        for mark in _MARK.finditer(row):
            paged = mark["line"] is None
            if not _PATH.fullmatch(mark["path"]) or not (paged or int(mark["line"])):
                continue
            before = row[at : mark.start()].strip(" \t;,")
            claim = _LEAD.sub("", before, count=1) if _words(before) else claim
            line = int(mark["line"] or 0)
            end = max(int(mark["end"] or line), line)
            yield (claim or block), mark["path"], line, end, int(mark["page"] or 0)
            at = mark.end()
        if row.strip() and row.strip() != "...":
            block = []


def _at(path: str, line: int, end: int, enclosing: Enclosing | None) -> Lines:
    """Returns a place without its text; the file's own name is around all of its lines."""
    names = enclosing(path, line) if enclosing else ()
    around = {path.rpartition("/")[2], *(name.split(".")[-1] for name in names)}
    return Lines(path, line, end, (), frozenset(around))


def _missing(lines: Sequence[str], line: int, end: int) -> str:
    if lines == [""]:
        return "there is no such file"
    last = len(lines) - (lines[-1] == "")
    return "" if 1 <= line <= end <= last else f"the file has {last} lines"


def _unsupported(claim: str | list[tuple[int, str]], lines: Sequence[str], place: Lines) -> str:
    cited = lines[place.line - 1 : place.end_line]
    if isinstance(claim, list):
        return _not_the_lines(claim, lines, place)
    if not claim:
        return "nothing is said before it"
    if _letters(claim.rstrip(".")) in _letters_of(cited):
        return ""
    at = replace(place, text=tuple(cited))
    return "" if states_fact(claim, at) else "does not stand on these lines"


def _not_the_lines(block: list[tuple[int, str]], lines: Sequence[str], place: Lines) -> str:
    if not block:
        return "nothing is said before it"
    for number, code in block:
        if not place.line <= number <= place.end_line:
            return f"line {number} is outside of what is cited"
        real = "".join(lines[number - 1].split())
        squeezed = "".join(code.split())
        if real != squeezed and not (squeezed.endswith("…") and real.startswith(squeezed[:-1])):
            return f"line {number} reads otherwise"
    return ""


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _letters(text: str) -> str:
    """Returns a text without blanks and comment marks."""
    return "".join(_INNER_MARK.sub("", text).split())


def _letters_of(lines: Sequence[str]) -> str:
    """Returns lines joined, without blanks, comment marks and the stars before comment lines."""
    return "".join(_letters(_COMMENT_MARK.sub("", _COMMENT_MARK.sub("", one))) for one in lines)
