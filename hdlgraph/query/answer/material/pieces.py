"""Cuts a file into pieces that are shown whole: an assignment, an arm, an instance, a comment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from hdlgraph.parsers.text.directives import regions_of
from hdlgraph.parsers.text.machines import machines, stem
from hdlgraph.parsers.text.outline import Outline, kept_outline
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.material.conditions import Conditions
from hdlgraph.query.answer.material.notices import notice_lines
from hdlgraph.query.answer.source_text import SourceText

WHOLE = 22  # lines of a statement that is not cut
RUN = 9  # lines of a run of short statements, of a list of ports, or of a comment
HEAD = 14  # lines of a condition
KEPT_INSTANCE = 44  # lines of an instance that is not cut
RULE = re.compile(r"^\s*(?://|/\*|\*)?[-=*/#_~+\s|]{0,200}(?:\*/)?\s*$")
_SIDE = re.compile(r"FORMAL|VERIF|ASSERT|FPV|RVFI|SIMULAT|COVER|SVA|BENCH|!SYNTHESIS|DEBUG", re.I)
_DIRECTIVE = re.compile(
    r"^\s*`(?:ifdef|ifndef|else|elsif|endif|include|undef|timescale|default_nettype)\b"
)
_OPERATION = re.compile(r"[&|^?<>!=~+*-]")
LOGIC = frozenset("assign always set branch arm if case call loop block function task".split())
FACTORS = {
    **dict.fromkeys(LOGIC, 1.0),
    **{"instance": 0.9, "typedef": 0.8, "initial": 0.4, "final": 0.2, "assertion": 0.35},
    **{
        "declaration": 0.4,
        "constant": 0.6,
        "ports": 0.55,
        "parameters": 0.7,
        "macro": 0.4,
        "comment": 0.75,
    },
    **{"other": 0.25, "text": 0.6},
}
"""Worth of a piece by the kind of its statement."""
DULL = 0.4  # of the worth of registers that only take their next value
LONG = frozenset("unit generate".split())


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Lines that are shown together.

    `lines` are those of the statements and of the comment above them, `heads` those that open what
    is around them (a case, an arm, a condition), `statements` what is shown, outermost only.
    """

    kind: str
    lines: tuple[int, ...]
    heads: tuple[int, ...]
    statements: tuple[Statement, ...]
    factor: float = 1.0

    @property
    def inner(self) -> Iterator[Statement]:
        """Yields all statements of the piece."""
        for statement in self.statements:
            yield from statement.walk()


class FilePieces:
    """A file cut into pieces.

    Args:
        path: of the file.
        text: of the file.
        run: lines that a run of short statements may have.
    """

    def __init__(self, path: str, text: str, run: int = RUN) -> None:
        self.path = path
        self.run = run
        self.source = SourceText(text)
        self.lines = self.source.lines

    @cached_property
    def outline(self) -> Outline:
        """Returns the statements of the file."""
        return kept_outline(self.source.text)

    @cached_property
    def aside(self) -> frozenset[int]:
        """Returns the lines that only simulation, coverage or proofs use."""
        return frozenset(
            line
            for region in regions_of(self.outline.source)
            if _SIDE.search(region.condition)
            for line in range(region.line, region.end_line + 1)
        )

    @cached_property
    def conditions(self) -> Conditions:
        """Returns the regions of the file that directives leave out or put in."""
        return Conditions(regions_of(self.outline.source))

    @cached_property
    def notices(self) -> frozenset[int]:
        """Returns the lines of licences and banners, which are never shown."""
        return notice_lines(self.lines)

    @cached_property
    def machine_cases(self) -> frozenset[Statement]:
        """Returns the cases over the states of machines."""
        return frozenset(machine.case for machine in machines(self.outline))

    @cached_property
    def pieces(self) -> list[Piece]:
        """Returns the pieces in the order of the text."""
        found = [p for root in self.outline.roots for p in self._cut(root, ())]
        taken = {n for piece in found for n in (*piece.lines, *piece.heads)}
        taken |= {s.end_line for s in self.outline.statements}
        found += self._loose(taken)
        return sorted(found, key=lambda piece: piece.lines[0])

    def around(self, line: int) -> list[int]:
        """Returns the lines that open the loops, conditions and arms around a line."""
        found = self.outline.enclosing(line)
        return [s.line for s in found if s.kind in ("loop", "branch", "arm") and s.line < line]

    # -- cutting ----------------------------------------------------------------------------

    def _cut(self, one: Statement, heads: tuple[int, ...]) -> Iterator[Piece]:
        length = one.end_line - one.line + 1
        if one.kind in ("ports", "parameters"):
            yield from self._list(one, heads)
        elif one.kind in LONG or (length > self._most(one) and one.children):
            inner = heads if one.kind in LONG else (*heads, *self._head(one))
            yield from self._children(one, inner)
        elif length > self._most(one):
            yield from self._list(one, (*heads, one.line))
        else:
            yield self._piece([one], heads)

    def _most(self, one: Statement) -> int:
        return KEPT_INSTANCE if one.kind == "instance" else WHOLE

    def _head(self, one: Statement) -> tuple[int, ...]:
        """Returns the lines that open a statement: those before its first child, at most HEAD."""
        if one.kind == "if" or not one.children:
            return () if one.kind == "if" else (one.line,)
        if one.kind == "branch" and one.parent is not None and one.parent.children:
            first = one.parent.children[0]
            if first is not one and first.kind == "branch":
                return self._shown(sorted({first.line, one.line}))
        before = min(self.outline.first_line(one.children[0]), one.line + HEAD)
        return self._shown(range(one.line, max(before, one.line + 1)))

    def _children(self, one: Statement, heads: tuple[int, ...]) -> Iterator[Piece]:
        """Yields the pieces of the statements in another; short ones that touch go together."""
        run: list[Statement] = []
        for child in one.children:
            if run and not self._joins(run, child):
                yield self._piece(run, heads)
                run = []
            if self._short(child):
                run.append(child)
            else:
                yield from self._cut(child, heads)
        if run:
            yield self._piece(run, heads)

    def _short(self, one: Statement) -> bool:
        return one.end_line - one.line < self.run and one.kind in (
            *("declaration", "set", "assign", "call", "assertion", "macro", "other", "arm"),
            *("branch", "if", "initial"),
        )

    def _joins(self, run: list[Statement], child: Statement) -> bool:
        if not self._short(child) or child.end_line - run[0].line >= self.run:
            return False
        same = (child.kind == "declaration") == (run[0].kind == "declaration")
        return same and self.outline.first_line(child) <= run[-1].end_line + 1

    def _piece(self, run: list[Statement], heads: tuple[int, ...]) -> Piece:
        first = self.outline.first_line(run[0])
        kinds = list(map(_kind, run))
        kind = next((kind for kind in kinds if kind in LOGIC), kinds[0])
        lines = self._shown(range(first, run[-1].end_line + 1))
        factor = FACTORS.get(kind, 0.5) * (0.35 if run[0].line in self.aside else 1.0)
        factor *= DULL if all(map(_passes_on, run)) else 1.0
        heads = tuple(n for n in heads if n not in lines)
        return Piece(kind, lines or (run[0].line,), heads, tuple(run), factor)

    def _list(self, one: Statement, heads: tuple[int, ...]) -> Iterator[Piece]:
        """Yields a long list, such as ports, in groups that blank lines and comments begin."""
        factor = FACTORS.get(one.kind, 0.5)
        group: list[int] = []
        for number in range(one.line, one.end_line + 1):
            text = self.lines[number - 1]
            opens = not text.strip() or (
                group and self._is_comment(number) and not self._is_comment(group[-1])
            )
            if group and (opens or len(group) >= self.run):
                yield from self._group(one, group, heads, factor)
                group = []
            if text.strip():
                group.append(number)
        if group:
            yield from self._group(one, group, heads, factor)

    def _group(
        self, one: Statement, group: list[int], heads: tuple[int, ...], factor: float
    ) -> Iterator[Piece]:
        lines = self._shown(group)
        if lines:
            kept = tuple(n for n in heads if n not in lines)
            own = (one,) if one.kind == "instance" else ()
            yield Piece(one.kind, lines, kept, own, factor)

    def _loose(self, taken: set[int]) -> Iterator[Piece]:
        """Yields what no statement holds: comments of their own, and text such as macros."""
        run: list[int] = []
        for number in range(1, len(self.lines) + 2):
            text = self.lines[number - 1] if number <= len(self.lines) else ""
            free = bool(text.strip()) and number not in taken
            if run and (not free or len(run) >= 2 * self.run or self._parts(run, number)):
                yield from self._loose_piece(run)
                run = []
            if free:
                run.append(number)

    def _parts(self, run: list[int], number: int) -> bool:
        if self._is_comment(run[0]):
            return False
        return self._is_comment(number) != self._is_comment(run[-1])

    def _is_comment(self, number: int) -> bool:
        return self.source.is_comment(number)

    def _loose_piece(self, run: list[int]) -> Iterator[Piece]:
        lines = self._shown(n for n in run if not _DIRECTIVE.match(self.lines[n - 1]))
        if not lines:
            return
        kind = "comment" if self._is_comment(lines[-1]) else "text"
        if kind == "text" and not any(len(self.lines[n - 1].split()) > 1 for n in lines):
            return
        yield Piece(kind, lines, (), (), FACTORS[kind])

    def _shown(self, numbers: Iterable[int]) -> tuple[int, ...]:
        """Returns the lines without blank ones, rulers, notices and code in comments."""
        hidden = self.notices | self.source.disabled
        return tuple(n for n in numbers if n not in hidden and not RULE.match(self.lines[n - 1]))


def _passes_on(one: Statement) -> bool:
    """Returns whether a statement only gives a register its next value: `x_q <= x_d`."""
    left = one.left_sides[0] if one.kind == "set" and len(one.lefts) == 1 else ""
    return bool(left) and stem(left) == stem(one.right_side)


def _kind(one: Statement) -> str:
    """Returns the kind of a statement; a net that is declared with its driver is an assignment."""
    if one.kind == "declaration" and one.word in ("parameter", "localparam"):
        return "constant"
    if one.kind == "declaration" and one.members:
        return "typedef"
    drives = one.kind == "declaration" and one.word not in ("parameter", "localparam")
    plain = one.right_side if drives and one.writes else ""
    return "assign" if _OPERATION.search(plain) else one.kind
