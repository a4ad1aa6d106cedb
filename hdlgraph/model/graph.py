"""The records of the design graph: nodes, edges, names that nothing defines, and places."""

from __future__ import annotations

import msgspec


class Location(msgspec.Struct, frozen=True):
    """A place in the repository; `str()` is the only formatter of path:line."""

    path: str
    line: int = 1
    end_line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


class Node(msgspec.Struct, frozen=True):
    """A graph node. `id` is `kind:path#name`, names of nested things dotted (`unit.port`).

    `text` is its comment, `detail` how it is declared: a port's direction and type, the
    conditions around an instance, the members of a type, the arguments of a routine. `path` is ""
    where the repository defines nothing of that name. `condition` is what the `ifdefs around its
    declaration ask for, `shape` the dimensions of an array of instances; both are "" without.
    """

    id: str
    kind: str
    name: str
    path: str
    line: int
    end_line: int = 0
    text: str = ""
    origin: str = "ast"
    confidence: float = 1.0
    detail: str = ""
    condition: str = ""
    shape: str = ""


STANDS_FOR = "may stand for "
"""How the reason begins of an edge to a unit of another name than the one that stands there."""


class Edge(msgspec.Struct, frozen=True):
    """A graph edge between node ids, with the place that states it.

    `resolved` is "unique", "candidate" (one of several definitions) or "external".
    `witnesses` names the readers that saw it, strongest first, separated by "+" ("" for what no
    reader of the source says). `trust` compares them: "agreed" (two readers or more saw it),
    "disputed" (one saw it, another that read the same unit did not), "single" (one read it).
    `instance` is the id of the instance that a connection or bind belongs to, "" for other kinds.
    `direction` says what a port of that instance does with the net of a CONNECTS: "driver" (an
    output), "load" (an input), "inout", "ref", "interface" or "interface.MODPORT", else "".
    `reason` says why the target was chosen among the definitions of its name, "" for the others;
    where the target has another name than stands there, it is STANDS_FOR and that name.
    """

    source: str
    target: str
    kind: str
    path: str
    line: int
    text: str = ""
    origin: str = "ast"
    confidence: float = 1.0
    resolved: str = "unique"
    witnesses: str = ""
    trust: str = ""
    instance: str = ""
    direction: str = ""
    reason: str = ""


class Unresolved(msgspec.Struct, frozen=True):
    """A name that no file of the repository defines."""

    kind: str  # module | package | include | class | macro
    name: str
    path: str
    line: int
    user: str = ""
