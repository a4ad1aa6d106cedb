"""Comments of a file as prose: joined into blocks, without markers and licence text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hdlgraph.parsers.source import RawComment

from hdlgraph.model import Comment

_LICENCE = re.compile(
    r"copyright|\(c\)\s*(?:19|20)\d\d|©|licen[cs]e|spdx|all rights reserved|warrant(?:y|ies)|"
    r"redistribut|liab(?:le|ility)|without limitation|in no event|\bas[ -]is\b|"
    r"applicable law|permission is hereby|express or implied|contributors? may be used|"
    r"endorse or promote|provided with the distribution|following disclaimer|"
    r"free software foundation|gnu (?:lesser|general)|merchantab|fitness for a particular|"
    r"written permission|you may obtain a copy|compliance with the|confidential|proprietary",
    re.IGNORECASE,
)
# Every match of _LICENCE holds one of these; plain substrings are ten times faster to rule out.
_MARKS = (
    "copyright",
    "(c)",
    "©",
    "licen",
    "spdx",
    "reserved",
    "warrant",
    "redistribut",
    "liab",
    "limitation",
    "no event",
    "as is",
    "as-is",
    "applicable law",
    "permission",
    "implied",
    "contributor",
    "endorse",
    "distribution",
    "disclaimer",
    "free software",
    "gnu ",
    "merchantab",
    "fitness",
    "obtain a copy",
    "compliance",
    "confidential",
    "proprietary",
)
_AUTHOR = re.compile(
    r"^\W*(?:authors?|engineers?|additional contributions? by|contributors?|created|date|"
    r"modified|e-?mail|original author|maintainers?|revision|\$(?:id|rev|date|author))\b\W*[:$]"
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
_RULE = re.compile(r"^[\W_]{3,}$|^\W*$")
_EDGE = re.compile(r"\s*(?:/{2,}|\*+|\|+|#+)\s*$")
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
    """Returns the blocks of a file's comments; licence text and tool pragmas are left out."""
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
        line = _LEAD.sub("", line.rstrip(), count=1)
        lines.append("" if _RULE.match(line) else _EDGE.sub("", line).rstrip())
    return "\n".join(lines)


def prose(text: str) -> str:
    """Returns comment text without licence passages, tool pragmas and rulers."""
    paragraphs: list[list[str]] = [[]]
    for line in text.split("\n"):
        if not line.strip():
            paragraphs.append([])
        elif not _PRAGMA.match(line):
            paragraphs[-1].append(line)
    kept = ["\n".join(_without_licence(lines)) for lines in paragraphs if lines]
    return "\n\n".join(part for part in kept if part.strip()).strip()


def _without_licence(lines: list[str]) -> list[str]:
    lowered = "\n".join(lines).lower()
    if not any(mark in lowered for mark in _MARKS):
        return lines
    marked = [i for i, line in enumerate(lines) if _LICENCE.search(line)]
    if not marked:
        return lines
    first, last = marked[0], marked[-1]
    # One remark such as "licence plate width" in a long text is no licence: need two, or the head.
    if len(marked) == 1 and first > 1 and not re.search(r"copyright|spdx", lines[first], re.I):
        return lines
    tail = lines[last + 1 :]
    if len(marked) > 1 and tail and not re.match(r"^\s*[A-Z@\\]", tail[0]):
        tail = tail[1:]
    return lines[:first] + tail


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
