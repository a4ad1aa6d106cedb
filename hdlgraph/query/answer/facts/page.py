"""A page of facts, each cited by the line that states it, and the files that they stand in."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

from hdlgraph.parsers.text.outline import Outline, kept_outline
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.excerpts import excerpt, is_large
from hdlgraph.query.answer.material.portmap import informative
from hdlgraph.query.answer.page import Page
from hdlgraph.query.answer.passages.guards import guards
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.answer.source_text import SourceText

INSTANCE = 32  # lines of an instance that is shown whole
EXCERPTS = 40  # parts of very long files that are read statement by statement
BLOCK = 20  # lines of a generate block around an instance that is shown whole
COMMENT = 6  # lines of the comment above it that are shown
_NUMBERED = re.compile(r"\s*(\d{1,9})\|")
_HEADING = re.compile(r"(?:Most likely|Also|On) .*:$|Used in:$|[\w$, ]+ in \S+:$")
_MARK = re.compile(r"\[([^\[\]\n:]{1,400}):(\d{1,9})(?:-\d{1,9})?\]")
_BRINGS = re.compile(r"`(?!(?:ifn?def|elsif|else|endif|define|undef|timescale)\b)[A-Za-z_]\w*")
"""An include, or a macro that is used: what they bring in does not stand on the line itself."""


class FactPage(Page):
    """An answer of facts, each cited if its line still says so.

    Args:
        read_text: gives a file's text.
        terms: of the question; connections with one of them are never left out.
        scope: its words that may name a part of the repository.
        moved: files that changed since they were indexed.
    """

    def __init__(
        self,
        read_text: Callable[[str], str],
        terms: Collection[str] = (),
        scope: Collection[str] = (),
        moved: Collection[str] = (),
    ) -> None:
        super().__init__()
        self._moved = frozenset(moved)
        self.scope = frozenset(scope)
        self._read = read_text
        self.terms = frozenset(terms)
        self._views: dict[str, FileView] = {}
        self._excerpts: set[tuple[str | int, ...]] = set()

    def fact(self, text: str, names: Iterable[str], path: str, line: int) -> bool:
        """Adds a sentence, cited where the statement on a line has all its names.

        The last name is what an instance is called. Of a unit that it was taken for, but that is
        written otherwise there, the sentence tells both. Of what an include or a macro brings the
        line itself is shown. Returns whether the sentence was cited.
        """
        wanted = tuple(names)
        first, last = self._stands(wanted, path, line)
        one = None if first else self.instance(path, line)
        if first:
            self.state(text, path, first, last)
        elif one is not None and wanted[1:] == (one.name,):
            written = text.replace(f" {wanted[0]} as ", f" {one.unit} as ", 1)
            name_text = f"{written} (taken for {wanted[0]})"
            self.state(name_text, path, one.line, max(line, one.line))
            return True
        else:
            return self._elsewhere(text, path, line)
        return bool(first)

    def _elsewhere(self, text: str, path: str, line: int) -> bool:
        """Adds a sentence whose names its line has not; returns whether the line is cited.

        In a file that changed they may be gone; else a macro or an include brings them in.
        """
        source = self.source(path)
        if path in self._moved or not 1 <= line <= len(source.lines):
            self.add(f"{text} (it no longer stands on line {line} of {path})")
            return False
        if _BRINGS.search(source.lines[line - 1]) is None:
            self.add(f"{text} (line {line} of {path} writes it otherwise)")
            return False
        if (path, line) in self.shown:
            self.add(f"{text}, also through line {line} of {path}")
            return False
        self.add(f"{text}, through:")
        self.code(path, source, [line])
        return True

    def view(self, path: str) -> FileView:
        """Returns a file as it is now."""
        if path not in self._views:
            self._views[path] = FileView(path, self._read(path), {})
        return self._views[path]

    def source(self, path: str) -> SourceText:
        """Returns the lines of a file, none where it cannot be read."""
        return self.view(path).source

    def outline(self, path: str, line: int = 0) -> Outline:
        """Returns the statements of a file.

        Of a very long one these are the statements around a line, without one those around the
        lines that the page shows.
        """
        text = self.source(path).text
        if is_large(text):
            shown = (number for where, number in self.shown if where == path)
            wanted = [line] if line else sorted(shown)
            self._excerpts.add((path, *wanted))
            text = excerpt(text, wanted) if len(self._excerpts) <= EXCERPTS else ""
        return kept_outline(text)

    def instance(self, path: str, line: int) -> Statement | None:
        """Returns the instance that a line belongs to, None where it belongs to none."""
        if line > len(self.source(path).lines):
            return None
        found = self.outline(path, line).at(line)
        around = (found, *found.around()) if found is not None else ()
        return next((one for one in around if one.kind == "instance"), None)

    def whole(self, path: str, one: Statement) -> bool:
        """Adds an instance with the comment above it and the conditions around it.

        Of a long one the connections are left out that only pass a signal of the same name on.
        Returns whether anything was not shown before.
        """
        view = self.view(path)
        lines = view.source.lines
        own = [n for n in range(one.line, one.end_line + 1) if lines[n - 1].strip()]
        if len(own) > INSTANCE:
            own = informative(lines, own, self.terms)
        numbers = {*self._around(view, one), *own, *guards(view, [one.line])}
        numbers = {n for n in numbers if lines[n - 1].strip()}
        if all((path, n) in self.shown for n in own):
            return False
        self.code(path, view.source, sorted(numbers))
        return True

    @staticmethod
    def _around(view: FileView, one: Statement) -> range:
        """Returns the lines of the comment above an instance, and of a short generate block."""
        outer = one.parent
        while outer is not None and outer.kind == "block":
            outer = outer.parent
        generated = ("branch", "loop", "arm")
        if outer and outer.kind in generated and outer.end_line - outer.line < BLOCK:
            return range(outer.line, outer.end_line + 1)
        return range(max(view.above(one), one.line - COMMENT), one.line)

    def known(self, text: str) -> None:
        """Takes the lines that an answer quotes as shown."""
        self.shown |= quoted(text)

    def _stands(self, names: tuple[str, ...], path: str, line: int) -> tuple[int, int]:
        """Returns the first and last line on which the names stand, (0, 0) where they do not.

        They may lie on any line of the instance that the line belongs to.
        """
        source = self.source(path)
        if line > len(source.lines):
            return 0, 0
        first = last = line
        if not _on(names, source.lines[line - 1 : line]):
            whole = self.instance(path, line)
            if whole is None:
                return 0, 0
            first = whole.line
            last = next(
                (n for n in range(first, whole.end_line + 1)
                 if _on(names, source.lines[first - 1 : n])), 0
            )  # fmt: skip
        return (first, last) if last else (0, 0)


def quoted(text: str) -> set[tuple[str, int]]:
    """Returns the (path, line) of the numbered lines of an answer."""
    found: set[tuple[str, int]] = set()
    block: list[int] = []
    for row in text.split("\n"):
        numbered = _NUMBERED.match(row)
        if numbered:
            block.append(int(numbered[1]))
            continue
        mark = _MARK.fullmatch(row.strip())
        if mark and block:
            found |= {(mark[1], number) for number in block}
        if row.strip() != "...":
            block = []
    return found


def quoted_files(text: str) -> Sequence[str]:
    """Returns the files whose lines an answer quotes, in order, each once."""
    rows = [row.strip() for row in text.split("\n")]
    return list(dict.fromkeys(mark[1] for row in rows if (mark := _MARK.fullmatch(row))))


def without(text: str, quoted: Collection[tuple[str, int]]) -> str:
    """Returns an answer without the lines that are shown already, nor empty headings.

    Of a block of which little is new, what is new stays between dots; its place stays as it was.
    """
    kept: list[str] = []
    begin, numbers = 0, list[int]()
    for row in text.split("\n"):
        numbered = _NUMBERED.match(row)
        if numbered and not numbers:
            begin = len(kept)
        kept.append(row)
        mark = _MARK.fullmatch(row.strip())
        if numbered:
            numbers.append(int(numbered[1]))
        elif mark and numbers:
            fresh = {number for number in numbers if (mark[1], number) not in quoted}
            if not fresh:
                del kept[begin:]
            elif 2 * len(fresh) <= len(numbers):
                kept[begin:] = [*_only(kept[begin:-1], fresh), row]
            numbers = []
        elif row.strip() != "...":
            numbers = []
    return "\n".join(_without_empty(kept)).strip()


def _only(rows: Sequence[str], fresh: Collection[int]) -> list[str]:
    """Returns the numbered rows that are fresh, with dots for each run of others between them."""
    found: list[str] = []
    for row in rows:
        numbered = _NUMBERED.match(row)
        if numbered and int(numbered[1]) in fresh:
            found.append(row)
        elif found and found[-1] != "  ...":
            found.append("  ...")
    return found[:-1] if found and found[-1] == "  ..." else found


def _without_empty(rows: Sequence[str]) -> list[str]:
    """Returns rows without the headings that have nothing below them."""
    found: list[str] = []
    for number, row in enumerate(rows):
        below = next((r for r in rows[number + 1 :] if r.strip()), "")
        empty = not below or _HEADING.match(below)
        if row.strip() and _HEADING.match(row) and empty:
            continue
        found.append(row)
    return found


def _on(names: Iterable[str], lines: Iterable[str]) -> bool:
    words = {word for line in lines for word in re.findall(r"[\w$]+", line)}
    return {part for name in names for part in re.findall(r"[\w$]+", name)} <= words
