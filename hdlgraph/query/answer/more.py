"""Adds to a quoted answer what its files have not said: named signals, and parts of the question."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hdlgraph.query.answer.clauses import HALF, lines_for, parts_of, said_of
from hdlgraph.query.answer.identifiers import Found, exact_names, files_with, lookup
from hdlgraph.query.answer.page import Page
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.answer.slices import SourceText, Wanted
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.aims import aims_of

FIRST = 5  # files of the ranking, of which one with the names needs no other before it
SHOWN = 2  # files whose lines with the names are shown
VALUED = 2.0  # worth of a line that declares a name or gives it a value


class More:
    """What a question names, and what it asks one after another.

    Args:
        lexicon: the words of the index.
        question: as asked.
        wanted: what its terms are worth.
        read_text: gives a file's text.
    """

    def __init__(
        self, lexicon: Lexicon, question: str, wanted: Wanted, read_text: Callable[[str], str]
    ) -> None:
        self._lexicon, self._read = lexicon, read_text
        self._names = exact_names(question, lexicon)
        self._parts = parts_of(question, wanted)
        self._found: list[Found] | None = None

    def declaring(self, ranked: Sequence[str]) -> str | None:
        """Returns the file that declares what is named, None where the ranking begins with one."""
        found = self._lookup(ranked)
        known = [one for one in found if one.path in ranked[:FIRST]]
        most = max((len(one.names) for one in known), default=0)
        return found[0].path if found and len(found[0].names) > most else None

    def _lookup(self, ranked: Sequence[str]) -> list[Found]:
        if self._found is None:
            paths = files_with(self._names, self._lexicon, ranked) if self._names else []
            self._found = lookup(self._names, paths, self._read)
        return self._found

    def names(self, page: Page, told: Sequence[str]) -> None:
        """Adds the lines of the names that the answer does not show yet, of two files at most.

        Args:
            page: the answer so far.
            told: the files that it tells of.
        """
        found = self._lookup(told)
        best = {name: max(f.worth for f in found if name in f.names)
                for name in self._names if any(name in f.names for f in found)}  # fmt: skip
        shown = 0
        for one in [*(f for f in found if f.path in told), *found]:
            useful = [n for n in one.names if one.worth >= 0.6 * best[n]]
            fresh = [n for n in one.lines if (one.path, n) not in page.shown]
            if shown == SHOWN or not useful or 2 * len(fresh) <= len(one.lines):
                continue
            page.add()
            page.add(f"{', '.join(one.names)} in {one.path}:")
            page.code(one.path, SourceText(self._read(one.path)), one.lines)
            shown += 1
        missing = [name for name in self._names if name not in best]
        if missing:
            page.add()
            page.add(f"Named nowhere in the code of this index: {', '.join(missing)}.")

    def parts(self, page: Page, views: Sequence[FileView]) -> None:
        """Adds lines for each part of the question that the answer has none of yet."""
        none = []
        for part in self._parts:
            aims = aims_of(part.text)
            own = [
                FileView(v.path, v.source.text, part.wanted, aims, v.anchors, v.words)
                for v in views
            ]
            found = lines_for(own)
            if found is None:
                if said_of(part, (line for line in page.lines if "| " in line)) < HALF:
                    none.append(part.text)
                continue
            view, passages = found
            fresh = [p for p in passages
                     if 2 * sum((view.path, n) in page.shown for n in p.lines) < len(p.lines)]  # fmt: skip
            if not fresh:
                continue
            page.add()
            page.add(f"On “{part.text}”, {view.path}:")
            for one in sorted(fresh, key=lambda p: p.lines[0]):
                page.code(view.path, view.source, one.lines)
        if none:
            page.add()
            page.add(f"No line found for: {'; '.join(none)}.")
