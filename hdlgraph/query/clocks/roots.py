"""Where clocks and resets come from: ports of the top, dividers, muxes, logic, unknown cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hdlgraph.parsers.text.expressions import GATES
from hdlgraph.query.clocks.keys import CHOICE, COPY, INVERTED
from hdlgraph.query.clocks.network import GATE, Net, Network, Origin
from hdlgraph.query.clocks.passing import CLOCK, RESET, gate_input, is_named
from hdlgraph.query.clocks.records import Part
from hdlgraph.query.clocks.units import LATCH, VENDOR_BUFFERS

DEPTH = 100
"""Steps that a clock is followed back."""
FEW = 8
"""Inputs of a gate that are followed back where none is named as a clock, at most."""
PORT, REGISTER, MUX, GATED = "port", "register", "mux", "logic"
UNKNOWN, OPEN, CONSTANT = "unknown", "open", "constant"
BUFFER = "through"


class Root(NamedTuple):
    """Where a clock or reset begins.

    `kind`: `port` of the top, `register` (a divider or generator, of a reset a synchroniser),
    `mux` of several, `logic`, `unknown` (an output of a unit that the repository has not, or a net
    that nothing else drives and that such a unit has), `constant`, `open` (nothing drives it).
    `inputs` are the numbers of the roots it is made of. `at` is the instance in whose unit `line`
    stands: of an expression at a port that around the instance.
    """

    net: Net
    kind: str
    line: int
    inputs: tuple[int, ...] = ()
    at: int = 0


class Traced(NamedTuple):
    """The root of a net: `root` is its number, `inverted` whether it is the inverse of it."""

    root: int
    inverted: bool = False
    gated: bool = False


class Edge(NamedTuple):
    """A step of a tree: the net that a net is made of, how, and the line where."""

    source: Net
    how: str
    at: int
    line: int


class Roots:
    """The roots of nets, each followed back once."""

    def __init__(self, network: Network, resets: bool = False) -> None:
        self.network = network
        self._resets = resets
        """Whether these are resets: a gate makes another one of them, as does a register."""
        self.roots: list[Root] = []
        self.edges: dict[Net, Edge] = {}
        self._numbers: dict[tuple[Net, str], int] = {}
        self._kept: dict[Net, Traced | None] = {}

    def of(self, net: Net, depth: int = 0) -> Traced:
        """Returns the root of a net; a net that nothing known drives is one of its own."""
        return self._trace(net, depth) or Traced(self._root(net, OPEN, self.network.line(net)))

    def _root(
        self, net: Net, kind: str, line: int, inputs: Iterable[int] = (), at: int = -1
    ) -> int:
        key = (net, kind)
        if key not in self._numbers:
            self._numbers[key] = len(self.roots)
            place = net.at if at < 0 else at
            self.roots.append(Root(net, kind, line, tuple(dict.fromkeys(inputs)), place))
        return self._numbers[key]

    def _trace(self, net: Net, depth: int) -> Traced | None:
        if net in self._kept:
            return self._kept[net]
        self._kept[net] = None  # a loop comes from nowhere
        if depth < DEPTH:
            self._kept[net] = self._find(net, depth)
        return self._kept[net]

    def _find(self, net: Net, depth: int) -> Traced | None:
        found: list[Traced] = []
        line = self.network.line(net)
        for origin in self.network.origins(net):
            one = self._of_origin(net, origin, depth + 1)
            if one is not None:
                found.append(one)
                line = origin.driver.line if len(found) > 1 else line
        return self._joined(net, found, line) or self._end(net, line)

    def _end(self, net: Net, line: int) -> Traced:
        """Returns the root of a net from which no way leads on: the net itself."""
        outside = self.network.unit(net.at).outside(net.key)
        if outside:
            return Traced(self._root(net, UNKNOWN, outside))
        return Traced(self._root(net, OPEN, line))

    def _joined(self, net: Net, found: Sequence[Traced], line: int, at: int = -1) -> Traced | None:
        """Returns the root of what may be one of several; a mux where they differ."""
        live = [one for one in found if self.roots[one.root].kind not in (CONSTANT, OPEN)]
        found = live or [one for one in found if self.roots[one.root].kind == CONSTANT] or found
        if len({one.root for one in found}) > 1:
            self.edges.pop(net, None)
            return Traced(self._root(net, MUX, line, (one.root for one in found), at))
        return found[0] if found else None

    def _of_origin(self, net: Net, origin: Origin, depth: int) -> Traced | None:
        driver = origin.driver
        if origin.is_end:
            return Traced(self._root(net, PORT, driver.line))
        if driver.register is not None:
            key = driver.register.reset if self._resets else driver.register.clock
            inputs = (self.of(Net(net.at, key), depth).root,) if key else ()
            return Traced(self._root(net, REGISTER, driver.line, inputs))
        if origin.outside is not None:
            return self._of_unknown(net, origin.outside, driver.line, depth)
        if origin.form == COPY and not (origin.nets or driver.keys or origin.tests):
            return Traced(self._root(net, CONSTANT, driver.line, at=origin.at))
        if not origin.nets or origin.form == LATCH:
            return None
        if origin.form in (COPY, INVERTED) and len(origin.nets) == 1:
            how = "inverted" if origin.form == INVERTED else BUFFER
            return self._pass(net, origin.nets[0], how, driver.line, depth)
        if origin.form == GATE:
            return self._pass(net, origin.nets[0], "gated", driver.line, depth)
        if origin.form == CHOICE:
            found = self._driven(origin.nets, depth)
            if len({one.root for one in found}) == 1:
                return self._pass(net, origin.nets[0], MUX, driver.line, depth)
            return self._joined(net, found, driver.line, origin.at)
        return self._gate(net, origin.nets, driver.line, depth, origin.at)

    def _gate(
        self, net: Net, nets: Sequence[Net], line: int, depth: int, at: int = -1
    ) -> Traced | None:
        """Returns the root of a net that logic makes: of a gate that of its clock."""
        key = None if self._resets else gate_input([one.key for one in nets])
        gated = [one for one in nets if one.key == key]
        if gated:
            return self._pass(net, gated[0], "gated", line, depth)
        form = RESET if self._resets else CLOCK
        named = [one for one in nets if is_named(one.key, form)] or self._clocked(nets, depth)
        inputs = [(one, found.root) for one in named for found in self._driven((one,), depth)]
        if not self._resets and len({root for _, root in inputs}) == 1:
            return self._pass(net, inputs[0][0], "gated", line, depth)
        return Traced(self._root(net, GATED, line, (root for _, root in inputs), at))

    def _clocked(self, nets: Sequence[Net], depth: int) -> list[Net]:
        """Returns those of a few nets that are made of a clock, whatever they are called."""
        if self._resets or len(nets) > FEW:
            return []
        traced = ((net, self._trace(net, depth)) for net in nets)
        roots = ((net, self.roots[one.root]) for net, one in traced if one is not None)
        return [net for net, root in roots if root.kind == PORT and is_named(root.net.key, CLOCK)]

    def _driven(self, nets: Iterable[Net], depth: int) -> list[Traced]:
        """Returns the roots of those of some nets that something drives."""
        found = [one for net in nets if (one := self._trace(net, depth)) is not None]
        return [one for one in found if self.roots[one.root].kind != OPEN]

    def _pass(self, net: Net, source: Net, how: str, line: int, depth: int) -> Traced | None:
        found = self._trace(source, depth)
        if found is None:
            return None
        at = self.network.parents[net.at] if source.at != net.at and source.at < net.at else net.at
        self.edges.setdefault(net, Edge(source, how, max(at, 0), line))
        return Traced(
            found.root, found.inverted != (how == "inverted"), found.gated or how == "gated"
        )

    def _of_unknown(self, net: Net, part: Part, line: int, depth: int) -> Traced | None:
        """Returns the root behind a primitive, or behind an unknown cell with one clock."""
        inputs = [
            Net(net.at, key)
            for actual in part.actuals.values()
            if actual.direction == "input"
            or (part.child.unit not in GATES and not actual.direction)
            for key in actual.keys
            if key != net.key
        ]
        if part.child.unit in GATES:
            if len(inputs) == 1:
                how = "inverted" if part.child.unit == "not" else BUFFER
                return self._pass(net, inputs[0], how, line, depth)
            return self._gate(net, inputs, line, depth)
        if part.child.unit in VENDOR_BUFFERS:
            return self._of_buffer(net, part, line, depth)
        clocks = [
            Net(net.at, actual.keys[0])
            for port, actual in part.actuals.items()
            if CLOCK.search(port) and len(actual.keys) == 1 and actual.keys[0] != net.key
        ]
        if not self._resets and len(clocks) == 1 and len(part.actuals) <= 6:
            return self._pass(net, clocks[0], f"through unknown {part.child.unit}", line, depth)
        return Traced(self._root(net, UNKNOWN, line))

    def _of_buffer(self, net: Net, part: Part, line: int, depth: int) -> Traced | None:
        """Returns the root behind a vendor's clock buffer; a mux where it chooses one of two."""
        ports = [part.actuals[one] for one in ("I", "I0", "I1") if one in part.actuals]
        inputs = [
            (Net(net.at, actual.keys[0]), "inverted" if actual.form == INVERTED else BUFFER)
            for actual in ports
            if len(actual.keys) == 1
        ]
        if len(ports) == 1 and inputs:
            return self._pass(net, *inputs[0], line, depth)
        roots = {one.root for one in self._driven((source for source, _ in inputs), depth)}
        if len(roots) == 1 and len(inputs) == len(ports):
            return self._pass(net, *inputs[0], line, depth)
        return Traced(self._root(net, MUX if roots else UNKNOWN, line, sorted(roots)))

    def ends(self, number: int) -> frozenset[int]:
        """Returns the roots that one is made of in the end: itself where it is made of none."""
        found, waiting, seen = set(), [number], {number}
        while waiting:
            one = waiting.pop()
            inputs = self.roots[one].inputs
            if not inputs:
                found.add(one)
            for inner in inputs:
                if inner not in seen:
                    seen.add(inner)
                    waiting.append(inner)
        return frozenset(found or {number})

    def relation(self, one: int, other: int) -> str:
        """Returns `derived` for clocks that are made of the same, `muxed` for one chosen from."""
        left, right = self.ends(one), self.ends(other)
        if left == right:
            return "derived"
        return "muxed" if left < right or right < left else ""
