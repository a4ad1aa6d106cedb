"""Assertions, covergroups and the messages that checks report, of a unit."""

from __future__ import annotations

from hdlgraph.model import FileRecord
from hdlgraph.query.signals.records import Check
from hdlgraph.store.design.flows import StoredMessage

BELOW = 6
"""Lines below the head of an assertion on which its message may stand."""


def checks(record: FileRecord, unit: str, line: int, said: list[StoredMessage]) -> list[Check]:
    """Returns the checks of a unit, by line; a message belongs to the assertion just above it.

    Args:
        record: the facts of the file.
        unit: the unit's name.
        line: its line.
        said: the messages of all files.
    """
    own = next((one for one in record.units if (one.name, one.line) == (unit, line)), None)
    if own is None:
        return []
    messages = [
        one for one in said if one.path == record.path and own.line <= one.line <= own.end_line
    ]
    found = []
    taken: set[StoredMessage] = set()
    for one in own.assertions:
        said_here = next(
            (m for m in messages if m not in taken and 0 <= m.line - one.line <= BELOW), None
        )
        text = ""
        if said_here is not None and one.kind not in ("covergroup", "clocking", "property"):
            taken.add(said_here)
            text = said_here.text
        found.append(Check(unit, one.kind, one.name, one.text, text, record.path, one.line))
    found += [
        Check(unit, m.kind, "", "", m.text, record.path, m.line) for m in messages if m not in taken
    ]
    return sorted(found, key=lambda one: (one.line, one.kind, one.name))
