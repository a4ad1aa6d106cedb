"""A statement of a source file: its kind, its lines, its head, and the names it writes and reads.

See `outline.py` for how to get the statements of a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from hdlgraph.parsers.text.expressions import clean, closing, distinct, names, targets
from hdlgraph.parsers.text.statement_tokens import declared

HEAD = 240  # characters kept of a head
UNITS = frozenset(
    "module macromodule interface program package class primitive checker config".split()
)
ALWAYS = frozenset("always always_ff always_comb always_latch".split())
CLOCKED = frozenset(["always", "always_ff"])
_RESET = re.compile(r"(?:^|_)[abcghnps]?a?rst(?:$|_|[nibxz]+\d?$|\d)|reset|(?:^|_)por(?:$|_)", re.I)
_LOW = re.compile(r"n\d?$|_?ni$|_[blx]$|n_i$|(?:^|_)n_?(?:rst|reset)", re.I)
"""What names of active-low resets end in or, after the name of a domain, begin with."""
_NOT = re.compile(r"^\W*[!~]|==\s*(?:1'b)?0\b|!=\s*(?:1'b)?1\b")
_INDEX = re.compile(r"\[([^\[\]]*)\]")
_ENUM = re.compile(r"\benum\b[^{;]*\{([^}]*)\}")
_MEMBER = re.compile(r"(?:^|,)\s*([A-Za-z_][\w$]*)")
_CONNECTION = re.compile(r"\.\s*([A-Za-z_][\w$]*)\s*(?=\()")


@dataclass(eq=False, repr=False)
class Statement:
    """A statement and the statements in it. Lines are 1-based and inclusive.

    `kind` is one of

    - unit: a module, interface, package, class ...; `word` says which, `name` its name.
    - parameters, ports: the lists between the parentheses of a unit's header.
    - always: `word` is always, always_ff ...; `head` is the event control, `@(posedge clk)`.
    - initial, final, generate, function, task.
    - assign: a continuous assignment.
    - set: an assignment inside a procedure; `call` any other plain statement there.
    - declaration: of ports, signals, parameters, variables; `word` is its first word.
    - typedef: `name` is the type's name.
    - if: a whole chain `if ... else if ... else`; its children are of kind `branch`, and
      `head` of each branch is its condition, "" for the last `else`.
    - case: `head` is the expression; its children are of kind `arm`, `head` is the labels.
    - loop: for, while, repeat, foreach, forever, do; `head` is what stands in parentheses.
    - block: `begin ... end` or `fork ... join` that belongs to none of the others.
    - instance: `unit` is what is instantiated, `name` the instance's name.
    - assertion, macro (a macro call in place of a statement), other.

    `label` is the name after `begin :`, of the statement itself or of the block it holds.
    A branch, arm, loop or process has the statements of its block as children, without a `block`
    in between.
    """

    kind: str
    word: str
    line: int
    end_line: int
    head: str = ""
    name: str = ""
    unit: str = ""
    label: str = ""
    parent: Statement | None = None
    children: list[Statement] = field(default_factory=list)
    code: str = ""
    """Code of the whole file without comments and strings, of which `span` is this statement."""
    span: tuple[int, int] = (0, 0)
    lefts: tuple[tuple[int, int], ...] = ()
    """Offsets in `code` of the left sides of the assignments of this statement alone."""

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name or self.head!r} {self.line}-{self.end_line}>"

    @property
    def text(self) -> str:
        """Returns the statement's code on one line, without comments."""
        return clean(self.code[self.span[0] : self.span[1]])

    @property
    def left_sides(self) -> tuple[str, ...]:
        """Returns what this statement assigns as it is written, without blanks: `q.d[3:0]`."""
        return tuple("".join(self.code[begin:end].split()) for begin, end in self.lefts)

    @cached_property
    def right_side(self) -> str:
        """Returns the statement's code without its left sides, on one line."""
        out, at = [], self.span[0]
        for begin, end in self.lefts:
            out.append(self.code[at:begin])
            at = end
        return clean("".join([*out, self.code[at : self.span[1]]])).strip("=< ;")

    @cached_property
    def writes(self) -> tuple[str, ...]:
        """Returns the names that this statement alone assigns, not those in its children.

        A parameter, and a signal that is declared with a value, count as assigned.
        """
        return distinct(name for begin, end in self.lefts for name in targets(self.code[begin:end]))

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """Returns the names that this statement alone reads, not those in its children.

        They stand in its head, its right side, its indices or its connections; what is connected
        to an output of an instance counts too.
        """
        if self.kind in ("assign", "set", "call", "instance", "assertion", "macro", "declaration"):
            found = names(self.code[self.span[0] : self.span[1]] if not self.lefts else "")
            if self.lefts:
                found = names(self.right_side)
                for begin, end in self.lefts:
                    for index in _INDEX.findall(self.code[begin:end]):
                        found += names(index)
            own = {self.unit, self.name, *self.declares}
            return distinct(name for name in found if name not in own)
        return distinct(names(self.head)) if self.kind != "if" else ()  # its first branch does

    @cached_property
    def declares(self) -> tuple[str, ...]:
        """Returns the names that a declaration declares, and the members of an enumeration."""
        if self.kind not in ("declaration", "typedef"):
            return ()
        code = self.code[self.span[0] : self.span[1]]
        found = [*declared(code)] if self.kind == "declaration" else [self.name]
        return distinct([*found, *members(code)])

    @cached_property
    def members(self) -> tuple[str, ...]:
        """Returns the members of an enumeration that a typedef or declaration defines."""
        if self.kind not in ("declaration", "typedef"):
            return ()
        return tuple(members(self.code[self.span[0] : self.span[1]]))

    @cached_property
    def connections(self) -> dict[str, str]:
        """Returns port -> expression of an instance's named connections, parameters included.

        Of several instances in one statement those of the first count.
        """
        if self.kind != "instance":
            return {}
        found: dict[str, str] = {}
        for port in _CONNECTION.finditer(self.code, *self.span):
            end = closing(self.code, port.end() + 1)
            text = clean(self.code[port.end() + 1 : max(end - 1, port.end() + 1)])
            found.setdefault(port[1], text)
        return found

    @property
    def reset(self) -> bool:
        """Returns whether this is the branch of a clocked block that a reset leads to."""
        process = self.process
        if self.kind != "branch" or process is None or process.word not in CLOCKED:
            return False
        if self.head:
            return _reset_active(self.head, process.head) is True
        return self.parent is not None and _reset_active(self.parent.head, process.head) is False

    @property
    def process(self) -> Statement | None:
        """Returns the always, initial or final block around the statement, or itself; or None."""
        return next(
            (s for s in (self, *self.around()) if s.kind in ("always", "initial", "final")), None
        )

    def around(self) -> Iterator[Statement]:
        """Yields the statements around this one, the innermost first."""
        outer = self.parent
        while outer is not None:
            yield outer
            outer = outer.parent

    def walk(self) -> Iterator[Statement]:
        """Yields the statement and all in it, in the order of the text."""
        stack = [self]
        while stack:
            found = stack.pop()
            yield found
            stack.extend(reversed(found.children))


def members(code: str) -> list[str]:
    """Returns the members of the enumerations in a piece of code."""
    return [name for found in _ENUM.finditer(code) for name in _MEMBER.findall(found[1])]


def _reset_active(condition: str, event: str = "") -> bool | None:
    """Returns whether a condition holds while a reset is active; None if it tests no reset.

    Args:
        condition: of a branch.
        event: the event control around it; the edge of an asynchronous reset says its level.
    """
    resets = [name for name in names(condition) if _RESET.search(name)]
    if not resets:
        return None
    edge = re.search(rf"\b(pos|neg)edge\s+{re.escape(resets[0])}(?![\w$])", event)
    low = edge[1] == "neg" if edge else bool(_LOW.search(resets[0]))
    return low == bool(_NOT.search(condition)) or "(" in condition
