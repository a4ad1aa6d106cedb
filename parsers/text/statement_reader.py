"""Reads the statements of a file from its text alone, in one pass, whatever is broken in it."""

from __future__ import annotations

from hdlgraph.parsers.text.expressions import GATES
from hdlgraph.parsers.text.procedure_reader import (
    CASES,
    CHECKS,
    DECLARING,
    ProcedureReader,
)
from hdlgraph.parsers.text.statement import ALWAYS, UNITS, Statement
from hdlgraph.parsers.text.statement_cursor import CLOSERS, ENDS, HARD
from hdlgraph.parsers.text.statement_tokens import OPENING, identifier

SKIPPED = frozenset("property sequence clocking specify table covergroup randsequence".split())


class StatementReader(ProcedureReader):
    """Reads the items of units; see `StatementCursor`."""

    def read(self) -> list[Statement]:
        """Returns the outermost statements of the file."""
        root = Statement("other", "", 1, 1, code=self.code)
        while self.word():
            self.items(root)
            if self.word():
                self.at += 1  # an end of something that never began
        for found in root.children:
            found.parent = None
        return root.children

    def items(self, parent: Statement) -> None:
        """Reads items up to a word that ends something."""
        while (word := self.word()) and word not in CLOSERS:
            self.item(parent)

    def item(self, parent: Statement) -> None:
        """Reads one item of a unit, a generate block or a class."""
        before = self.at
        skipped, label = self.before_statement()
        word, count = self.word(), len(parent.children)
        if word in (";", "else"):
            self.at += 1  # an `else` here goes on with what a macro has begun
        elif word in ("function", "task") and not skipped & {"extern", "pure"}:
            self.routine(parent)
        elif word in UNITS and "virtual" not in skipped and self._names_unit():
            self.unit(parent)
        elif word in ALWAYS or word in ("initial", "final"):
            self.process(parent)
        else:
            self._rest(parent, word)
        self.mark(parent.children[count : count + 1], label)
        if self.at == before:
            self.at += 1

    def _names_unit(self) -> bool:
        name = 2 if self.word(1) in ("automatic", "static", "class") else 1
        return identifier(self.word(name) or " ") and (
            self.word(name + 1) in (";", "#", "(", "import", "extends", "implements", "", "::")
            or self.word() in ("module", "macromodule")
        )

    def _rest(self, parent: Statement, word: str) -> None:
        if word == "generate":
            found = self.begin(parent, "generate")
            self.at += 1
            self.body(found, "endgenerate", self.item)
            self.close(found)
        elif word in ("if", "begin", "for") or word in CASES:
            self.control(parent, self.item)
        elif word in ("assign", "typedef", "defparam", "import", "export", "modport", "constraint"):
            self.simple(parent)
        elif word in CHECKS:
            self.check(parent)
        elif word in SKIPPED and self.word(2) != ";":
            self.skipped(parent)
        elif word == "bind":
            self.at += 1
            while self.word() and self.word(1) in (".", ":", ",", "::"):
                self.at += 2
            self.at += 1
            self.named(parent)
        elif word and (word[0] in "`$\\" or identifier(word) or word in GATES):
            self.named(parent)
        elif word:
            self.declaration(parent)

    def unit(self, parent: Statement) -> None:
        """Reads a unit: its header with its lists, and its items."""
        found = self.begin(parent, "unit")
        self.at += 1
        while self.word() in ("automatic", "static", "class"):
            self.at += 1
        found.name = self.word()
        self.at += 1
        while (word := self.word()) and word != ";" and word not in HARD:
            if word == "import":
                while self.word() and self.word() != ";" and self.word() not in HARD:
                    self.at += 1
                self.at += self.word() == ";"
                continue
            if word in OPENING:
                kind = "parameters" if self.word(-1) == "#" else "ports"
                part = self.begin(found, kind, found.name)
                self.group()
                self.close(part)
                continue
            self.at += 1
        self.at += self.word() == ";"
        self.body(found, ENDS[found.word], self.item)
        self.close(found)

    def routine(self, parent: Statement) -> None:
        """Reads a function or task: its head up to the semicolon, and its statements."""
        found = self.begin(parent, self.word())
        self.at += 1
        while (word := self.word()) and word not in (";", "(") and word not in HARD:
            if identifier(word) or word == "new":
                found.name = word
            if word == "[":
                self.group()
            else:
                self.at += 1
        self.groups("(")
        self.at += self.word() == ";"
        self.body(found, ENDS[found.word], self.statement)
        self.close(found)

    def process(self, parent: Statement) -> None:
        """Reads an always, initial or final block."""
        word = self.word()
        found = self.begin(parent, "always" if word in ALWAYS else word)
        self.at += 1
        begin = self.offsets[self.at]
        self.timing()
        found.head = self.head((begin, self.offsets[self.at])) if self.word(-1) != word else ""
        self.inside(found, self.statement)

    def skipped(self, parent: Statement) -> None:
        """Passes a property, covergroup ... up to its end."""
        found = self.begin(parent, "other")
        self.at += 1
        found.name = self.word() if identifier(self.word() or " ") else ""
        end = ENDS[found.word]
        while self.word() and self.word() != end:
            if self.word() in ("endmodule", "endclass", "endinterface", "endpackage"):
                break
            self.at += 1
        if self.word() == end:
            self.at += 1
            self.label()
        self.close(found)

    def declaration(self, parent: Statement) -> None:
        """Reads a declaration up to its semicolon."""
        found = self.begin(parent, "declaration")
        if self.word() not in DECLARING:
            found.kind = "other"
        self.at += 1
        self.plain(found)
        self._to_names(found)
        self.close(found)

    def named(self, parent: Statement) -> None:
        """Reads an item that begins with a name: an instance, a declaration or a macro call."""
        found = self.begin(parent, "other")
        found.unit = self.word()
        if self.word()[0] in "`$" and self._macro(found):
            self.close(found)
            return
        self.at += self.word() == found.unit
        while self.word() in ("::", "."):
            self.at += 2
        if self.word() == "#":
            self.at += 1
            if self.word() == "(":
                self.group()
            else:
                self.at += 1
        self.groups("[")
        self._instance_or_declaration(found)
        self.close(found)

    def _instance_or_declaration(self, found: Statement) -> None:
        name = self.at
        if identifier(self.word() or " "):
            self.at += 1
            self.groups("[")
        elif self.word() != "(":
            found.unit = ""
            self.plain(found)
            return
        if self.word() == "(":
            found.kind = "call" if found.unit[0] == "$" else "instance"
            found.name = self.words[name] if self.at > name else ""
            self.group()
            self.plain(found)
            return
        found.kind, found.word, found.unit = "declaration", found.unit, ""
        self.at = name
        self.plain(found)
        self._to_names(found)
