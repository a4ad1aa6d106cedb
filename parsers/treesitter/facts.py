"""What the tree-sitter reader finds in one file, before it is given to units by line."""

from __future__ import annotations

from dataclasses import dataclass, field

from hdlgraph.model import (
    Bind,
    Instance,
    Modport,
    Parameter,
    Port,
    Process,
    Routine,
    Signal,
    Type,
)


@dataclass(slots=True)
class TreeUnit:
    """A unit that has a node of its own."""

    kind: str
    name: str
    line: int
    end_line: int
    parent: str
    extends: str = ""


@dataclass(slots=True)
class TreeFacts:
    """Facts of one tree, each with its line; `errors` counts the nodes that did not parse."""

    units: list[TreeUnit] = field(default_factory=list)
    ports: list[Port] = field(default_factory=list)
    port_names: list[tuple[str, int]] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)
    signals: list[Signal] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    types: list[Type] = field(default_factory=list)
    routines: list[Routine] = field(default_factory=list)
    modports: list[Modport] = field(default_factory=list)
    imports: list[tuple[str, int]] = field(default_factory=list)
    binds: list[Bind] = field(default_factory=list)
    errors: int = 0
