"""The components below a class by factory creation, and how their ports are connected (TLM)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from hdlgraph.model import Location
from hdlgraph.query.verification.library import Class, Library, Placed
from hdlgraph.query.verification.roles import COMPONENTS, role_of

DEPTH = 12
NODES = 2000
"""Components of one tree."""
_PORT = re.compile(r"port|export|imp|fifo|socket")
_TLM = re.compile(
    r"^(?:uvm|tlm|ovm)_\w*(?:port|export|imp|fifo|socket)|_imp\w*$|_port$|_export$|_fifo$"
)
_INDEX = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]")


class Made(NamedTuple):
    """An object that the factory makes: its variable, its class, and the statement."""

    name: str
    of: Class
    placed: Placed
    many: bool

    @property
    def location(self) -> Location:
        """Returns where it is made."""
        return Location(self.placed.path, self.placed.act.line)


def made(library: Library, one: Class) -> list[Made]:
    """Returns what the code of a class and of its bases makes by the factory, the bases first.

    What a class makes under a name takes the place of what a base made there.
    """
    found: dict[str, list[Made]] = {}
    for placed in library.placed(one, "create"):
        item = _made(library, placed)
        if item is None:
            continue
        earlier = found.get(item.name, [])
        if earlier and earlier[0].placed.scope.row != placed.scope.row:
            found[item.name] = [item]
        elif all(other.of != item.of for other in earlier):
            found.setdefault(item.name, []).append(item)
    return [item for items in found.values() for item in items]


def _made(library: Library, placed: Placed) -> Made | None:
    act = placed.act
    of = made_class(library, placed, placed.scope)
    bare = _INDEX.sub("", act.left).removeprefix("this.")
    detail = act.detail if act.right else ""
    name = bare or detail or of.name
    many = bare != act.left.removeprefix("this.") or "*" in detail
    return Made(name, of, placed, many) if of.name else None


def made_class(library: Library, placed: Placed, scope: Class) -> Class:
    """Returns the class of what a statement makes, with the parameters of a scope; or none."""
    act = placed.act
    if act.right or act.local:
        return library.meant(act.right or act.local, placed.path, scope)
    return library.type_of(scope, act.left) or Class("", "", 0)


def is_component(library: Library, of: Class) -> bool:
    """Returns whether objects of a class are components of a testbench."""
    return library.role(of)[0] in COMPONENTS


def tree(library: Library, one: Class) -> dict[str, Any]:
    """Returns the components below a class: `{name, class, role, location, children ...}`."""
    left = [NODES]
    return _node(library, one, one.name, frozenset(), left)


def _node(
    library: Library, one: Class, name: str, above: frozenset[int], left: list[int]
) -> dict[str, Any]:
    role, by = library.role(one)
    node: dict[str, Any] = {
        "name": name,
        "class": one.name,
        "role": role,
        "role_by": by,
        "location": str(Location(one.path, one.line)) if one.known else "",
        "children": [],
    }
    if not one.known or one.row in above or len(above) >= DEPTH:
        return node
    for item in made(library, one):
        if not is_component(library, item.of) or left[0] <= 0:
            continue
        left[0] -= 1
        child = _node(library, item.of, item.name, above | {one.row}, left)
        child["created"] = str(item.location)
        child["many"] = item.many
        node["children"].append(child)
    return node


class End(NamedTuple):
    """One end of a TLM connection: the path of the component, its class, and the port in it."""

    component: str
    of: Class
    port: str
    type: str

    def to_dict(self) -> dict[str, Any]:
        """Returns the end as JSON has it."""
        place = str(Location(self.of.path, self.of.line)) if self.of.known else ""
        return {
            "component": self.component,
            "class": self.of.name,
            "location": place,
            "port": self.port,
            "type": self.type,
        }


class Joined(NamedTuple):
    """A TLM connection: where it is made and its two ends."""

    placed: Placed
    source: End
    target: End

    def to_dict(self) -> dict[str, Any]:
        """Returns the connection as JSON has it."""
        return {
            "from": self.source.to_dict(),
            "to": self.target.to_dict(),
            "location": str(Location(self.placed.path, self.placed.act.line)),
        }


def connections(library: Library, one: Class, own: bool = False) -> Iterator[Joined]:
    """Yields the TLM connections that a class and its bases make, the bases first.

    Args:
        library: the classes.
        one: the class.
        own: whether those of the class itself alone count.
    """
    for placed in library.placed(one, "connect"):
        if own and placed.scope.row != one.row:
            continue
        scope = placed.scope if own else one
        source = _end(library, scope, placed.act.left)
        target = _end(library, scope, placed.act.right)
        if source and target:
            yield Joined(placed, source, target)


def _end(library: Library, scope: Class, path: str) -> End | None:
    at, steps, rest = library.walk(scope, path)
    if at is None or not rest or len(rest) > 3:
        return _sequencer_end(library, scope, path) if not rest else None
    declared = library.member(at, rest[0].partition("[")[0])
    kind = ""
    if declared:
        kind = declared[0].type
        base = library.meant(kind, declared[1].path, declared[1])
        kind = base.name if not base.known else kind
        if not base.known and len(rest) > 1 and role_of([base.name], False)[0] in COMPONENTS:
            return End(".".join([*steps, rest[0]]), base, ".".join(rest[1:]), "")
    names = [_INDEX.sub("", one) for one in rest]
    if not (_TLM.search(kind) or _PORT.search(names[-1])):
        return None
    return End(".".join(steps) or "this", at, ".".join(rest), kind)


def _sequencer_end(library: Library, scope: Class, path: str) -> End | None:
    """Returns the end of a path that is a class of the repository itself, such as a FIFO's."""
    at, steps, _ = library.walk(scope, path)
    if at is None or not steps:
        return None
    chain = [link.name for link in library.chain(at)]
    if not any(_TLM.search(name) for name in chain):
        return None
    head = ".".join(steps[:-1])
    holder = library.type_of(scope, head) if head else scope
    return End(head or "this", holder or scope, steps[-1], at.name)
