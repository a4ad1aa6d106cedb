"""Checks what an answer quotes of documents: sentences, and tables of a register's fields.

Of a document that is still there its own lines are read, of others, and of those without lines,
the text as it was extracted. Marks of Markdown and the like may be missing in a quotation, so it
counts where its words stand there in their order with few others between.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import HdlgraphError

if TYPE_CHECKING:
    from hdlgraph.project import Project

_WORD = re.compile(r"[^\W_]+")
_ROW = re.compile(r"  (?P<line>\d{1,9})  +(?P<bits>\d+:\d+|\d+|-)  +(?P<name>\S+)  +(?P<rest>\S.*)")
_HEAD = re.compile(r"  line +bits +field +access +reset +meaning")
_MORE = re.compile(r"  and \d+ more fields?")
_CODE = re.compile(r" {5}\| .*")
_ADDRESS = re.compile(r"\]\([^()\s]{0,500}\)")
"""Where a link of Markdown leads, which is no part of what is said."""
AROUND = 3
"""Lines before that of a field's name on which its description may begin."""
LONG = 60
"""Lines of one field's description that are read."""
BETWEEN = 0.6
"""Words of the source that may stand between those of a quotation, as a share of these."""


def is_row(text: str) -> bool:
    """Returns whether a line of an answer is of a table of fields, or of code without numbers."""
    return any(one.fullmatch(text.rstrip()) for one in (_ROW, _HEAD, _MORE, _CODE))


class Papers:
    """The documents that an answer may cite.

    Args:
        paths: of them.
        read_text: gives the text of a document that is there, "" for any other.
        parts: gives the sections of a document with their text.
    """

    def __init__(
        self,
        paths: Sequence[str],
        read_text: Callable[[str], str],
        parts: Callable[[str], Sequence[dict[str, Any]]],
    ) -> None:
        self._paths = frozenset(paths)
        self._lines = cache(lambda path: read_text(path).replace("\r\n", "\n").split("\n"))
        self._parts = cache(parts)

    def knows(self, path: str) -> bool:
        """Returns whether a path is that of a document."""
        return path in self._paths

    def wrong(self, claim: str | list[Any], path: str, line: int, end: int, page: int) -> str:
        """Returns what is wrong with words that cite a place, "" for nothing.

        Args:
            claim: the words, or the rows of a table; "" asks for the place alone.
            path: of the document.
            line: the first line that is cited, 0 for none.
            end: the last one.
            page: the page that is cited, 0 for none.
        """
        if isinstance(claim, list):
            return "" if not claim else "numbered lines of a document that is not there"
        lines = self._lines(path) if line else [""]
        if lines == [""]:
            return self._extracted(claim, path, line, page)
        if end > len(lines):
            return f"the document has {len(lines)} lines"
        rows = [_ROW.fullmatch(row.rstrip()) for row in claim.split("\n")]
        if (claim and all(rows)) or (claim and _HEAD.fullmatch(claim.split("\n")[0].rstrip())):
            found = [row for row in rows if row is not None]
            return next(filter(None, (_wrong_row(row, lines, line, end) for row in found)), "")
        return "" if stands(claim, "\n".join(lines[line - 1 : end])) else "does not stand there"

    def _extracted(self, claim: str, path: str, line: int, page: int) -> str:
        parts = [
            one
            for one in self._parts(path)
            if (not page or one["page"] == page)
            and (not line or one["line"] <= line <= max(one["end_line"], one["line"]))
        ]
        if not parts:
            return "there is no such place in the document"
        rows = [row for row in claim.split("\n") if _HEAD.fullmatch(row.rstrip()) is None]
        texts = "\n".join(f"{one['title']}\n{one['text']}" for one in parts)
        matches = [_ROW.fullmatch(row.rstrip()) for row in rows]
        words = [row["name"] if row else text for row, text in zip(matches, rows, strict=True)]
        return "" if all(stands(one, texts) for one in words) else "does not stand there"


def papers_of(project: Project) -> Papers | None:
    """Returns the documents of a project, None where none are indexed."""
    try:
        documents = project.documents()["documents"]
    except HdlgraphError:
        return None

    def parts(path: str) -> Sequence[dict[str, Any]]:
        found: list[dict[str, Any]] = project.documents(path, full=True)["documents"][0]["parts"]
        return found

    return Papers([one["path"] for one in documents], project.source_text, parts)


def stands(claim: str, text: str) -> bool:
    """Returns whether the words of a quotation stand in a text in order, with few between.

    A quotation may end with `…`, which stands for the rest.
    """
    wanted = _WORD.findall(claim)
    texts = dict.fromkeys((text, _ADDRESS.sub("]", text)))
    return not wanted or any(_stands(wanted, _WORD.findall(one)) for one in texts)


def _stands(wanted: Sequence[str], words: Sequence[str]) -> bool:
    most = len(wanted) + max(3, int(BETWEEN * len(wanted)))
    starts = [n for n, word in enumerate(words) if word == wanted[0]]
    return any(_in_order(wanted, words[n : n + most]) for n in starts)


def _in_order(wanted: Sequence[str], words: Sequence[str]) -> bool:
    left = iter(words)
    return all(word in left for word in wanted)


def _wrong_row(row: re.Match[str], lines: Sequence[str], line: int, end: int) -> str:
    """Returns what is wrong with the row of a field: its line, name, bits, and meaning."""
    at, name = int(row["line"]), row["name"]
    if not line <= at <= end:
        return f"line {at} is outside of what is cited"
    here = "\n".join(lines[max(0, at - AROUND - 1) : at + LONG])
    if name not in re.findall(r"\w+", "\n".join(lines[max(0, at - 2) : at + 1])):
        return f"line {at} names no {name}"
    cells = re.split(r" {2,}", row["rest"], maxsplit=2)
    bits = re.findall(r"\d+", row["bits"])
    numbers = set(re.findall(r"\d+", here))
    if bits and bits[-1] not in numbers and bits[-1] != "0":
        return f"bit {bits[-1]} of {name} does not stand there"
    meaning = cells[2] if len(cells) > 2 else ""
    return "" if stands(meaning, here) else f"the meaning of {name} does not stand there"
