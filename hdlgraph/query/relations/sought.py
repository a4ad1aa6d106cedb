"""The records of a question for a relation: what is sought, of which names, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Sought(StrEnum):
    """What a question seeks of a name: the relation and its direction in one word."""

    CHILDREN = "children"
    PARENTS = "parents"
    DRIVERS = "drivers"
    READERS = "readers"
    BETWEEN = "between"
    NEIGHBOURS = "neighbours"
    UPSTREAM = "upstream"
    DOWNSTREAM = "downstream"
    IMPORTERS = "importers"
    IMPORTED = "imported"
    DEFINITION = "definition"
    BASES = "bases"
    DERIVED = "derived"
    BOUND = "bound"
    BIND_TARGETS = "bind targets"
    CONFIGURED = "configured"
    SETTINGS = "settings"
    TESTS = "tests"
    TESTED = "tested"
    CLOCKED = "clocked"
    CLOCKS = "clocks"
    RESET = "reset"
    RESETS = "resets"
    STATE_OWNER = "state owner"
    MIDDLE = "middle"
    HOLDERS = "holders"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question for a relation.

    `name` is the phrase whose relations are sought; `other` a second one, as of "between A and
    B", or what goes from one to the other. `type` says what the answer is: "arbiter" in "which
    arbiter sits in"; "" where any design unit will do. `sure`, 0 to 1, is how seldom a question of
    this form means anything else. `place` says that it asks where: there the edge is stated.
    """

    sought: Sought
    name: str
    other: str = ""
    type: str = ""
    sure: float = 1.0
    place: bool = False
