"""The resets below a top: where each begins, how it acts, and synchronisers in the way."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hdlgraph.query.clocks.analysis import Analysis
from hdlgraph.query.clocks.keys import COPY, PARTS, overlap
from hdlgraph.query.clocks.network import Net, Network
from hdlgraph.query.clocks.records import Register
from hdlgraph.query.clocks.roots import REGISTER, Root
from hdlgraph.query.clocks.tree import name_of, others_told, root_told

MOST = 8
"""Registers in a row that are counted, and synchronisers that are listed of a reset."""


class _Reset:
    """What hangs on one root while it is counted."""

    def __init__(self) -> None:
        self.instances: set[int] = set()
        self.kinds: Counter[str] = Counter()
        self.active: Counter[str] = Counter()
        self.others: Counter[str] = Counter()


def reset_tree(analysis: Analysis, limit: int) -> dict[str, Any]:
    """Returns the resets of a top, those of most registers first, for `hdlgraph clocks --resets`.

    Args:
        analysis: of the top.
        limit: the greatest number of resets listed; all are counted.
    """
    network, roots = analysis.network, analysis.resets
    found: dict[int, _Reset] = {}
    without = 0
    for at in range(len(network.rows)):
        for register in network.registers(at):
            aside = network.aside(at, register)
            if not register.reset:
                without += not aside
                continue
            traced = roots.of(Net(at, register.reset))
            low = (register.active == "low") != traced.inverted
            reset = found.setdefault(traced.root, _Reset())
            if aside:  # the default build has it not
                reset.others[aside] += 1
                continue
            reset.instances.add(at)
            reset.kinds[register.reset_kind] += 1
            reset.active["low" if low else "high"] += 1
    order = sorted(found, key=lambda one: (-found[one].kinds.total(), name_of(roots, one)))
    return {
        **analysis.head(),
        "total": len(order),
        "without_reset": without,
        "resets": [_told(analysis, one, found[one]) for one in order[:limit]],
        "notes": analysis.notes(),
    }


def _told(analysis: Analysis, number: int, reset: _Reset) -> dict[str, Any]:
    roots = analysis.resets
    return {
        **root_told(roots, number),
        "registers": reset.kinds.total(),
        "others": others_told(reset.others),
        "instances": len(reset.instances),
        "asynchronous": reset.kinds["asynchronous"],
        "synchronous": reset.kinds["synchronous"],
        "active": dict(sorted(reset.active.items())),
        "synchronisers": _synchronisers(analysis, number),
    }


def _synchronisers(analysis: Analysis, number: int) -> list[dict[str, Any]]:
    """Returns the registers that a reset comes from, which an earlier reset resets at once."""
    roots = analysis.resets
    found: list[dict[str, Any]] = []
    waiting, seen = [number], {number}
    while waiting and len(found) < MOST:
        one = waiting.pop(0)
        root = roots.roots[one]
        if root.kind == REGISTER:
            told = _synchroniser(analysis, root)
            if told is not None:
                found.append(told)
            continue
        for inner in root.inputs:
            if inner not in seen:
                seen.add(inner)
                waiting.append(inner)
    return found


def _synchroniser(analysis: Analysis, root: Root) -> dict[str, Any] | None:
    network, roots = analysis.network, analysis.resets
    register = _register(network, root.net)
    if register is None or register.reset_kind != "asynchronous":
        return None
    stages = _stages(network, root.net)
    if not stages:
        return None
    clock = analysis.clocks.of(Net(root.net.at, register.clock)).root
    return {
        "name": network.name(root.net),
        "location": network.location(root.net.at, register.line),
        "stages": stages,
        "clock": name_of(analysis.clocks, clock),
        "source": name_of(roots, root.inputs[0]) if root.inputs else "",
    }


def _register(network: Network, net: Net) -> Register | None:
    for origin in network.origins(net):
        if origin.driver.register is not None:
            return origin.driver.register
    return None


def _stages(network: Network, net: Net) -> int:
    """Returns how many registers follow on each other up to a net, at most `MOST`; 0 for others.

    One alone counts where it is given a constant: else it holds what something writes to it.
    """
    found = 0
    for _ in range(4 * MOST):
        origins = list(network.origins(net))
        register = origins[0].driver.register if len(origins) == 1 else None
        if register is not None:
            found += 1
            own = any(overlap(register.key, one) for one in register.data)
            if own and register.form == PARTS:
                return found + 1  # a register of several bits that moves them on
            nets = tuple(Net(net.at, one) for one in register.data)
        elif len(origins) == 1 and origins[0].form == COPY:
            nets = origins[0].nets
        else:
            break
        if not nets:
            return found
        if len(nets) != 1 or found >= MOST:
            break
        net = nets[0]
    return found if found > 1 else 0
