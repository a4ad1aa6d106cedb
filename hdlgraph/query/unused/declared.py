"""Parameters, types, members of enumerations and routines that nothing mentions again.

A name counts as used where its word stands anywhere that can see it, apart from its declaration:
in the unit, or of what a package or file declares in any file that names the package.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hdlgraph.model import FileRecord, Parameter, Routine, Type, Unit
from hdlgraph.query.unused.records import Finding
from hdlgraph.query.unused.signals import is_member
from hdlgraph.query.unused.texts import Texts

SCOPES = frozenset({"module", "interface", "program"})
_MACRO = re.compile(r"`([A-Za-z_]\w*)")
_EXPORTS = re.compile(r"\bexport\s+(\w+)\s*::")


class Declared(NamedTuple):
    """A name with the lines of its declaration; `last` is the line at which that ends."""

    kind: str
    name: str
    line: int
    last: int
    of: str = ""
    """The enumeration that has it as a member."""


def of_unit(texts: Texts, record: FileRecord, unit: Unit) -> Iterator[Finding]:
    """Yields what a module or interface declares and nothing in it mentions."""
    text = texts.of(record.path)
    span = text.span(unit.line, unit.end_line)
    seen = texts.expanded(one[1] for one in _MACRO.finditer(text.code, *span))
    seen |= texts.included_words(record.path)
    for one in _declared(unit.parameters, unit.types, unit.routines):
        if one.name in seen or _is_mentioned(texts, record.path, one, span):
            continue
        if one.kind not in ("type", "enum_member") and _is_reached(texts, record, one, span):
            continue
        yield _found(one, unit.name, record.path, "nothing in the unit mentions it")


def _found(one: Declared, unit: str, path: str, why: str) -> Finding:
    why = f"{why}; a member of {one.of}" if one.of else why
    return Finding(one.kind, one.name, unit, path, one.line, why)


def _declared(
    parameters: Iterable[Parameter], types: Iterable[Type], routines: Iterable[Routine]
) -> Iterator[Declared]:
    for one in parameters:
        if not one.origin:
            kind = "localparam" if one.kind == "localparam" else "parameter"
            yield Declared(kind, one.name, one.line, one.line)
    for of in types:
        if not of.kind.startswith("class"):
            yield Declared("type", of.name, of.line, of.line)
        if of.kind == "enum":
            for member in of.fields:
                yield Declared("enum_member", member.name, member.line, member.line, of.name)
    for routine in routines:
        # A body as `cls::get` is of a method: those are called by any handle, or by a library.
        if not routine.dpi and "::" not in routine.name:
            yield Declared(routine.kind, routine.name, routine.line, routine.end_line)


def _is_mentioned(texts: Texts, path: str, one: Declared, span: tuple[int, int]) -> bool:
    """Returns whether a name stands in a part of its file again, apart from its declaration."""
    text = texts.of(path)
    passed = False
    for at in text.find(one.name, *span):
        line = text.line(at)
        if one.last > one.line and one.line <= line <= one.last:
            continue  # a routine may name itself
        if line == one.line and not passed:
            passed = True
            continue
        if one.kind == "type" and _closes(text.code, at):
            continue
        if not is_member(text.code, at, len(one.name)) or _is_scoped(text.code, at):
            return True
    return False


def _is_scoped(code: str, at: int) -> bool:
    return code[max(0, at - 40) : at].rstrip().endswith("::")


def _closes(code: str, at: int) -> bool:
    """Returns whether a name is the one behind the braces of a typedef."""
    return code[max(0, at - 40) : at].rstrip().endswith("}")


def _is_reached(texts: Texts, record: FileRecord, one: Declared, span: tuple[int, int]) -> bool:
    """Returns whether a text outside of the unit reaches a name by an instance: `bus.WIDTH`."""
    begin, end = span
    may_be_called = one.kind in ("function", "task")
    return any(
        (may_be_called or not called) and (path != record.path or at < begin or at >= end)
        for path in texts.with_word(one.name)
        for at, called in texts.of(path).reached.get(one.name, ())
    )


class Packages:
    """What packages and files declare for others.

    Args:
        texts: of all files.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        exporting = (texts.of(path).code for path in texts.with_word("export"))
        self._exported = {one[1] for code in exporting for one in _EXPORTS.finditer(code)}

    def of_package(self, record: FileRecord, unit: Unit) -> Iterator[Finding]:
        """Yields what a package declares and no file that names the package mentions."""
        span = self._texts.of(record.path).span(unit.line, unit.end_line)
        for one in _declared(unit.parameters, unit.types, unit.routines):
            if not self._is_used(record.path, unit.name, one, span):
                why = "neither the package nor a file that names the package mentions it"
                yield _found(one, unit.name, record.path, why)

    def of_file(self, record: FileRecord) -> Iterator[Finding]:
        """Yields what a file declares outside of units and no file mentions."""
        whole = (0, len(self._texts.of(record.path).code))
        for one in _declared(record.parameters, record.types, record.routines):
            if not self._is_used(record.path, "", one, whole):
                yield _found(one, "", record.path, "no file mentions it")

    def _is_used(self, path: str, package: str, one: Declared, span: tuple[int, int]) -> bool:
        whole = (0, len(self._texts.of(path).code))
        if _is_mentioned(self._texts, path, one, whole if package else span):
            return True
        return any(
            other != path and (not package or self._sees(other, package))
            for other in self._texts.with_word(one.name)
        )

    def _sees(self, path: str, package: str) -> bool:
        """Returns whether a file names a package, or a file that includes it does."""
        if package in self._exported or package in self._texts.of(path).words:
            return True
        seen, waiting = {path}, [path]
        while waiting and len(seen) < 1000:
            name = waiting.pop().rpartition("/")[2]
            for one in self._texts.includers.get(name, ()):
                if package in self._texts.of(one).words:
                    return True
                if one not in seen:
                    seen.add(one)
                    waiting.append(one)
        return False
