"""Signals and ports of a unit that nothing drives or reads inside it.

A finding needs two witnesses: the statements and instances that parsing collected have no driver
or reader, and each place of the name in the text is one that they know.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from hdlgraph.model import Unit
from hdlgraph.query.signals.design import INPUT, OUTPUT, Design
from hdlgraph.query.unused.flow_uses import Uses
from hdlgraph.query.unused.records import Finding
from hdlgraph.query.unused.texts import Text, Texts

_DECLARES = re.compile(
    r"\s*(?::\s*\w+\s*)?(?:\(\*[^*]*\*\)\s*)?(?:input|output|inout|wire|reg|logic|tri\w*|w?and|w?or|supply[01]|"
    r"var|bit|byte|int|integer|shortint|longint|real|time|genvar|signed|unsigned)\b"
)
_SELECTED = re.compile(
    r"(?:\s*\[[^\[\]]{0,200}\]|\s*\.\s*\w+){0,8}\s*(<=|=(?!=)|\+=|-=|\|=|&=|\+\+)"
)
_CALL = re.compile(r"([`$]?[A-Za-z_][\w$]*(?:\s*::\s*\w+)?)\s*$")
_READS = frozenset(
    {"$display", "$write", "$strobe", "$monitor", "$fdisplay", "$fwrite", "$error", "$fatal",
     "$warning", "$info", "$signed", "$unsigned", "$bits", "$clog2", "$past", "$rose", "$fell",
     "$stable", "$changed", "$isunknown", "$onehot", "$onehot0", "$countones", "$countbits",
     "$sformatf", "$size", "$high", "$low", "$left", "$right", "$itor", "$rtoi", "$bitstoreal",
     "$realtobits", "$assertoff", "$sampled", "$psprintf", "$writememh", "$dumpvars"}
)  # fmt: skip
"""System tasks and functions that assign none of their arguments."""
_PUSHED = re.compile(
    r"(?:\s*\[[^\[\]]{0,200}\])?\s*\.\s*(?:push_|insert|delete|put|get|set|next|first)"
)
_CHECKS = re.compile(r"`(?:\w*ASSERT|\w*ASSUME|\w*COVER|UNUSED|LINT)\w*", re.IGNORECASE)
_MACRO = re.compile(r"`([A-Za-z_]\w*)")
FAR = 10_000
"""Characters between the begin of a statement and its end."""
_PORTS = frozenset({"inout", "ref", "interface"})


class UnitSignals:
    """One unit while its signals are looked at.

    Args:
        design: all units.
        row: of the unit.
        unit: its facts.
        texts: of all files.
        fillers: names of the routines that assign an argument.
    """

    def __init__(
        self, design: Design, row: int, unit: Unit, texts: Texts, fillers: Collection[str]
    ) -> None:
        self._head, self._unit = design.flows.units[row], unit
        self._texts, self._fillers = texts, fillers
        self._text: Text = texts.of(self._head.path)
        self._span = self._text.span(self._head.line, unit.end_line)
        self.uses = Uses(design, row)
        self._lines: dict[str, set[int]] = {}
        for port in unit.ports:
            self._lines.setdefault(port.name, set()).add(port.line)
        for signal in unit.signals:
            self._lines.setdefault(signal.name, set()).add(signal.line)
        self._scoped = {signal.name for signal in unit.signals if signal.scope}
        for one in self.uses.view.flow.declared:
            self._lines.setdefault(one.name, set()).add(one.line)
            self._scoped.add(one.name)
        used = {one[1] for one in _MACRO.finditer(self._text.code, *self._span)}
        self._expanded = texts.expanded(used)
        self._included = texts.included_words(self._head.path)
        ends = (self._text.code.find(sign, *self._span) for sign in (";", "="))
        self._header_end = min((one for one in ends if one >= 0), default=self._span[0])

    def findings(self) -> Iterator[Finding]:
        """Yields what nothing drives or reads, ports before signals, in their order."""
        if self.uses.everything:
            return
        ports = {port.name: port.direction for port in self._unit.ports}
        for port in self._unit.ports:
            if not port.origin and port.direction not in _PORTS:
                yield from self._port(port.name, port.direction, port.line)
        seen: set[str] = set()
        for signal in self._unit.signals:
            whole = self.uses.view.scopes.of_line(signal.name, signal.line)
            plain = whole not in ports and whole not in seen and not signal.origin
            if plain and not signal.implicit:
                seen.add(whole)
                yield from self._signal(signal.name, whole, signal.line)
        for one in self.uses.view.flow.declared:  # the facts have one signal of each name
            if one.whole not in seen and one.guard >= 0:
                seen.add(one.whole)
                yield from self._signal(one.name, one.whole, one.line)

    def _port(self, name: str, direction: str, line: int) -> Iterator[Finding]:
        driven, read = name in self.uses.driven, name in self.uses.read
        if direction == INPUT and not driven and not read and not self._elsewhere(name, "read"):
            yield self._found("unread_input", name, line, "nothing in the unit reads it")
        if direction == OUTPUT and not driven and not self._elsewhere(name, "drive"):
            why = "it is read, and nothing drives it" if read else "nothing in the unit drives it"
            yield self._found("undriven_output", name, line, why)

    def _signal(self, name: str, whole: str, line: int) -> Iterator[Finding]:
        """Yields what one signal lacks; `whole` tells it from others of its name in the unit."""
        driven, read = self.uses.driven.get(whole), self.uses.read.get(whole)
        if driven and not read and not self._elsewhere(name, "read"):
            why = f"driven at line {min(driven)}, and nothing reads it"
            yield self._found("unread", name, line, why)
        elif read and not driven and not self._elsewhere(name, "drive", whole):
            why = f"read at line {min(read)}, and nothing drives it"
            yield self._found("undriven", name, line, why)
        elif not read and not driven and not self._elsewhere(name, "read"):
            yield self._found("unused", name, line, "it stands in its declaration alone")

    def _found(self, kind: str, name: str, line: int, why: str) -> Finding:
        return Finding(kind, name, self._unit.name, self._head.path, line, why)

    def _elsewhere(self, name: str, wanted: str, whole: str = "") -> bool:
        """Returns whether the text may read or drive a name where the facts do not say so.

        `whole` is what the signal is called, where the name is that of several in the unit: the
        places of the others are known and none of its own.
        """
        if name in self._expanded:
            return True
        if name in self._included:
            return True
        text = self._text
        known, others = self._lines_of(name), self._lines_of(name, besides=whole or name)
        for at in text.find(name, *self._span):
            if is_member(text.code, at, len(name)):
                if name in self._scoped and not _is_formal(text.code, at, len(name)):
                    return True  # read or driven by the label of its generate block
                continue
            if self._is_declared(name, at):
                continue
            if wanted == "drive":
                if not self._is_known(at, others) and self._may_drive(name, at):
                    return True
            elif not self._is_known(at, known):
                return True
        return False

    def _lines_of(self, name: str, besides: str = "") -> list[int]:
        """Returns the lines that use signals of a name, less those that use one of them."""
        uses, wholes = self.uses, self.uses.view.scopes.wholes(name)
        found = {one: uses.driven.get(one, set()) | uses.read.get(one, set()) for one in wholes}
        found[name] = uses.driven.get(name, set()) | uses.read.get(name, set())
        own = found.pop(besides, set())
        return sorted(set().union(*found.values()) - own)

    def _is_declared(self, name: str, at: int) -> bool:
        line = self._text.line(at)
        if line in self._lines.get(name, ()):
            return True
        inside = self._text.statement(at)
        if at < self._header_end:
            return True
        last = inside.rpartition(",")[2]
        return bool(_DECLARES.match(inside)) and "=" not in last and _depth(last) == 0

    def _is_known(self, at: int, known: list[int]) -> bool:
        """Returns whether a place is part of a statement or connection that the facts have."""
        text, line = self._text, self._text.line(at)
        before = [one for one in known if 0 < one <= line]
        if not before:
            return False
        start = text.starts[before[-1] - 1]
        return before[-1] == line or (at - start < FAR and ";" not in text.code[start:at])

    def _may_drive(self, name: str, at: int) -> bool:
        """Returns whether a place may assign: left of a sign, or an argument of some call."""
        code = self._text.code
        inside = self._text.statement(at)
        if _PUSHED.match(code, at + len(name)):
            return True
        sign = _SELECTED.match(code, at + len(name))
        if sign and (sign[1] != "<=" or _depth(inside) == 0):
            return True
        opened = 0
        for place in range(len(inside) - 1, -1, -1):
            if inside[place] in ")}":
                opened += 1
            elif inside[place] in "({":
                if opened:
                    opened -= 1
                    continue
                call = _CALL.search(inside, max(0, place - 200), place)
                if call and inside[: call.start()].rstrip().endswith("."):
                    # A connection that the facts do not have: its unit could not be read.
                    return self._text.line(at) not in self.uses.read.get(name, ())
                if call and self._fills(call[1]):
                    return True
        return False

    def _fills(self, called: str) -> bool:
        if called.startswith("`"):
            return not _CHECKS.fullmatch(called)
        if called.startswith("$"):
            return called not in _READS
        plain = called.rpartition("::")[2].strip()
        return plain == "randomize" or plain in self._fillers


def is_member(code: str, at: int, length: int) -> bool:
    """Returns whether a word is a member, the port of a connection, or of another scope."""
    before = code[max(0, at - 40) : at].rstrip()
    if before.endswith("::"):
        return True
    if not before.endswith("."):
        return False
    if before[:-1].rstrip()[-1:] not in ("", ",", "("):
        return True  # a member of something
    return code[at + length : at + length + 40].lstrip().startswith("(")


def _is_formal(code: str, at: int, length: int) -> bool:
    """Returns whether a word is the port of a connection."""
    after = code[at + length : at + length + 40].lstrip()
    return after.startswith("(") and code[max(0, at - 40) : at].rstrip().endswith(".")


def _depth(text: str) -> int:
    """Returns how many brackets of a text stay open."""
    return sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))
