"""Adds edges from units and files to the macros that their `ifdefs test."""

from __future__ import annotations

import re

from hdlgraph.index.link.names import Names
from hdlgraph.index.link.nodes import FileEntry
from hdlgraph.index.link.ranked import Target, nearest
from hdlgraph.model import EdgeKind, FileRecord
from hdlgraph.parsers.finish import Enclosing

GUARDED_BY = EdgeKind.GUARDED_BY.value
_NAME = re.compile(r"[A-Za-z_]\w*")
_AND = " && "
MOST_NAMES, MOST_TARGETS = 20, 8
"""Macros of one directive that get an edge, and definitions of one: no product of names."""


def link_guards(names: Names, file: FileEntry) -> None:
    """Adds a GUARDED_BY edge for each `ifdef, `ifndef and `elsif, at its own line.

    It leads from the unit around the directive, else from the file. A macro that no file defines
    is given by a tool's command line: it gets a stub, is not told as a name that is missing, and
    that the file tests it is certain.
    """
    record = file.record
    if not record.branches:
        return
    enclosing = Enclosing(record.units)
    meant: dict[str, list[Target]] = {}
    for condition, line, text in tests_of(record):
        at = enclosing.at(line)
        source = file.units[at].row if at >= 0 else file.row
        for name in [*dict.fromkeys(_NAME.findall(condition))][:MOST_NAMES]:
            if name in file.macros:
                names.builder.edge(GUARDED_BY, source, file.macros[name], file.path, line, text)
                continue
            if name not in meant:
                meant[name] = _meant(names, file, name)
            _link(names, source, name, meant[name], (file.path, line, text))


def _meant(names: Names, file: FileEntry, name: str) -> list[Target]:
    """Returns the definitions of a macro that a file may mean, the likeliest."""
    targets = names.targets(names.macros, name, file)
    if len(targets) < 2:
        return list(targets)
    near = names.visible([file])
    return list(nearest(names.within(names.macros, name, file, targets, near)))[:MOST_TARGETS]


def _link(
    names: Names, source: int, name: str, targets: list[Target], said: tuple[str, int, str]
) -> None:
    for target in targets:
        names.builder.edge(
            GUARDED_BY, source, target.entry.macros[name], *said, target.confidence,
            target.resolved,
        )  # fmt: skip
    if not targets:
        row = names.external("macro", name)
        names.builder.edge(GUARDED_BY, source, row, *said, 1.0, "external")


def tests_of(record: FileRecord) -> list[tuple[str, int, str]]:
    """Returns (condition, line, lines that it picks) of each directive that tests a macro.

    An `else tests none: its lines, and those of every `elsif, are told with the branch before.
    """
    found = []
    branches = list(zip(record.branches, record.conditions, strict=False))
    ends = {end for (_, end), _ in branches}
    # Branches within one line lead nowhere: to follow them would not end.
    next_end = {line: end for (line, end), _ in branches if line in ends and line < end}
    around: list[tuple[int, str]] = []  # last line and condition of the branches around
    for (line, end), condition in branches:
        while around and around[-1][0] <= line:
            around.pop()
        outer = next((told for _, told in reversed(around) if told), "")
        around.append((end, condition))
        own = _own(condition) if line in ends else condition
        if not own:
            continue
        text = f"{_lines(line, end)} if {condition}"
        last = end
        while last in next_end:
            last = next_end[last]
        if last > end:
            text += f", else {_lines(end, last)}"
        text += f", inside {outer}" if outer else ""
        found.append((own, line, text[:200]))
    return found


def _own(condition: str) -> str:
    """Returns what an `elsif itself asks for after all that came before, "" of an `else."""
    last, depth = condition, 0
    for place in range(len(condition) - 1, -1, -1):
        depth += (condition[place] == ")") - (condition[place] == "(")
        if not depth and condition.startswith(_AND, place):
            last = condition[place + len(_AND) :]
            break
    return "" if last.startswith("!") else last


def _lines(line: int, end: int) -> str:
    """Returns the lines between two directives in words."""
    first, last = line + 1, end - 1
    if line == end:
        return f"part of line {line}"
    if last < first:
        return "nothing"
    return f"line {first}" if first == last else f"lines {first} to {last}"
