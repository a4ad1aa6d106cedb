"""Collects the members of a unit while a parser reads it; both tree parsers use it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from hdlgraph.model import (
    Assertion,
    Defparam,
    Gate,
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
from hdlgraph.parsers.late import (
    assigned_whole,
    implicit_nets,
    uses_of,
    with_defparams,
    with_exports,
)
from hdlgraph.parsers.procedural_blocks import within

_HOLDERS = frozenset({"module", "interface", "program"})
"""Kinds of units in which a use may declare a net."""


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
    inner_names: dict[str, list[str]] = field(default_factory=dict)
    """The names inside the unit of ports that have another: `.i({p, q})`."""
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
    gates: list[Gate] = field(default_factory=list)
    defparams: list[Defparam] = field(default_factory=list)
    exports: list[tuple[str, str]] = field(default_factory=list)
    """Routines that C may call: name, name in C."""
    base_parameters: tuple[tuple[str, str], ...] = ()
    implements: list[str] = field(default_factory=list)
    others: set[str] = field(default_factory=set)
    """Names that are declared and are no signals, such as those of genvars."""
    all_names: bool = False
    """Whether an import takes all names of a package."""
    layers: tuple[str, ...] = (Layer.SLANG.value,)
    confidence: float = 0.95

    def finish(
        self,
        known: Collection[str] | None = None,
        text: Callable[[int, int], str] = lambda first, last: "",
    ) -> Unit:
        """Returns the unit with its names checked against its declarations.

        Args:
            known: names that are declared outside of the unit; None where an undeclared name is no
                implicit net, or where that cannot be told.
            text: returns the code from a first to a last line.
        """
        ports = complete_ports(self.ports, self.declared_ports, self.inner_names)
        signals = _merged_signals([*self._inner_signals(ports), *self.signals], ports)
        declared = {port.name for port in ports} | {signal.name for signal in signals}
        constants = {parameter.name for parameter in self.parameters}
        named = constants | {instance.name for instance in self.instances}
        instances = [
            finished_instance(instance, declared, named)
            for instance in with_defparams(self.instances, self.defparams)
        ]
        if known is not None and not self.all_names and self.kind in _HOLDERS:
            nets = self._nets(declared | named | self._others() | set(known), text)
            signals += nets
            declared |= {net.name for net in nets}
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
            instances=tuple(instances),
            processes=tuple(within(p, declared) for p in self.processes[: limits.PROCESSES]),
            types=tuple(self.types),
            routines=with_exports(self.routines, self.exports),
            modports=tuple(self.modports),
            assertions=tuple(self.assertions),
            imports=tuple(dict.fromkeys(self.imports)),
            extends=self.extends,
            layers=self.layers,
            confidence=self.confidence,
            gates=tuple(self.gates),
            defparams=tuple(self.defparams),
            base_parameters=self.base_parameters,
            implements=tuple(self.implements),
        )

    def _inner_signals(self, ports: list[Port]) -> list[Signal]:
        """Returns the signals behind ports that have another name inside the unit."""
        outer = {port.name for port in ports}
        inner = {name for names in self.inner_names.values() for name in names} - outer
        return [
            Signal(port.name, port.type, port.line, port.comment, port.condition)
            for port in self.declared_ports
            if port.name in inner
        ]

    def _nets(self, known: Collection[str], text: Callable[[int, int], str]) -> list[Signal]:
        """Returns the nets that uses of names beyond the known ones declare."""
        nets = implicit_nets(uses_of(self.instances, self.gates, self.processes), known)
        whole: dict[int, set[str]] = {}
        for one in self.processes if nets else ():
            if one.kind == "assign" and one.line not in whole:
                whole[one.line] = assigned_whole(text(one.line, one.end_line))
        return [net for net in nets if net.name in whole.get(net.line, (net.name,))]

    def _others(self) -> set[str]:
        """Returns the names that are declared and are no signals, parameters or instances."""
        enums = (one for one in self.types if one.kind == "enum")
        fields = {field.name for one in enums for field in one.fields}
        return self.others | {routine.name for routine in self.routines} | fields


def _merged_signals(signals: list[Signal], ports: list[Port]) -> list[Signal]:
    """Returns the signals without those declared before; branches of `ifdefs declare anew."""
    seen: dict[str, set[str]] = {}
    for port in ports:
        seen.setdefault(port.name, set()).add(port.condition)
    kept = []
    for signal in signals:
        before = seen.setdefault(signal.name, set())
        if not before or (signal.condition and "" not in before | {signal.condition}
                          and signal.condition not in before):  # fmt: skip
            before.add(signal.condition)
            kept.append(signal)
    return kept
