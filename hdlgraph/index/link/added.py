"""Adds the edges that readers of other packages state, of kinds that these declared."""

from __future__ import annotations

from collections.abc import Iterable

from hdlgraph.index.link.names import Names
from hdlgraph.index.link.nodes import FileEntry
from hdlgraph.index.link.ranked import Target
from hdlgraph.model.kinds import is_declared
from hdlgraph.parsers.reader import Reader, Statement
from hdlgraph.parsers.registry import reader_of, readers

MOST_STATEMENTS = 100_000
"""Most statements of one file that become edges."""


def state_relations() -> bool:
    """Returns whether a reader states relations at all."""
    return any(type(one).relations is not Reader.relations for one in readers())


def link_added(names: Names, file: FileEntry) -> str:
    """Adds the edges that the reader of a file states; returns what went wrong, or "".

    A statement of an undeclared kind, or whose target nothing in the repository defines, adds none.
    """
    reader = reader_of(file.path)
    try:
        statements = tuple(reader.relations(file.record))[:MOST_STATEMENTS]
        for one in statements:
            if is_declared(one.kind):
                _link(names, file, one)
    except Exception as error:  # the boundary of one file: said, and the others are linked
        return f"{file.path}: {reader.name} reader: {type(error).__name__}: {error}"[:200]
    return ""


def _link(names: Names, file: FileEntry, one: Statement) -> None:
    own = [entry.row for entry in file.units if entry.unit.name == one.source]
    source = own[0] if own else file.row
    targets = [target for target in _targets(names, file, one.target) if target.entry.row != source]
    names.link(one.kind, source, targets, file.path, one.line, one.text, one.confidence)


def _targets(names: Names, file: FileEntry, name: str) -> Iterable[Target]:
    """Returns what a name may mean: a path of the repository, or else a unit of any kind."""
    if name in names.by_path:
        return [Target(names.by_path[name], 1.0, "unique", 0)]
    for space in (names.added, names.modules, names.packages, names.classes):
        if found := names.targets(space, name, file):
            return found
    return []
