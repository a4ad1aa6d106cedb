"""Adds to a quoted answer what its files have not said: named signals, parts of the question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.material.part import Sources
from hdlgraph.query.answer.page import NOWHERE, Page
from hdlgraph.query.answer.passages.clauses import Part, lacks, lines_for, parts_of
from hdlgraph.query.answer.passages.identifiers import (
    Found,
    exact_names,
    files_with,
    longer,
    lookup,
    spelled,
)
from hdlgraph.query.answer.passages.resets import reset_values
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.answer.source_text import SourceText, Wanted
from hdlgraph.query.design.names import near_names
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.aims import Aim, aims_of
from hdlgraph.query.question.relation import asks_users

FIRST = 5  # files of the ranking, of which one with the names needs no other before it
RESET_LINES = 6
MAX_FILES = 2  # files whose lines with the names are shown
NEAR = 3  # names told that are near to one that no code has
DOUBT = " What follows comes near the rest of the question at best, and is in doubt."
_NUMBERED = re.compile(r"\s*\d+\| ")


class More:
    """What a question names, and what it asks one after another.

    Args:
        lexicon: the words of the index.
        question: as asked.
        wanted: what its terms are worth.
        sources: texts of the files, and the graph.
    """

    def __init__(self, lexicon: Lexicon, question: str, wanted: Wanted, sources: Sources) -> None:
        self._lexicon, self._read, self._graph = lexicon, sources.read_text, sources.graph
        self._names = exact_names(question, lexicon)
        self._within: dict[str, tuple[str, ...]] = {}
        """The identifiers that a name is a part of, for names that are none themselves."""
        self._parts = parts_of(question, wanted)
        self._aims = frozenset(aims_of(question))
        self._found: list[Found] | None = None

    @property
    def named(self) -> bool:
        """Returns whether the question writes names of the repository."""
        return bool(self._names)

    def declaring(self, ranked: Sequence[str]) -> str | None:
        """Returns the file that declares what is named, None where the ranking begins with one."""
        found = self._lookup(ranked)
        known = [one for one in found if one.path in ranked[:FIRST]]
        most = max((len(one.names) for one in known), default=0)
        return found[0].path if found and len(found[0].names) > most else None

    def _lookup(self, ranked: Sequence[str]) -> list[Found]:
        if self._found is None:
            for name in self._names:
                terms = longer(name, self._lexicon)
                if terms and name.lower() not in terms:
                    paths = files_with(terms, self._lexicon, ranked)
                    self._within[name] = spelled(terms, paths, self._read)
            names = [one for name in self._names for one in self._within.get(name) or (name,)]
            paths = files_with(names, self._lexicon, ranked) if names else []
            self._found = lookup(names, paths, self._read)
        return self._found

    def names(self, page: Page, answered: Sequence[str]) -> None:
        """Adds the lines of the names that the answer does not show yet, of two files at most.

        Args:
            page: the answer so far.
            answered: the files that it tells of.
        """
        found = self._lookup(answered)
        shown = 0
        others = sorted(found, key=lambda one: -len(one.names))
        for one in [*(f for f in found if f.path in answered), *others]:
            fresh = [n for n in one.lines if (one.path, n) not in page.shown]
            if shown == MAX_FILES or 2 * len(fresh) <= len(one.lines):
                continue
            if one.path not in answered and not self._adds(page, one):
                continue
            if all(self._has_arm(page, name) for name in one.names):
                continue
            page.add()
            page.add(f"{', '.join(one.names)} in {one.path}:")
            page.code(one.path, SourceText(self._read(one.path)), one.lines)
            shown += 1
        self.absent(page, answered)

    def absent(self, page: Page, answered: Sequence[str]) -> None:
        """Begins the answer with the names that no code has: what follows is of something else.

        Arguments as of `names`.
        """
        known = {name for one in self._lookup(answered) for name in one.names}
        missing = [
            name
            for name in self._names
            if name not in known
            and not self._within.get(name)
            and name.lower() not in self._in_paths
        ]
        small = [name for name in missing if self._stands_in_small(name)]
        missing = [name for name in missing if name not in small]
        for name, identifiers in reversed(self._within.items()):
            if identifiers:
                page.begin(f"{name} is part of {', '.join(identifiers)}.")
        for name in reversed(small):
            if "_" in name:  # else a plain word, which people may write in capitals
                page.begin(f"{name} stands in the code as {name.lower()}.")
        if not missing:
            return
        text = f"{NOWHERE}{', '.join(missing)}."
        near = [one for name in missing[:MAX_FILES] for one in self._near(name)]
        text += f" Did you mean {', '.join(dict.fromkeys(near))}?" if near else ""
        if not known:
            text += DOUBT
        page.begin(text)

    def _stands_in_small(self, name: str) -> bool:
        """Returns whether a name in capitals stands in the code in small letters.

        Software writes the registers so that RTL has as `reg2hw.ctrl_mode`.
        """
        return name.isupper() and self._lexicon.positions(name.lower()).size > 0

    @cached_property
    def _in_paths(self) -> frozenset[str]:
        """Returns the names of folders and files, in small letters."""
        parts = {part for path in self._lexicon.paths for part in path.lower().split("/")}
        return frozenset(parts | {part.partition(".")[0] for part in parts})

    def _near(self, name: str) -> list[str]:
        graph = self._graph()
        return near_names(graph, name)[:NEAR] if graph is not None else []

    @staticmethod
    def _has_arm(page: Page, name: str) -> bool:
        """Returns whether the answer has what a case does where it is a name."""
        arm = re.compile(rf"\s*\d+\|\s*(?:\w+::)?{re.escape(name)}\s*:(?!:)")
        return any(arm.match(line) for line in page.lines)

    def _adds(self, page: Page, found: Found) -> bool:
        """Returns whether a file has one of the names that no code shown has yet."""
        if not of_design(found.path):
            return False
        code = [line for line in page.lines if _NUMBERED.match(line)]
        return any(not any(name in line for line in code) for name in found.names)

    def parts(self, page: Page, views: Sequence[FileView], answered: frozenset[Aim]) -> None:
        """Adds lines for each part of the question that the answer has none of yet.

        Args:
            page: the answer so far.
            views: the files that it tells of, the best first.
            answered: what is asked for that the answer has whole, such as the states.
        """
        none = []
        for part in self._parts:
            aims = aims_of(part.text)
            if answered.intersection(aims) or asks_users(part.text):
                continue
            own = [
                FileView(
                    *(v.path, v.source.text, part.wanted, aims, v.anchors, v.named),
                    v.known_machines,
                )
                for v in views
            ]
            found = lines_for(own)
            reset = Aim.RESET in self._aims and bool(own) and self._reset(page, part, own[0])
            if found is not None:
                self._part(page, part, *found)
            elif reset:
                continue
            elif own and lacks(part, own):
                none.append(part.text)
        if none:
            page.add()
            page.add(f"No line of these files has a word of: {'; '.join(none)}.")

    @staticmethod
    def _reset(page: Page, part: Part, view: FileView) -> bool:
        """Adds what a part asks for after reset, where the whole question speaks of a reset."""
        before = len(page.lines)
        known = set(page.lines)
        if not reset_values(page, view, RESET_LINES):
            return False
        resets = [line for line in page.lines[before:] if " resets to " in line]
        del page.lines[before:]
        fresh = [line for line in resets if line not in known]
        if fresh:
            page.lines += ["", f"On \u201c{part.text}\u201d, {view.path}:", *fresh]
        page.drop_unused()
        return bool(resets)

    @staticmethod
    def _part(page: Page, part: Part, view: FileView, blocks: Sequence[Sequence[int]]) -> None:
        fresh = [
            lines
            for lines in blocks
            if 2 * sum((view.path, n) in page.shown for n in lines) < len(lines)
        ]
        if fresh:
            page.add()
            page.add(f"On \u201c{part.text}\u201d, {view.path}:")
        for lines in sorted(fresh, key=lambda found: found[0]):
            page.code(view.path, view.source, lines)
