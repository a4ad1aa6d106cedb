"""The kinds of nodes and edges that a design graph may have, each declared once.

A declaration says how the kind is called on disk and by people, its colour in pictures, and how
search and GraphRAG treat it; every module that needs one of these takes it from here. A package
other than hdlgraph adds kinds of its own with `add_entity` and `add_relation`, at the import of
a module that it names in the entry point group `hdlgraph.kinds`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Literal

ENTRY_POINTS = "hdlgraph.kinds"
"""Group of the entry points whose modules declare kinds of other packages."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")
_COLOUR = re.compile(r"#[0-9a-f]{6}")


@dataclass(frozen=True, slots=True)
class Entity:
    """A kind of node.

    Args:
        name: as it stands in the graph's tables.
        colour: of such a node in a picture, `#rrggbb`.
        section: the list of `show` in which a unit or file names those that it declares; "" for
            kinds that it does not list.
        is_unit: whether it is a design unit, something that files define and others refer to.
        is_named: whether a name that a user types may mean it.
        walked_as: how an edge that begins or ends at such a node counts between files: as one of
            the node itself ("unit"), of the unit that declares it ("owner"), of the whole file
            ("file"), or not at all ("").
    """

    name: str
    colour: str = "#8a8f98"
    section: str = ""
    is_unit: bool = False
    is_named: bool = True
    walked_as: Literal["unit", "owner", "file", ""] = ""

    @property
    def label(self) -> str:
        """Returns the name with a capital letter, such as the label of a node in Neo4j."""
        return self.name.capitalize()


@dataclass(frozen=True, slots=True)
class Relation:
    """A kind of edge, which leads from its source to its target.

    Args:
        name: as it stands in the graph's tables.
        forward: what the source does to the target: "instantiates".
        backward: what the target is to the source: "instantiated by".
        colour: of such an edge in a picture, `#rrggbb`.
        weight: how much of a neighbouring file's score crosses such an edge in search, 0 to 1;
            with 0 search does not walk it.
        cost: of a step along such an edge in `path`, from 1; 0 leaves it out. The hierarchy comes
            before mentions; that two units are about one concept says least.
        is_use: whether the source counts as a user of the target, whom `who` lists.
        is_below: whether the target lies below the source in the hierarchy of the design.
        is_part: whether the target is a part of the source: where the target is no entity of
            GraphRAG, its edges count as those of the source.
    """

    name: str
    forward: str
    backward: str
    colour: str = "#8a8f98"
    weight: float = 0.0
    cost: int = 5
    is_use: bool = True
    is_below: bool = False
    is_part: bool = False

    def words(self, forward: bool) -> str:
        """Returns what an edge says, read from its source (`forward`) or from its target."""
        return self.forward if forward else self.backward

    @property
    def is_walked(self) -> bool:
        """Returns whether search goes from file to file along such edges."""
        return self.weight > 0


_ENTITIES: dict[str, Entity] = {}
_RELATIONS: dict[str, Relation] = {}


def add_entity(kind: Entity) -> Entity:
    """Adds a kind of node, after those that there are; returns it.

    Raises:
        ValueError: its name or colour is malformed, or another kind has its name.
    """
    _check(kind.name, kind.colour)
    if _ENTITIES.setdefault(kind.name, kind) != kind:
        raise ValueError(f"entity kind {kind.name!r} is declared twice; give one another name")
    return kind


def add_relation(kind: Relation) -> Relation:
    """Adds a kind of edge, after those that there are; returns it.

    Raises:
        ValueError: its name, colour or weight is malformed, or another kind has its name.
    """
    _check(kind.name, kind.colour)
    if not 0 <= kind.weight <= 1:
        raise ValueError(f"relation kind {kind.name!r}: weight {kind.weight} is not in 0 to 1")
    if _RELATIONS.setdefault(kind.name, kind) != kind:
        raise ValueError(f"relation kind {kind.name!r} is declared twice; give one another name")
    return kind


def _check(name: str, colour: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"kind {name!r}: a name has 1 to 40 letters, digits and underscores")
    if not _COLOUR.fullmatch(colour):
        raise ValueError(f"kind {name!r}: colour {colour!r} is not of the form #rrggbb")


class NodeKind(StrEnum):
    """The kinds of nodes of hdlgraph itself; a name means one of an earlier kind before others."""

    def __new__(cls, kind: Entity) -> NodeKind:
        """Returns the member whose value is the kind's name."""
        member = str.__new__(cls, add_entity(kind).name)
        member._value_ = kind.name
        return member

    CHECKER = Entity("checker", "#9c6b30", "units", is_unit=True, walked_as="unit")
    CLASS = Entity("class", "#7b4fa3", "units", is_unit=True, walked_as="unit")
    INTERFACE = Entity("interface", "#1f8a70", "units", is_unit=True, walked_as="unit")
    MODULE = Entity("module", "#0b57b0", "units", is_unit=True, walked_as="unit")
    PACKAGE = Entity("package", "#b4480a", "units", is_unit=True, walked_as="unit")
    PRIMITIVE = Entity("primitive", "#5f6c7b", "units", is_unit=True, walked_as="unit")
    PROGRAM = Entity("program", "#3d7ea6", "units", is_unit=True, walked_as="unit")
    FILE = Entity("file", "#6b7280", walked_as="file")
    MACRO = Entity("macro", "#a3324f", "macros", walked_as="file")
    TYPE = Entity("type", "#4f7f2f", "types", walked_as="owner")
    PARAMETER = Entity("parameter", "#8f7a1f", "parameters")
    FUNCTION = Entity("function", "#2f7f7f", "routines")
    TASK = Entity("task", "#2f6f8f", "routines")
    PORT = Entity("port", "#4a90c2", "ports")
    SIGNAL = Entity("signal", "#7fa7c7")
    INSTANCE = Entity("instance", "#5b8def", "instances")
    CONCEPT = Entity("concept", "#c2528b")
    EXPLANATION = Entity("explanation", "#9aa0a6", is_named=False)


class EdgeKind(StrEnum):
    """The kinds of edges of hdlgraph itself, in the order in which `who` lists uses."""

    def __new__(cls, kind: Relation) -> EdgeKind:
        """Returns the member whose value is the kind's name."""
        member = str.__new__(cls, add_relation(kind).name)
        member._value_ = kind.name
        return member

    DEFINES = Relation(
        "DEFINES", "defines", "defined by", "#6b7280", cost=2, is_use=False, is_part=True
    )
    INSTANTIATES = Relation(
        "INSTANTIATES", "instantiates", "instantiated by", "#0b57b0", 1.0, 2, is_below=True
    )
    BINDS = Relation("BINDS", "binds", "bound into", "#3d7ea6", 0.8, 2, is_below=True)
    # Imports reach hubs and say little.
    IMPORTS = Relation("IMPORTS", "imports", "imported by", "#b4480a", 0.2, 3)
    INCLUDES = Relation("INCLUDES", "includes", "included by", "#a3324f", 0.4, 3)
    EXTENDS = Relation("EXTENDS", "extends", "extended by", "#7b4fa3", 0.6, 2)
    USES = Relation("USES", "uses", "used by", "#4f7f2f", 0.2)
    # Search does not walk it: a macro that many files test does not join them.
    GUARDED_BY = Relation("GUARDED_BY", "has code guarded by", "guards code of", "#a3324f")
    CONNECTS = Relation("CONNECTS", "connects to", "connected from", "#4a90c2", cost=2)
    PARAMETERIZES = Relation(
        "PARAMETERIZES", "parameterizes", "parameterized by", "#8f7a1f", cost=3
    )
    CREATES = Relation("CREATES", "creates", "created by", "#6d4bb0", cost=2, is_below=True)
    OVERRIDES = Relation("OVERRIDES", "overrides", "overridden by", "#a3324f", cost=3)
    SENDS_TO = Relation("SENDS_TO", "sends to", "receives from", "#2f7f7f", cost=2)
    STARTS = Relation("STARTS", "starts", "started by", "#b4480a", cost=3)
    # Of a technology map: the module takes the place of the cell.
    MAPS = Relation("MAPS", "maps", "mapped by", "#3d7ea6", cost=3)
    IMPLEMENTS = Relation("IMPLEMENTS", "implements", "implemented by", "#c2528b", cost=20)
    DESCRIBED_BY = Relation(
        "DESCRIBED_BY", "described by", "describes", "#9aa0a6", cost=0, is_use=False, is_part=True
    )


UNIT_KINDS = frozenset(kind for kind in NodeKind if _ENTITIES[kind].is_unit)
"""The design units of hdlgraph itself."""
_OWN = (frozenset(_ENTITIES), frozenset(_RELATIONS))


def entities() -> tuple[Entity, ...]:
    """Returns all kinds of nodes: those of hdlgraph, then those added, in their order."""
    return tuple(_ENTITIES.values())


def relations() -> tuple[Relation, ...]:
    """Returns all kinds of edges: those of hdlgraph, then those added, in their order."""
    return tuple(_RELATIONS.values())


def entity(name: str) -> Entity:
    """Returns a kind of node; for a name that nothing declares a kind with plain words."""
    found = _ENTITIES.get(name)
    if found is None:
        _load_entry_points()
        found = _ENTITIES.get(name)
    return found or Entity(name)


def relation(name: str) -> Relation:
    """Returns a kind of edge; for a name that nothing declares a kind with plain words."""
    found = _RELATIONS.get(name)
    if found is None:
        _load_entry_points()
        found = _RELATIONS.get(name)
    words = name.lower().replace("_", " ")
    return found or Relation(name, words, f"{words} from")


def is_declared(relation: str) -> bool:
    """Returns whether a kind of edge of that name is declared."""
    return relation in _RELATIONS


def is_declared_elsewhere(entity: str) -> bool:
    """Returns whether another package declared a kind of node."""
    return entity in _ENTITIES and entity not in _OWN[0]


def added_kinds() -> tuple[Entity | Relation, ...]:
    """Returns the declarations that are not hdlgraph's own, nodes before edges, by name."""
    own_entities, own_relations = _OWN
    return (
        *(kind for name, kind in sorted(_ENTITIES.items()) if name not in own_entities),
        *(kind for name, kind in sorted(_RELATIONS.items()) if name not in own_relations),
    )


def add_kinds(kinds: Iterable[Entity | Relation]) -> None:
    """Adds kinds of another process: what `added_kinds` returned there."""
    for kind in kinds:
        if isinstance(kind, Entity):
            add_entity(kind)
        else:
            add_relation(kind)


def added() -> tuple[str, ...]:
    """Returns the declarations that are not hdlgraph's own as text: a part of cache keys."""
    return tuple(map(repr, added_kinds()))


@cache
def _load_entry_points() -> None:
    """Imports the modules of other installed packages that declare kinds, once."""
    from hdlgraph.safety import plugins

    for name, _ in plugins.installed(ENTRY_POINTS):
        plugins.find(name)
