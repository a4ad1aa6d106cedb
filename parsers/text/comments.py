"""Comments of a file as prose: joined into blocks, without markers and licence text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from hdlgraph.model import Comment
from hdlgraph.parsers.text.licence import without_notices
from hdlgraph.parsers.text.source import RawComment

_AUTHOR = re.compile(
    r"^\W*(?:authors?|engineers?|additional contributions? by|contributors?|created|date|"
    r"modified|e-?mail|original author|maintainers?|revision|\$(?:id|rev|date|author))"
    r"\b(?:\(s\))?\W*[:$]"
    r"|^[^.]{0,80}\b(?:university|institute of technology|department of|research lab)\b.{0,40}$"
    r"|^.{0,60}[\w.+-]+@[\w-]+\.[\w.]+.{0,30}$"
    r"|^\W*(?:project name|language|module name|company|target devices?|tool versions?)\s*:",
    re.IGNORECASE,
)
_PRAGMA = re.compile(
    r"^\W*(?:verilator (?:lint|tracing|public|coverage|no_inline|no_clocker)|synopsys |"
    r"synthesis (?:translate|off|on)|pragma |ri lint_check|verilog_(?:lint|format|syntax)|"
    r"verible|coverage (?:off|on)|translate_o|cadence |lint_o|spyglass|clang-format|"
    r"-\*-|vim?:|local variables|leda )",
    re.IGNORECASE,
)
_AUTO = re.compile(
    r"^\W*(?:AUTO(?:_|INST|ARG|WIRE|REG|LOGIC|IN|OUT|SENSE|RESET|TIEOFF|UN|ASCII|CON|AS\b)[A-Z_]*\b"
    r"|(?:Beginning|End) of automatic|Templated\W*$)"
)
"""What Emacs' verilog-mode is asked for, and writes into the file: nothing about the design."""
_TEMPLATE = re.compile(r"(?m)^.*\bAUTO_TEMPLATE\b[\s\S]*")
_HEADING = re.compile(r"\W*(?:Outputs?|Inputs?|Inouts?|Interfaced?|Parameters?)\W*")
"""A comment of this alone stands over a part of a list, as verilog-mode writes it."""
_RULE = re.compile(r"^[\W_]{3,}$|^\W*$")
_EDGE = re.compile(r"\s*(?:/{2,}|\*+|\|+|#+)\s*$")
_EDGES = frozenset("/*|#")
"""What a line ends with of which `_EDGE` takes something away."""
_LEAD = re.compile(r"^[ \t]*(?:/{2,}[!<]?|\*+(?!\w)|#{2,}|\|(?=\s))?[ \t]?")


@dataclass(frozen=True, slots=True)
class CommentIndex:
    """The comment blocks of a file with lookups by line (1-based).

    `above` maps the last line of a block on lines of its own to its text, `beside` the line of
    a comment after code to its text.
    """

    blocks: tuple[Comment, ...]
    above: dict[int, str]
    beside: dict[int, str]

    def of(self, line: int, end_line: int = 0) -> str:
        """Returns the comment of an item on `line`: directly above, else beside its lines."""
        text = self.above.get(line - 1)
        if text:
            return text
        return self.beside.get(line) or self.beside.get(end_line, "")

    def near(self, line: int) -> str:
        """Returns the comment beside a short item, else the one directly above it."""
        return self.beside.get(line) or self.above.get(line - 1, "")


def index_comments(comments: Iterable[RawComment]) -> CommentIndex:
    """Returns the blocks of a file's comments; licence text and orders to tools are left out."""
    blocks: list[Comment] = []
    above: dict[int, str] = {}
    beside: dict[int, str] = {}
    for run in _runs(comments):
        text = prose("\n".join(body(comment.text) for comment in run))
        if not text:
            continue
        first, last = run[0], run[-1]
        blocks.append(Comment(line=first.line, end_line=last.end_line, text=text))
        if first.trailing:
            beside.setdefault(first.line, text)
        else:
            above[last.end_line] = text
    return CommentIndex(tuple(blocks), above, beside)


def _runs(comments: Iterable[RawComment]) -> Iterator[list[RawComment]]:
    run: list[RawComment] = []
    for comment in comments:
        if run and _joins(run, comment):
            run.append(comment)
            continue
        if run:
            yield run
        run = [comment]
    if run:
        yield run


def _joins(run: list[RawComment], comment: RawComment) -> bool:
    last = run[-1]
    if comment.trailing or comment.line > last.end_line + 1 or comment.line == last.line:
        return False
    if comment.text.startswith("/*") or last.text.startswith("/*"):
        return False
    # Below a trailing comment only an aligned line continues it.
    return comment.column == last.column if run[0].trailing else True


def body(token: str) -> str:
    """Returns a comment token without its markers, line by line."""
    if token.startswith("/*"):
        token = token[2:-2] if token.endswith("*/") and len(token) > 3 else token[2:]
    lines = []
    for line in token.split("\n"):
        line = line.rstrip()
        lead = _LEAD.match(line)
        line = line[lead.end() :] if lead else line
        if not line[:1].isalnum() and _RULE.match(line):
            line = ""
        elif line[-1:] in _EDGES:
            line = _EDGE.sub("", line).rstrip()
        lines.append(line)
    return "\n".join(lines)


def prose(text: str) -> str:
    """Returns comment text without licence notices, banners, orders to tools and rulers."""
    return _known_prose(text) if len(text) <= _KNOWN_CHARS else _prose(text)


def _prose(text: str) -> str:
    if _HEADING.fullmatch(text):
        return ""
    lines = _TEMPLATE.sub("", text).split("\n")
    kept = (line for line in lines if not _PRAGMA.match(line) and not _AUTO.match(line))
    return without_notices("\n".join(kept))


_KNOWN_CHARS = 200
"""Of shorter comments half stand somewhere else as well: a word beside a port, a heading."""
_known_prose = lru_cache(maxsize=8192)(_prose)


def header(blocks: Iterable[Comment], before: int, limit: int = 4000) -> str:
    """Returns the descriptive text at the head of a file.

    Args:
        blocks: the comment blocks of the file in order.
        before: blocks that end on or after this line (1-based) do not belong to the head.
        limit: characters kept at most.
    """
    parts: list[str] = []
    for block in blocks:
        if block.end_line >= before:
            break
        lines = [line for line in block.text.split("\n") if not _AUTHOR.match(line)]
        parts.append("\n".join(lines).strip())
    return "\n\n".join(part for part in parts if part)[:limit].strip()
