"""What classes of a testbench are to each other: who creates, overrides, starts, sends to whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from hdlgraph.model import Location
from hdlgraph.model.kinds import EdgeKind
from hdlgraph.query.verification.components import connections, made, made_class
from hdlgraph.query.verification.library import Class, Library, Placed
from hdlgraph.query.verification.types import filled, written
from hdlgraph.store.design.verification import Act

_OPEN = frozenset(("uvm_sequence_item", "uvm_transaction", "REQ", "ITEM_T"))
"""Items of bases that say nothing of what is sent."""


class Link(NamedTuple):
    """An edge between two classes with the place that says it; `kind` is that of an edge."""

    kind: str
    source: Class
    target: Class
    path: str
    line: int
    text: str

    @property
    def location(self) -> str:
        """Returns the place that says it."""
        return str(Location(self.path, self.line))


class Links:
    """All edges between the classes of a repository."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.all = tuple(self._every())
        self._into: dict[int, list[Link]] = defaultdict(list)
        self._out: dict[int, list[Link]] = defaultdict(list)
        for one in self.all:
            self._into[one.target.row].append(one)
            self._out[one.source.row].append(one)

    def into(self, one: Class) -> list[Link]:
        """Returns the edges that end at a class, by kind and place."""
        return _sorted(self._into.get(one.row, ()))

    def out(self, one: Class) -> list[Link]:
        """Returns the edges that begin at a class, by kind and place."""
        return _sorted(self._out.get(one.row, ()))

    def _every(self) -> Iterator[Link]:
        seen: set[tuple[object, ...]] = set()
        for one in self.library.all():
            for link in (*self._creates(one), *self._overrides(one), *self._sends(one)):
                key = (link.kind, link.source.row, link.target.row, link.path, link.line)
                if key not in seen:
                    seen.add(key)
                    yield link
            for link in self._starts(one):
                yield link

    def _creates(self, one: Class) -> Iterator[Link]:
        for item in made(self.library, one):
            act, scope = item.placed.act, item.placed.scope
            # What a base makes is told of a class where its own parameters choose what that is.
            if item.of.known and (scope.row == one.row or self._chosen(item.placed, item.of)):
                text = f"{item.name} = {act.right or act.local}"
                yield Link(EdgeKind.CREATES, one, item.of, scope.path, act.line, text)

    def _chosen(self, placed: Placed, of: Class) -> bool:
        own = self.library.class_at(placed.scope.row)
        return made_class(self.library, placed, own).row != of.row

    def _overrides(self, one: Class) -> Iterator[Link]:
        for act in self.library.acts(one):
            if act.kind == "override":
                target = self.library.meant(act.left, one.path, one)
                made_ = self.library.meant(act.right, one.path, one)
                if target.known and made_.known:
                    text = f"in {one.name}: {act.how}"
                    yield Link(EdgeKind.OVERRIDES, made_, target, one.path, act.line, text)

    def _sends(self, one: Class) -> Iterator[Link]:
        for joined in connections(self.library, one):
            scope = joined.placed.scope
            source, target = joined.source, joined.target
            both = source.of.known and target.of.known
            inherited = scope.row != one.row
            if both and not (inherited and self._same(joined.placed, source.of, target.of)):
                act = joined.placed.act
                text = f"{act.left} -> {act.right}"
                yield Link(EdgeKind.SENDS_TO, source.of, target.of, scope.path, act.line, text)

    def _same(self, placed: Placed, source: Class, target: Class) -> bool:
        """Returns whether a base's connection joins the same classes in the base itself."""
        own = self.library.class_at(placed.scope.row)
        ends = (self.library.walk(own, path)[0] for path in (placed.act.left, placed.act.right))
        return [end.row if end else -1 for end in ends] == [source.row, target.row]

    def _starts(self, one: Class) -> Iterator[Link]:
        for placed in self.library.placed(one, "start"):
            if placed.scope.row != one.row:
                continue
            of = started_class(self.library, placed)
            made_by_name = by_name(self.library, placed)
            named = made_by_name.classes if made_by_name else ()
            act = placed.act
            text = f"{act.left} on {sequencer_of(self.library, placed) or 'its own sequencer'}"
            text += ", made by name" if made_by_name else ""
            for each in named or ((of,) if of is not None else ()):
                if each.known and self.library.role(each)[0] == "sequence":
                    yield Link(EdgeKind.STARTS, one, each, placed.path, act.line, text)


def link_record(link: Link) -> dict[str, Any]:
    """Returns the place and the trust of an edge between classes, as records of edges have them."""
    return {
        "path": link.path,
        "line": link.line,
        "location": link.location,
        "text": link.text,
        "confidence": 1.0,
        "resolved": True,
        "witnesses": ["regex"],
        "trust": "single",
    }


def placer(library: Library, link: Link) -> Class:
    """Returns the class whose code says an OVERRIDES edge, its target where none is known."""
    name = link.text.removeprefix("in ").partition(":")[0]
    return next((one for one in library.named(name) if one.path == link.path), link.target)


def started_class(library: Library, placed: Placed) -> Class | None:
    """Returns the class of the sequence that a statement starts, None where nothing states it."""
    act, scope = placed.act, placed.scope
    if act.how == "default_sequence":
        return library.meant(act.left, placed.path, scope)
    makers = [other.right for other in _makers(library, placed) if other.right]
    if makers:
        return library.meant(makers[-1], placed.path, scope)
    if act.local:
        return library.meant(filled(act.local, library.values(scope)), placed.path, scope)
    return library.type_of(scope, act.left)


def item_of(library: Library, one: Class) -> str:
    """Returns the class of the items of a sequence, sequencer or driver, "" where it is open.

    Of an agent it is that of its sequencer.
    """
    if library.role(one)[0] == "agent":
        parts = (item.of for item in made(library, one))
        one = next((part for part in parts if library.role(part)[0] == "sequencer"), one)
    last = library.chain(one)[-1]
    if last.known or not last.name.startswith("uvm_") or not last.values:
        return ""
    given = dict(last.values)
    name = written(given.get("REQ", "") or last.values[0][1]).name
    return name if name not in _OPEN else ""


class ByName(NamedTuple):
    """How a sequence is made by name: the function, and the classes whose names stand there."""

    how: str
    classes: tuple[Class, ...]


def by_name(library: Library, placed: Placed) -> ByName | None:
    """Returns how the sequence that a statement starts is made by name, None where it is not."""
    act = placed.act
    found = [
        other
        for other in library.acts(placed.scope)
        if other.kind == "named"
        and other.left == act.left
        and other.routine == act.routine
        and other.line <= act.line
    ]
    if not found or _makers(library, placed):
        return None
    meant = (library.meant(name, placed.path) for name in found[-1].right.split(",") if name)
    known = [one for one in meant if one.known and library.role(one)[0] == "sequence"]
    return ByName(found[-1].how, tuple(known))


def sequencer_of(library: Library, placed: Placed) -> str:
    """Returns the sequencer on which a statement starts a sequence, "" where it does not say."""
    act = placed.act
    on = [other.detail for other in _makers(library, placed) if not other.right and other.detail]
    return act.right or act.detail or (on[-1] if on else "")


def _makers(library: Library, placed: Placed) -> list[Act]:
    """Returns the statements before one in its routine that create its object."""
    act = placed.act
    return [
        other
        for other in library.acts(placed.scope)
        if other.kind == "create"
        and other.left == act.left
        and other.routine == act.routine
        and other.line <= act.line
    ]


def _sorted(links: list[Link] | tuple[()]) -> list[Link]:
    order = (EdgeKind.CREATES, EdgeKind.OVERRIDES, EdgeKind.SENDS_TO, EdgeKind.STARTS)
    place = {kind: number for number, kind in enumerate(order)}
    return sorted(links, key=lambda one: (place[EdgeKind(one.kind)], one.path, one.line, one.text))
