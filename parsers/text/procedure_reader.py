"""Reads the statements of procedures: assignments, ifs, cases, loops, blocks and checks."""

from __future__ import annotations

import re

from hdlgraph.parsers.text.statement import Statement
from hdlgraph.parsers.text.statement_cursor import CLOSERS, HARD, Read, StatementCursor
from hdlgraph.parsers.text.statement_tokens import CLOSING, OPENING, identifier

CASES = frozenset("case casex casez randcase".split())
LOOPS = frozenset("for while repeat foreach forever do".split())
CONTROL = frozenset(["if", "begin", "fork", *CASES, *LOOPS])
CHECKS = frozenset("assert assume cover restrict expect".split())
QUALIFIERS = frozenset(
    "virtual static protected local extern pure rand randc automatic const unique unique0 "
    "priority global forkjoin default".split()
)
DECLARING = frozenset(
    "input output inout parameter localparam specparam wire tri tri0 tri1 triand trior trireg "
    "wand wor supply0 supply1 reg logic bit byte int integer shortint longint time realtime real "
    "shortreal string event genvar var enum struct union chandle signed unsigned interconnect "
    "uwire void const static automatic".split()
)
_NAMED = re.compile(r"([A-Za-z_][\w$]*)\s*(?:\[[^\[\]]*\]\s*)*$")


class ProcedureReader(StatementCursor):
    """Reads statements of procedures; see `StatementCursor`."""

    def statement(self, parent: Statement) -> None:
        """Reads one statement of a procedure."""
        before = self.at
        label = self.before_statement()[1]
        count = len(parent.children)
        self._procedural(parent, self.word())
        self.mark(parent.children[count : count + 1], label)
        if self.at == before:
            self.at += 1

    def before_statement(self) -> tuple[set[str], str]:
        """Passes the words and the label before a statement and returns them."""
        words, label = set(), ""
        while True:
            if self.word() in QUALIFIERS:
                words.add(self.word())
                self.at += 1
            elif self.word(1) == ":" and identifier(self.word()):
                label = self.word()
                self.at += 2
            else:
                return words, label

    def mark(self, found: list[Statement], label: str) -> None:
        """Gives a label to statements that have none of their own."""
        for statement in found:
            statement.label = statement.label or label

    def _procedural(self, parent: Statement, word: str) -> None:
        """Reads one statement of a procedure that begins with `word` into `parent`."""
        if word in (";", ""):
            self.at += word == ";"
        elif word in ("@", "#"):
            self.timing()
            if self.word() not in CLOSERS and self.word() not in ("@", "#"):
                self._procedural(parent, self.word())
        elif word in CONTROL:
            self.control(parent, self.statement)
        elif word == "wait" and self.word(1) == "(":
            self.at += 1
            self.group()
        elif word in CHECKS:
            self.check(parent)
        elif word == "typedef":
            self.simple(parent)
        elif word[0] == "`" and self.word(1) not in ("<=", "=", "[", "."):
            found = self.begin(parent, "macro")
            if self._macro(found):
                found.name = word
            else:
                self.plain(found)
            self.close(found)
        elif word in DECLARING or self._declares():
            found = self.begin(parent, "declaration")
            self.plain(found)
            self._to_names(found)
            self.close(found)
        elif word not in CLOSERS:
            self._set(parent)

    def _declares(self) -> bool:
        place = 1
        while self.word(place) == "::":
            place += 2
        return identifier(self.word()) and identifier(self.word(place) or " ")

    def _set(self, parent: Statement) -> None:
        """Reads an assignment or a call."""
        found = self.begin(parent, "call")
        if self.word() in ("assign", "deassign", "force", "release", "->"):
            self.at += 1
        self.plain(found)
        if found.lefts:
            found.kind = "set"
            begin, end = found.lefts[0]
            text = self.code[begin:end]
            for word in ("assign", "force"):
                if text.startswith(word + " "):
                    found.lefts = ((begin + len(word), end), *found.lefts[1:])
        self.close(found)

    def control(self, parent: Statement, inner: Read) -> None:
        """Reads an if, case, loop or block; `inner` reads what stands in it."""
        word = self.word()
        if word == "if":
            self.chain(parent, inner)
            return
        if word in CASES:
            found = self.begin(parent, "case")
            self._condition(found)
            self.at += self.word() in ("inside", "matches")
            self.body(found, "endcase", lambda case: self.arm(case, inner))
        elif word in LOOPS:
            found = self.begin(parent, "loop")
            self._condition(found)
            self.inside(found, inner)
            if word == "do" and self.word() == "while":
                self._condition(found)
                self.at += self.word() == ";"
        else:
            found = self.begin(parent, "block")
            if word == "fork":
                self.at += 1
                found.label = self.label()
                self.body(found, "join", inner)
            else:
                self.inside(found, inner)
        self.close(found)

    def _condition(self, found: Statement) -> None:
        """Passes a word and the parentheses behind it, which become the head."""
        self.at += 1
        if self.word() == "(":
            found.head = self.head(self.group())

    def chain(self, parent: Statement, inner: Read) -> None:
        """Reads an `if` with all its `else if` and its `else`."""
        found = self.begin(parent, "if")
        branch = self.begin(found, "branch")
        self._condition(branch)
        self.inside(branch, inner)
        while self.word() == "else":
            branch = self.begin(found, "branch")
            self.at += 1
            more = self.word() == "if"
            if more:
                branch.word = "else if"
                self._condition(branch)
            self.inside(branch, inner)
            if not more:
                break
        self.close(found)
        found.head = found.children[0].head

    def arm(self, parent: Statement, inner: Read) -> None:
        """Reads one arm of a case: its labels and its statement."""
        found = self.begin(parent, "arm")
        begin, depth = self.at, 0
        while (word := self.word()) and word != ";" and word not in HARD:
            if word in OPENING:
                depth += 1
            elif word in CLOSING:
                depth = max(depth - 1, 0)
            elif depth == 0 and (word == ":" or self.words[self.at - 1] == "default"):
                break
            self.at += 1
        found.head = self.head((self.offsets[begin], self.offsets[self.at])).rstrip(": ")
        self.at += self.word() == ":"
        if self.at == begin:
            self.at += 1
        self.inside(found, inner)

    def timing(self) -> None:
        """Passes event controls and delays at the reader."""
        while self.word() in ("@", "#"):
            self.at += 1
            if self.word() == "#":
                self.at += 1
            if self.word() == "(":
                self.group()
            elif identifier(self.word() or " ") or self.word()[:1].isdigit():
                self.at += 1
                while self.word() in (".", "::"):
                    self.at += 2

    def check(self, parent: Statement) -> None:
        """Reads an assertion with what it does on success and failure."""
        found = self.begin(parent, "assertion")
        self.at += 1
        while self.word() in ("property", "final", "sequence", "#") or self.word()[:1].isdigit():
            self.at += 1
        if self.word() == "(":
            self.group()
        if self.word() == ";":
            self.at += 1
        elif self.word() != "else":
            self.inside(found, self.statement)
        if self.word() == "else":
            self.at += 1
            self.inside(found, self.statement)
        self.close(found)

    def simple(self, parent: Statement) -> None:
        """Reads an item that goes up to its semicolon."""
        word = self.word()
        kind = word if word in ("assign", "typedef") else "other"
        found = self.begin(parent, kind)
        self.at += 1
        if word == "constraint":
            while self.word() not in ("{", ";", "") and self.word() not in HARD:
                self.at += 1
            self.groups("{")
        else:
            self.timing()
            begin = self.at
            self.plain(found)
            if word == "typedef":
                found.lefts = ()
                found.name = self._last_name(begin)
        if kind == "assign":
            self._without_strength(found)
        self.close(found)

    def _last_name(self, begin: int) -> str:
        for place in range(self.at - 1, max(begin - 1, self.at - 12), -1):
            if identifier(self.words[place]):
                return self.words[place]
        return ""

    def _without_strength(self, found: Statement) -> None:
        """Takes the word `assign`'s delay or strength out of the first left side."""
        if found.lefts and self.code[found.lefts[0][0]] == "(":
            begin, end = found.lefts[0]
            close = self.code.find(")", begin, end)
            found.lefts = ((close + 1, end), *found.lefts[1:])

    def _to_names(self, found: Statement) -> None:
        """Cuts the left sides of a declaration to the names in front of the values."""
        cut = []
        for begin, end in found.lefts:
            begin = max(begin, end - 200)
            name = _NAMED.search(self.code[begin:end].rstrip())
            if name:
                cut.append((begin + name.start(1), begin + name.end(1)))
        found.lefts = tuple(cut)

    def _macro(self, found: Statement) -> bool:
        """Passes a macro and its arguments; returns whether it stands for a whole statement."""
        line = self.line(self.at)
        self.at += 1
        called = self.word() == "("
        self.groups("(")
        if self.word() == ";":
            self.at += 1
        elif not called and self.line(self.at) == line:
            next_word = self.word() or " "
            if identifier(next_word) or next_word in ("#", "::", "["):
                return False
        found.kind, found.name, found.unit = "macro", found.unit, ""
        return True
