"""The text of an answer as it grows, and the places that it cites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from hdlgraph.model import Location
from hdlgraph.query.answer.source_text import SourceText
from hdlgraph.results import Citation
from hdlgraph.words import terms

_WORD = re.compile(r"\w")
WIDTH = 160  # characters shown of a line of a passage
DISABLED = "Commented out, no code of the design:"
NOTHING = "Nothing in this index fits well: "
"""How an answer begins that can hardly be one."""
NOWHERE = "Named nowhere in the code of this index: "
"""How an answer begins that lists names which no code has; a full stop ends them."""


class Page:
    """An answer so far: its lines, and each cited place once; nothing is said twice."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.citations: list[Citation] = []
        self.shown: set[tuple[str, int]] = set()
        self.quoted: set[tuple[str, int]] = set()
        self._code: set[str] = set()
        self._written_words: list[frozenset[str]] = []

    def add(self, text: str = "") -> None:
        """Adds a line that cites nothing."""
        self.lines.append(text)

    def begin(self, text: str) -> None:
        """Puts a line before all that the answer says so far."""
        self.lines[:0] = [text, ""]

    def cite(self, path: str, line: int, end_line: int = 0) -> str:
        """Returns the mark of a place and lists it among the citations."""
        last = max(end_line, line)
        if not any((c.path, c.line, c.end_line) == (path, line, last) for c in self.citations):
            self.citations.append(Citation(len(self.citations) + 1, path, line, last))
        return _mark(path, line, last)

    def cite_passage(self, place: Citation) -> str:
        """Returns the mark of a place of a document and lists it among the citations."""
        own = [c for c in self.citations if c.place == place.place]
        if not own:
            marker = len(self.citations) + 1
            self.citations.append(msgspec.structs.replace(place, marker=marker))
        return f"[{place.place}]"

    def state(self, text: str, path: str, line: int, end_line: int = 0) -> None:
        """Adds a sentence that stands on the lines of a file."""
        self.lines.append(f"{text} {self.cite(path, line, end_line)}")

    def code(self, path: str, source: SourceText, numbers: Sequence[int]) -> None:
        """Adds lines of a file after their numbers, `...` for those between, and their place.

        Code in a block comment is no code: beside other lines it is left out, alone it is said.
        """
        kept = sorted({n for n in numbers if 1 <= n <= len(source.lines)})
        live = [n for n in kept if n not in source.disabled]
        said = any(_WORD.search(source.lines[n - 1]) for n in live)
        kept = live if said else kept
        while kept and not source.lines[kept[-1] - 1].strip():
            kept.pop()
        if not kept:
            return
        if not said and any(_WORD.search(source.lines[n - 1]) for n in kept):
            self.lines.append(DISABLED)
        texts = [source.lines[n - 1].expandtabs(4).rstrip() for n in kept]
        indents = [len(text) - len(text.lstrip()) for text in texts if text]
        cut = max(min(indents, default=0) - 2, 0)
        before = kept[0]
        for number, text in zip(kept, texts, strict=True):
            if any(_WORD.search(source.lines[n - 1]) for n in range(before + 1, number)):
                self.lines.append("  ...")
            plain = text[cut:]
            clipped = plain if len(plain) <= WIDTH else plain[: WIDTH - 1] + "…"
            self.lines.append(f"{number:>5}| {clipped}")
            self.shown.add((path, number))
            self.quoted.add((path, number))
            before = number
        self.lines.append(self.cite(path, kept[0], kept[-1]))

    def drop_unused(self) -> None:
        """Drops the citations whose marks stand in no line any more."""
        text = "\n".join(self.lines)
        kept = [c for c in self.citations if _mark(c.path, c.line, c.end_line) in text]
        self.citations = [
            Citation(number, c.path, c.line, c.end_line) for number, c in enumerate(kept, 1)
        ]

    def new_code(self, lines: Iterable[str]) -> bool:
        """Returns whether most of some lines of code were not shown before, from any file."""
        plain = {"".join(line.split()) for line in lines}
        known = len(plain & self._code)
        self._code |= plain
        return 2 * known <= len(plain)

    def new(self, text: str) -> bool:
        """Returns whether a sentence says something that none before it said."""
        words = frozenset(terms(text))
        if any(
            len(words & former) >= 0.8 * min(len(words), len(former))
            for former in self._written_words
        ):
            return False
        self._written_words.append(words)
        return True

    @property
    def text(self) -> str:
        """Returns the answer, without more than one blank line in a row."""
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.lines)).strip()


def absent_first(text: str) -> str:
    """Returns an answer that begins with the names which no code has, where there are such.

    What the graph and the documents add is put before what the writer began with.
    """
    lines = text.split("\n")
    at = next((n for n, line in enumerate(lines) if line.startswith(NOWHERE)), 0)
    return "\n".join([lines[at], "", *lines[:at], *lines[at + 1 :]]).strip() if at else text


def _mark(path: str, line: int, last: int) -> str:
    return f"[{Location(path, line)}" + (f"-{last}" if last > line else "") + "]"
