"""Classifies a source line: logic, comment, declaration, or nothing that a reader wants.

Only the first CHARS characters of a line are looked at: a stranger's line may be megabytes long.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

CHARS = 400
LOGIC, COMMENT, CONNECTION, UNIT, DECLARATION, END = 1.0, 0.7, 0.6, 0.5, 0.4, 0.1
"""What a line's words count by its kind."""
REPEATED = 0.3
"""Factor of a comment that says no more than the summary of the file."""
CODE, LEAST_CODE = 1 / 3, 2
"""Share and number of the lines of a comment from which it is code."""
HEADER = 120
"""Lines at the head of a file in which a notice is looked for."""
GAP = 30
"""Lines of code after which a notice has surely ended."""

# All are matched where a line's text begins.
_COMMENT = re.compile(r"//|/\*|\*(?![^*]*[;=])|\(\*")
_DECLARATION = re.compile(
    r"(?:input|output|inout|logic|wire|reg|bit|rand|int|integer|genvar|import|typedef|string"
    r"|parameter|localparam|static|virtual|uvm_\w+)\b|`(?:include|define|undef|ifn?def)\b|[\[(]"
    r"|\w+(?:::\w+)?\s+(?:\[[^\]]*\]\s*)?\w+\s*;"  # a signal of a type of one's own
    r"|[A-Z]\w*\s*(?:=\s*[\w':]+)?\s*,?\s*(?://|$)"  # a member of an enumeration
)
_UNIT = re.compile(
    r"(?:(?:virtual|extern)\s+)?(?:module|interface|package|program|class|checker|bind)\b"
)
_CONNECTION = re.compile(r"\.\w|`[Aa][Ss][Ss]|assert|assume|cover|\$(?:display|error|fatal|warn)")
"""A connection of an instance, or a check: logic that says less than a statement."""
_END = re.compile(r"end\w*\b|[)}\];,]*\s*(?://|$)|`endif|`else")
_KINDS = ((_END, END), (_UNIT, UNIT), (_DECLARATION, DECLARATION), (_CONNECTION, CONNECTION))
_LEGAL = re.compile(
    r"copyright|\(c\) ?(?:19|20)\d\d|licen[sc]e|spdx-|all rights reserved|warrant(?:y|ies)"
    r"|redistribut|\bliab(?:le|ility)|\bas[ -]is\b|permission is hereby|do not edit"
    r"|(?:auto|automatically)[ -]?generated"
)
"""Words of a notice, in lower case."""
_STATEMENT = re.compile(r";\s*(?://.*)?$|^\s*(?:begin|end\w*)\b|^\s*\.\w+\s*\(")
_OPENING = re.compile(
    r"\s*(?:(?:assign|always\w*|module|input|output|inout|logic|wire|reg|else)\b|(?:if|case[xz]?)\s*\()"
)
"""What lines of code have, but those of sentences hardly ever."""
_WORD = re.compile(r"\w")
_BORDER = re.compile(r"//|/\*|\*/")


def is_comment(text: str) -> bool:
    """Returns whether a text, without white space before it, begins with a comment."""
    return _COMMENT.match(text[:CHARS]) is not None


def is_legal(text: str) -> bool:
    """Returns whether a text has words of a licence or of another notice."""
    return _LEGAL.search(text[:CHARS].lower()) is not None


def factor(line: str, inside: bool, summary: str) -> float:
    """Returns what a line's words count.

    Args:
        line: the line.
        inside: whether it begins in a block comment.
        summary: the letters of the file's summary.
    """
    text = line.lstrip()[:CHARS]
    if inside or _COMMENT.match(text):
        if _LEGAL.search(text.lower()) or '@"' in text:
            return END  # a notice, or a template of Emacs
        plain = letters(text)
        return COMMENT * (
            REPEATED if summary and (plain in summary or plain.endswith(summary)) else 1.0
        )
    return next((value for kind, value in _KINDS if kind.match(text)), LOGIC)


def letters(text: str) -> str:
    """Returns the letters and digits of a text, in lower case."""
    return "".join(filter(str.isalnum, text)).lower()


def is_code(lines: Iterable[str]) -> bool:
    """Returns whether the lines of a block comment are, for a good part, code that it takes out."""
    said = [line[:CHARS] for line in lines if _WORD.search(line[:CHARS])]
    code = sum(bool(_STATEMENT.search(line) or _OPENING.match(line)) for line in said)
    return code >= LEAST_CODE and code >= CODE * len(said)


def disabled(lines: Sequence[str], inside: Collection[int]) -> set[int]:
    """Returns the numbers of the lines of code that block comments take out of a design.

    Args:
        lines: of the whole file.
        inside: those that begin inside a block comment.
    """
    found: set[int] = set()
    run: list[int] = []
    for number in [*sorted(inside), 0]:
        if run and number != run[-1] + 1:
            found.update(run if is_code([lines[n - 1] for n in run]) else ())
            run = []
        run.append(number)
    return found


def in_block_comments(lines: Sequence[str]) -> set[int]:
    """Returns the numbers, from 1, of the lines that begin inside a block comment."""
    found, inside = set(), False
    for number, line in enumerate(lines, 1):
        if inside:
            found.add(number)
        if inside or "/*" in line:
            for border in _BORDER.finditer(line):
                if border[0] == "//" and not inside:
                    break
                inside = border[0] == "/*" or (inside and border[0] != "*/")
    return found


def notice(lines: Sequence[str], inside: Collection[int]) -> range:
    """Returns the numbers of the lines, from 1, of a licence or banner at the head of a file.

    Args:
        lines: of the whole file.
        inside: those that begin inside a block comment.
    """
    lines_of: list[int] = []
    for number, line in enumerate(lines[:HEADER], 1):
        text = line.lstrip()[:CHARS]
        is_comment = number in inside or not text or _COMMENT.match(text) is not None
        if not is_comment and (not lines_of or number > lines_of[-1] + GAP):
            break
        if is_comment and _LEGAL.search(text.lower()):
            lines_of.append(number)
    return range(lines_of[0], lines_of[-1] + 1) if lines_of else range(0)
