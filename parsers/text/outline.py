"""The statements of a source file, found in its text alone, and questions to them.

    outline = outline_of(text)
    outline.enclosing(120)          # the unit, process, case and arm around line 120
    outline.block(120)              # the whole assignment, arm or instance of line 120
    outline.assigning("state_q")    # the statements that assign a name
    outline.reading("valid_i")      # the statements that read it

Nothing is preprocessed: of an `ifdef all branches are read, and macros stay as they are written.
Broken text gives what can be recognised; nothing raises, and the time is linear in the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from hdlgraph.parsers.text.source import Source, read_source
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.parsers.text.statement_reader import StatementReader
from hdlgraph.parsers.text.statement_tokens import without_directives

MOST = 40  # lines of a statement that is shown in one piece
HOLDERS = frozenset("unit generate function task".split())
"""Kinds of statements that hold others without saying anything together with them."""


@dataclass(frozen=True, eq=False)
class Outline:
    """The outermost statements of a file, and its text with comments and strings located."""

    source: Source
    roots: tuple[Statement, ...]

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Returns all statements in the order of the text, outer before inner ones."""
        return tuple(self.walk())

    def walk(self) -> Iterator[Statement]:
        """Yields all statements in the order of the text, outer before inner ones."""
        for root in self.roots:
            yield from root.walk()

    def at(self, line: int) -> Statement | None:
        """Returns the innermost statement on a line, the first of several; None outside all."""
        found: Statement | None = None
        within = list(self.roots)
        while within:
            inner = next((s for s in within if s.line <= line <= s.end_line), None)
            if inner is None:
                break
            found, within = inner, inner.children
        return found

    def enclosing(self, line: int) -> list[Statement]:
        """Returns the statements on or around a line, the outermost (a unit) first."""
        found = self.at(line)
        return [] if found is None else [*reversed(list(found.around())), found]

    def block(self, line: int, most: int = MOST) -> Statement | None:
        """Returns the widest statement around a line of at most `most` lines, None outside all.

        Units, generate blocks and routines are no such statement, nor what lies around those;
        an innermost statement is returned however long it is.
        """
        found = self.at(line)
        if found is None or found.kind in HOLDERS:
            return found
        for outer in found.around():
            if outer.kind in HOLDERS or outer.end_line - outer.line >= most:
                break
            if outer.kind in ("branch", "loop", "block") and outer.process is None:
                break  # a branch or a loop of a generate block
            found = outer
        return found

    def named(self, kind: str, name: str = "") -> list[Statement]:
        """Returns the statements of a kind, with a name or label if one is given."""
        return [
            s for s in self.statements if s.kind == kind and (not name or name in (s.name, s.label))
        ]

    @cached_property
    def _writers(self) -> dict[str, list[Statement]]:
        found: dict[str, list[Statement]] = {}
        for statement in self.statements:
            for name in statement.writes:
                found.setdefault(name, []).append(statement)
        return found

    @cached_property
    def _readers(self) -> dict[str, list[Statement]]:
        found: dict[str, list[Statement]] = {}
        for statement in self.statements:
            for name in statement.reads:
                found.setdefault(name, []).append(statement)
        return found

    @cached_property
    def declarations(self) -> dict[str, Statement]:
        """Returns the first declaration or typedef of each name, ports in headers left out."""
        found: dict[str, Statement] = {}
        for statement in self.statements:
            for name in statement.declares:
                found.setdefault(name, statement)
        return found

    def assigning(self, name: str) -> list[Statement]:
        """Returns the statements that assign a name, or a member such as `hw2reg.status`.

        These are continuous and procedural assignments, and declarations with a value.
        Connections to outputs of instances are not among them: see `reading`.
        """
        base, _, member = name.partition(".")
        found = self._writers.get(base, [])
        if not member:
            return list(found)
        return [s for s in found if any(_within(left, name) for left in s.left_sides)]

    def reading(self, name: str) -> list[Statement]:
        """Returns the statements that read a name, by themselves and not by their children.

        These are right sides, conditions of branches, case expressions, event controls, calls,
        and connections of instances, those to outputs among them.
        """
        return list(self._readers.get(name, []))

    def first_line(self, statement: Statement) -> int:
        """Returns the line on which the comment directly above a statement begins, or its own."""
        line = statement.line
        while line - 1 in self._comment_ends:
            line = self._comment_ends[line - 1]
        return line

    @cached_property
    def _comment_ends(self) -> dict[int, int]:
        return {c.end_line: c.line for c in self.source.comments if not c.trailing}


def _within(left: str, name: str) -> bool:
    return left.startswith(name) and left[len(name) : len(name) + 1] in ("", ".", "[")


def outline_of(text: str) -> Outline:
    """Returns the outline of a file's text."""
    return outline_of_source(read_source(text.encode("utf-8", "replace")))


@lru_cache(maxsize=16)
def kept_outline(text: str) -> Outline:
    """Returns the outline of a file's text; those of the last few files are kept."""
    return outline_of(text)


def outline_of_source(source: Source) -> Outline:
    """Returns the outline of a source that has been read."""
    code = without_directives(source.code)
    return Outline(source, tuple(StatementReader(code, source.starts).read()))
