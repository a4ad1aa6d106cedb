"""The variables of a unit that its loops count with: `integer i;`, used as an index alone."""

from __future__ import annotations

from hdlgraph.query.signals.unit import UnitView


def counting(view: UnitView) -> frozenset[str]:
    """Returns the variables of a unit that hold nothing, and only count.

    Wherever a process begins one with a constant it also counts it on, under the same tests: so
    does the head of a loop. One that is given a net, or a constant under a test, is an address.
    """
    begun: dict[str, set[tuple[int, int]]] = {}
    counted: dict[str, set[tuple[int, int]]] = {}
    others: set[str] = set()
    names = view.flow.names
    for at, block in enumerate(view.flow.blocks):
        own = view.own(block)
        for step in block.steps:
            nets = {names[one] for one in step.reads} & view.known.keys()
            for number, bits in step.writes:
                name = names[number]
                if name not in own or bits or nets - {name}:
                    others.add(name)
                elif name in nets:
                    counted.setdefault(name, set()).add((at, step.guard))
                else:
                    begun.setdefault(name, set()).add((at, step.guard))
    return frozenset(
        name for name, places in begun.items() if places == counted.get(name) and name not in others
    )
