"""Collects the members of a unit while a parser reads it; both tree parsers use it."""

from __future__ import annotations

from dataclasses import dataclass, field

from hdlgraph.model import (
    Assertion,
    Instance,
    Layer,
    Modport,
    Parameter,
    Port,
    Process,
    Routine,
    Signal,
    Type,
    Unit,
)
from hdlgraph.parsers import limits
from hdlgraph.parsers.finish import complete_ports, finished_instance
from hdlgraph.parsers.procedural_blocks import within


@dataclass(slots=True)
class Draft:
    """A unit while its members are read."""

    kind: str
    name: str
    line: int
    end_line: int
    comment: str = ""
    parent: str = ""
    ports: list[Port] = field(default_factory=list)
    declared_ports: list[Port] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)
    signals: list[Signal] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    types: list[Type] = field(default_factory=list)
    routines: list[Routine] = field(default_factory=list)
    modports: list[Modport] = field(default_factory=list)
    assertions: list[Assertion] = field(default_factory=list)
    imports: list[tuple[str, int]] = field(default_factory=list)
    extends: str = ""
    factory: list[tuple[str, int]] = field(default_factory=list)
    layers: tuple[str, ...] = (Layer.SLANG.value,)
    confidence: float = 0.95

    def finish(self) -> Unit:
        """Returns the unit with its names checked against its declarations."""
        ports = complete_ports(self.ports, self.declared_ports)
        port_names = {port.name for port in ports}
        signals = _merged_signals(self.signals, port_names)
        declared = port_names | {signal.name for signal in signals}
        constants = {parameter.name for parameter in self.parameters}
        known = constants | {instance.name for instance in self.instances}
        return Unit(
            kind=self.kind,
            name=self.name,
            line=self.line,
            end_line=self.end_line,
            comment=self.comment,
            parent=self.parent,
            ports=tuple(ports),
            parameters=tuple(self.parameters),
            signals=tuple(signals[: limits.SIGNALS]),
            instances=tuple(
                finished_instance(instance, declared, known) for instance in self.instances
            ),
            processes=tuple(within(p, declared) for p in self.processes[: limits.PROCESSES]),
            types=tuple(self.types),
            routines=tuple(self.routines),
            modports=tuple(self.modports),
            assertions=tuple(self.assertions),
            imports=tuple(dict.fromkeys(self.imports)),
            extends=self.extends,
            layers=self.layers,
            confidence=self.confidence,
        )


def _merged_signals(signals: list[Signal], ports: set[str]) -> list[Signal]:
    seen = set(ports)
    kept = []
    for signal in signals:
        if signal.name not in seen:
            seen.add(signal.name)
            kept.append(signal)
    return kept
