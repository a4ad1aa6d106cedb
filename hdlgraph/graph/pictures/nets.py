"""The nets of a unit: what drives each and what reads it, instances, ports and logic alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.graph.pictures.actuals import head_names
from hdlgraph.model import Connection, EdgeKind, NodeKind, Unit
from hdlgraph.model import Instance as Told

WAYS = frozenset({"input", "output", "inout"})
HUB = "hub"
"""The way of a pin at the instance that a net is itself: an interface."""
UNKNOWN = "unknown"
"""The way of a pin of a unit that the repository does not have and whose name tells nothing."""
OWN, LOGIC = -1, -2
"""Stand for the ports of the unit itself, and for its logic, in place of an instance's number."""


class Instance(NamedTuple):
    """An instance in a unit; `unit` is the row of the likeliest unit, -1 where none is known.

    `ports` are the directions of that unit's ports, in their order: those of a unit that may stand
    for it where it is not in the repository. `bound_in` is the file of the `bind` that adds the
    instance, "" for one of the unit's own.
    """

    name: str
    unit: int
    unit_name: str
    line: int
    condition: str
    ports: Mapping[str, str]
    bound_in: str = ""


class Pin(NamedTuple):
    """Where a net meets something: `owner` is the number of an instance, or OWN, or LOGIC.

    `way` is the direction of the port: input, output or inout (also of interfaces), HUB or UNKNOWN.
    `expr` is the actual as written.
    """

    owner: int
    port: str
    way: str
    expr: str


class Net(NamedTuple):
    """A port or signal of a unit with all pins that it is connected to."""

    name: str
    type: str
    pins: tuple[Pin, ...]


def instances_of(graph: Graph, row: int, unit: Unit) -> list[Instance]:
    """Returns the instances in a unit, in the order of its facts."""
    nodes, edges = graph.nodes, graph.edges
    kinds, targets = edges.column("kind"), edges.column("target")
    rows: dict[tuple[str, int], int] = {}
    for one in _defined(graph, row, NodeKind.INSTANCE.value):
        rows.setdefault((nodes.column("name")[one], nodes.column("line")[one]), one)
    directions: dict[int, dict[str, str]] = {}
    found = []
    for instance in unit.instances:
        labels = [one.label for one in instance.scopes if one.kind == "generate" and one.label]
        name = ".".join([*labels, instance.name or f"{instance.unit}@{instance.line}"])
        at = rows.get((f"{unit.name}.{name}", instance.line), -1)
        units = [] if at < 0 else [
            targets[edge]
            for edge in graph.out_edges(at).tolist()
            if kinds[edge] == EdgeKind.INSTANTIATES.value
        ]  # fmt: skip
        for one in units:
            if one not in directions:
                directions[one] = directions_of(graph, one)
        ports = next((directions[one] for one in units if directions[one]), {})
        condition = nodes.column("detail")[at] if at >= 0 else ""
        first = units[0] if units else -1
        found.append(Instance(name, first, instance.unit, instance.line, condition, ports))
    return found


def nets_of(unit: Unit, instances: Sequence[Instance]) -> list[Net]:
    """Returns the nets of a unit in the order of their declarations."""
    types = {port.name: f"{port.direction} {port.type}".strip() for port in unit.ports}
    for signal in unit.signals:
        types.setdefault(signal.name, signal.type)
    own = set(types)
    for one in unit.instances:  # an interface is an instance and a net
        types.setdefault(one.name, one.unit)
    pins: dict[str, dict[Pin, None]] = {name: {} for name in types}
    for number, one in enumerate(unit.instances):
        if one.name not in own:
            pins[one.name][Pin(number, "", HUB, one.name)] = None
    for port in unit.ports:
        pins[port.name][Pin(OWN, port.name, way_of(port.direction), port.name)] = None
    for number, (declared, instance) in enumerate(zip(unit.instances, instances, strict=True)):
        for name, pin in _pins(declared, instance, number, types):
            pins[name][pin] = None
    for process in unit.processes:
        for names, way in ((process.writes, "output"), (process.reads, "input")):
            for name in names:
                head = name.partition(".")[0].partition("[")[0]
                if head in pins:
                    pins[head][Pin(LOGIC, "", way, name)] = None
    return [Net(name, types[name], tuple(found)) for name, found in pins.items() if found]


def way_of(direction: str) -> str:
    """Returns input, output or inout of a port's direction."""
    return direction if direction in WAYS else "inout"


def _pins(
    declared: Told, instance: Instance, number: int, known: Mapping[str, str]
) -> Iterator[tuple[str, Pin]]:
    """Yields (net, pin) for the connections of an instance."""
    explicit = {one.port for one in declared.connections}
    order = list(instance.ports)
    for one in declared.connections:
        if one.port == "*":
            for port, way in instance.ports.items():
                if port in known and port not in explicit:
                    yield port, Pin(number, port, way, port)
            continue
        port = one.port
        if not port and 0 <= one.position < len(order):
            port = order[one.position]
        # The ports of a checker are called as what they look at: `tl_o` of one is no output.
        guessed = UNKNOWN if instance.bound_in else _guessed(port)
        way = instance.ports.get(port) or guessed
        for name in _heads(one, known):
            if name != declared.name:
                yield name, Pin(number, port, way, one.expr)


def _heads(one: Connection, known: Mapping[str, str]) -> list[str]:
    names = [signal.partition(".")[0] for signal in one.signals]
    found = [name for name in head_names(one.expr, names) if name in known]
    # Readers do not count interfaces as signals.
    return found or [name for name in head_names(one.expr) if name in known]


def _guessed(port: str) -> str:
    """Returns the direction of a port of an unknown unit, by how its name ends."""
    last = port.rpartition("_")[2].lower()
    if last in ("i", "in", "ni", "pi", "d") or port.startswith("i_"):
        return "input"
    return "output" if last in ("o", "out", "no", "po", "q") or port.startswith("o_") else UNKNOWN


def directions_of(graph: Graph, unit: int) -> dict[str, str]:
    """Returns port -> direction of a unit, in the order of its ports."""
    names, details = graph.nodes.column("name"), graph.nodes.column("detail")
    return {
        names[port].rpartition(".")[2]: way_of(details[port].partition(" ")[0])
        for port in _defined(graph, unit, NodeKind.PORT.value)
    }


def _defined(graph: Graph, unit: int, wanted: str) -> Iterator[int]:
    """Yields the rows of the parts of a unit that are of a kind."""
    kinds, targets = graph.edges.column("kind"), graph.edges.column("target")
    of_kind = graph.nodes.column("kind")
    for edge in graph.out_edges(unit).tolist():
        if kinds[edge] == EdgeKind.DEFINES.value and of_kind[targets[edge]] == wanted:
            yield targets[edge]
