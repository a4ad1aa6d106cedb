"""Completes units in the way that all parsers share: checks names, adds facts by their lines."""

from __future__ import annotations

import bisect
import heapq
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from hdlgraph.model import Assertion, Instance, Port, Unit
from hdlgraph.parsers.text.expressions import KEYWORDS
from hdlgraph.parsers.text.inventory import Inventory

_MEMBER = re.compile(r"::\s*([A-Za-z_]\w*|\*)")
_PACKAGE = re.compile(r"(?<![\w$.`:])[A-Za-z_]")
_NO_PACKAGE = frozenset({"super", "this", "local", "std", "process", "mailbox", "semaphore"})
_NO_MEMBER = frozenset({"type_id", "get_type", "get_type_name", "new", "get", "set", "this_type"})
_FACTORY = re.compile(
    r"([A-Za-z_]\w*)\s*(?:#\s*\((?:[^();]|\([^();]*\))*\))?\s*::\s*type_id\s*::\s*create\b"
)
_LOOP = re.compile(r"for \w+ =")
_DATA_TYPE_NAME = re.compile(r"_(?:t|e|s|u|type|pkt|enum|struct)$", re.IGNORECASE)
_SIMPLE = re.compile(r"[A-Za-z_][\w$]*")


def finished_instance(
    instance: Instance, declared: Collection[str], constants: Collection[str]
) -> Instance:
    """Returns an instance whose connections name only signals of its parent.

    A lone name that nothing declares is an implicit net and stays.
    """
    connections = []
    genvars = {
        scope.condition.split()[1] for scope in instance.scopes if _LOOP.match(scope.condition)
    }
    for item in instance.connections:
        lone = bool(_SIMPLE.fullmatch(item.expr))
        kept = tuple(
            name
            for name in item.signals
            if name in declared or (lone and name not in constants and name not in genvars)
        )
        connections.append(
            item if kept == item.signals else msgspec.structs.replace(item, signals=kept)
        )
    return msgspec.structs.replace(instance, connections=tuple(connections))


def complete_ports(
    header_ports: list[Port],
    declared: Iterable[Port],
    inner: Mapping[str, Sequence[str]] | None = None,
) -> list[Port]:
    """Returns header ports with direction, type and comment taken from body declarations.

    `inner` are the names inside the unit of ports that have another outside: the first one tells
    the direction, and the type where there is no other.
    """
    declared_as = {port.name: port for port in declared}
    by_name = dict(declared_as)
    for name, inside in (inner or {}).items():
        first = declared_as.get(inside[0]) if inside else None
        if first is not None and inside != [name]:
            kind = first.type if len(inside) == 1 else ""
            by_name[name] = msgspec.structs.replace(first, name=name, type=kind, line=0)
    if not by_name:
        return header_ports
    return [
        Port(
            name=port.name,
            direction=other.direction,
            type=other.type,
            line=other.line or port.line,
            comment=other.comment or port.comment,
            witnesses=port.witnesses | other.witnesses,
        )
        if not port.direction and (other := by_name.get(port.name))
        else port
        for port in header_ports
    ]


def direction_of(kind: str, former: str) -> str:
    """Returns the direction of an ANSI port that is written with a type and no direction.

    Without a direction a plain name is an interface or a type; only elaboration knows which, and
    names of types mostly end as `_t`. `former` is the direction of the port before it, which a
    port with a type inherits unless that is an interface.
    """
    # A name with packed dimensions, `word_t [3:0]`, is no interface.
    is_name = bool(_SIMPLE.fullmatch(kind)) and kind not in KEYWORDS
    if is_name and not _DATA_TYPE_NAME.search(kind):
        return "interface"
    return former if former not in ("", "interface") else "inout"


class Enclosing:
    """Finds the smallest unit around a line among many; of equal ones the last."""

    def __init__(self, units: Sequence[Unit]) -> None:
        begins: dict[int, list[int]] = {}
        for i, unit in enumerate(units):
            if unit.end_line >= unit.line:
                begins.setdefault(unit.line, []).append(i)
        self._lines = sorted({*begins, *(unit.end_line + 1 for unit in units)})
        self._owners: list[int] = []
        around: list[tuple[int, int, int]] = []  # lines of a unit, its index negated, its end
        for line in self._lines:
            for i in begins.get(line, ()):
                heapq.heappush(around, (units[i].end_line - line, -i, units[i].end_line))
            while around and around[0][2] < line:
                heapq.heappop(around)
            self._owners.append(-around[0][1] if around else -1)

    def at(self, line: int) -> int:
        """Returns the index of the unit, or -1."""
        at = bisect.bisect_right(self._lines, line) - 1
        return self._owners[at] if at >= 0 else -1


def assign_by_line(
    units: Sequence[Unit], inventory: Inventory
) -> tuple[list[Unit], list[tuple[str, int]]]:
    """Returns units with their package uses, factory uses and macro assertions.

    The second value lists (package, line) uses outside of any unit.
    """
    imports: dict[int, dict[str, int]] = {}
    factory: dict[int, list[tuple[str, int]]] = {}
    checks: dict[int, list[Assertion]] = {}
    enclosing = Enclosing(units)
    for name, line in _package_uses(inventory):
        imports.setdefault(enclosing.at(line), {}).setdefault(name, line)
    code = inventory.source.code
    if "type_id" in code:
        for name, at in _factory_uses(code):
            line = inventory.source.line_of(at)
            factory.setdefault(enclosing.at(line), []).append((name, line))
    for check in inventory.checks:
        checks.setdefault(enclosing.at(check.line), []).append(check)
    done = []
    for i, unit in enumerate(units):
        used, made, asserted = imports.get(i, {}), factory.get(i, []), checks.get(i, [])
        if not (used or made or asserted):
            done.append(unit)
            continue
        known = {name for name, _ in unit.imports}
        extra = tuple((name, line) for name, line in used.items() if name not in known)
        done.append(
            msgspec.structs.replace(
                unit,
                imports=unit.imports + extra,
                factory=unit.factory + tuple(made),
                assertions=_merged(unit.assertions, asserted),
            )
        )
    return done, list(imports.get(-1, {}).items())


def _factory_uses(code: str) -> Iterator[tuple[str, int]]:
    """Yields (class, offset) of what UVM's factory makes: `CLASS::type_id::create`."""
    at = 0
    while (found := code.find("type_id", at)) >= 0:  # few statements hold it: only those are read
        begin, end = max(code.rfind(";", 0, found) + 1, at), code.find(";", found)
        at = end if end >= 0 else len(code)
        yield from ((one[1], one.start()) for one in _FACTORY.finditer(code, begin, at))


def _package_uses(inventory: Inventory) -> list[tuple[str, int]]:
    code, line_of = inventory.source.code, inventory.source.line_of
    found, done = [], 0
    for match in _MEMBER.finditer(code) if "::" in code else ():
        # Backwards from the colons: most names of a text stand before none.
        end = match.start()
        while end > done and code[end - 1].isspace():
            end -= 1
        at = end
        while at > done and (code[at - 1].isalnum() or code[at - 1] == "_"):
            at -= 1
        if at < end and _PACKAGE.match(code, at):
            done = match.end()
            name = code[at:end]
            if name not in _NO_PACKAGE and match[1] not in _NO_MEMBER:
                found.append((name, line_of(at)))
    return found


def _merged(found: tuple[Assertion, ...], more: list[Assertion]) -> tuple[Assertion, ...]:
    seen = {(item.name, item.line) for item in found}
    extra = [item for item in more if (item.name, item.line) not in seen]
    return tuple(sorted((*found, *extra), key=lambda item: (item.line, item.name)))
