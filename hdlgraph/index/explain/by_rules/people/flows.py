"""Says which inputs the outputs of a unit are made of, where its code proves it.

The way back from an output leads through the processes that write a name to the names that they
read, and on from these. It is told only where every step is known: each process on it writes one
name, and nothing on it comes from an instance, an interface or from outside.
"""

from __future__ import annotations

from collections import defaultdict

from hdlgraph.index.explain.by_rules.protocols import is_proven_timing
from hdlgraph.index.explain.by_rules.sentences import Sentence, grouped
from hdlgraph.model import Process, Unit

GROUPS = 3
"""Sentences of one unit on what its outputs are made of."""
NAMES = 6
KEPT = 8
"""Registers of one sentence."""
STEPS = 400
"""Names that are followed from one output."""


def logic_of(unit: Unit) -> list[Sentence]:
    """Returns which outputs are made of which inputs, and which registers a unit has.

    Of the others it is said that they are driven, and where that is known of none which inputs are
    read at all.
    """
    known = _Flow(unit)
    by_source: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in known.outputs:
        by_source[known.sources(name)].append(name)
    rest = by_source.pop((), [])
    chosen = sorted(by_source.items(), key=lambda one: -len(one[1]))[:GROUPS]
    out: list[Sentence] = [
        ("computes ", *grouped(outputs, NAMES), " from ", *grouped(sources, NAMES))
        for sources, outputs in chosen
    ]
    if rest and not out and not known.through:
        read = known.read()
        reads = ("reads ", *grouped(read, NAMES), " and ") if read else ()
        out.append((*reads, "drives ", *grouped(rest, NAMES)))
    elif rest and out and not known.through:
        out.append(("drives ", *grouped(rest, NAMES)))
    kept = [name for process in unit.processes if process.clocks for name in process.writes]
    plain = [name for name in kept if name not in known.outputs]
    return [*out, ("keeps in registers ", *grouped(plain, KEPT))] if plain else out


class _Flow:
    """The way from inputs to outputs inside one unit.

    Args:
        unit: whose processes are followed.
    """

    def __init__(self, unit: Unit) -> None:
        self._inputs = [p.name for p in unit.ports if p.direction == "input"]
        self._writers: dict[str, list[Process]] = defaultdict(list)
        self._timing: set[str] = set()
        self._processes = unit.processes
        fields: set[str] = set()
        for process in unit.processes:
            self._timing |= {clock for _, clock in process.clocks} | set(process.resets)
            for name in dict.fromkeys(process.writes):
                base, dot, _ = name.partition(".")
                self._writers[base].append(process)
                fields |= {base} if dot else set()
        self.through = any(p.direction not in ("input", "output") for p in unit.ports)
        outputs = [p.name for p in unit.ports if p.direction == "output"]
        self.outputs = [name for name in outputs if name in self._writers]
        split = {name for name, given in self._writers.items() if len(given) > 1}
        declared = {p.name for p in unit.ports} | {signal.name for signal in unit.signals}
        self._unknown = declared - set(self._inputs) - set(self._writers)
        self._unknown |= {p.name for p in unit.ports if p.direction not in ("input", "output")}
        self._inner = fields | split
        for instance in unit.instances:
            for pin in instance.connections:
                self._unknown.update(set(pin.signals) - set(self._inputs))

    def read(self) -> list[str]:
        """Returns the inputs that processes read, clocks and resets left out."""
        found = {name.partition(".")[0] for one in self._processes for name in one.reads}
        return [name for name in self._inputs if name in found and not self._is_timing(name)]

    def _is_timing(self, name: str) -> bool:
        return name in self._timing or is_proven_timing(name)

    def sources(self, output: str) -> tuple[str, ...]:
        """Returns the inputs that an output is made of, () where a step of the way is not known."""
        found, front = {output}, [output]
        while front:
            name = front.pop()
            given = self._writers.get(name, ())
            unknown = name in self._unknown or (name in self._inner and name != output)
            if unknown or len(found) > STEPS:
                return ()
            for process in given:
                if len({one.partition(".")[0] for one in process.writes}) > 1:
                    return ()
                read = {one.partition(".")[0] for one in process.reads} - found
                found |= read
                front += sorted(read)
        return tuple(name for name in self._inputs if name in found and not self._is_timing(name))
