"""Traces and state machines for people."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from hdlgraph.serve.cli.output import put
from hdlgraph.serve.cli.text.rows import shortened

TITLES = {"drivers": "driven by", "loads": "goes into"}
OVER = 2
"""Lines that may take the place of a transition that are shown."""
MAX_SHOWN = 4
"""Connections of a port that are shown."""
WIDE = 100
"""Characters of a condition that are shown on a terminal."""


def show_trace(found: dict[str, Any]) -> None:
    """Prints the nets of a trace, nearest first, each with its places."""
    for other in found["others"]:
        put(Text(f"also {other['signal']} ({other['location']})", style="dim"))
    for direction, title in TITLES.items():
        if direction in found:
            _walk(found[direction], title)


def _walk(walk: dict[str, Any], title: str) -> None:
    for net in walk["nets"]:
        indent = "  " * (net["depth"] - 1)
        at = f" in {net['instance']}" if net["instance"] else ""
        name = Text(f"{indent}{net['signal']}", style="bold")
        put(name + Text(f" ({net['location']}){at}", style="") + Text(f" {title}"))
        for step in net["steps"]:
            _step(step, indent + "  ")
        left = net["total"] - len(net["steps"])
        if left > 0:
            counts = ", ".join(f"{n} {how}" for how, n in net["counts"].items())
            put(Text(f"{indent}  ... and {left} more places ({counts}); --limit", style="dim"))
        if not net["steps"]:
            put(Text(f"{indent}  nothing in the repository", style="dim"))
    for ring in walk["loops"]:
        put(Text(f"possible combinational loop: {' -> '.join(ring)}", style="bold red"))
    if walk["beyond"]:
        said = "1 net" if walk["beyond"] == 1 else f"{walk['beyond']} nets"
        put(Text(f"... more lies behind {said}: raise --depth", style="dim"))
    elif walk["truncated"]:
        put(Text("... more nets than are followed: name one of those above", style="dim"))


def _step(step: dict[str, Any], indent: str) -> None:
    """Prints one driver or reader of a signal."""
    what = step["how"]
    if step["how"] in ("instance", "bind"):
        port = f".{step['port']}" if step["port"] else ""
        what = f"{step['instance']}{port} of {step['of']}"
        what = f"bind {what}" if step["how"] == "bind" else what
    elif step["how"] == "port":
        what = f"port {step['port'] or step['signal']}"
    if not step["sure"]:
        what += " (direction not known)"
    line = f"{indent}{step['location']}  {what}"
    if step["value"]:
        line += f" = {step['value']}"
    if step["how"] == "instance" and step["clock"][1]:
        line += ", a register"
    if step["clock"][1]:
        line += f" @({' '.join(filter(None, step['clock']))})"
    if step["reset"]:
        line += " reset"
    if step["ifdef"]:
        line += f" [ifdef {step['ifdef']}]"
    if step["cell_reset"]:
        line += f" reset by {step['cell_reset']}"
    if step["condition"]:
        line += f" if {shortened(step['condition'], WIDE)}"
    if step["given"]:
        line += f" (with {', '.join(step['given'])})"
    if step["control"]:
        line += " tests it"
    if step["joined"]:
        line += " -> " + _outside(step["joined"])
    elif step["to"]:
        line += " -> " + ", ".join(step["to"][:6]) + (" ..." if step["to"][6:] else "")
    if step["note"]:
        line += f" ({step['note']})"
    put(Text(line))


def _outside(joined: list[dict[str, Any]]) -> str:
    """Returns the connections of a port outside its unit, each with its line."""
    listed = [
        f"{one['signal']} ({one['location']} {one['instance']})" for one in joined[:MAX_SHOWN]
    ]
    return ", ".join(listed) + (
        f" and {len(joined) - MAX_SHOWN} more" if joined[MAX_SHOWN:] else ""
    )


def show_machines(found: dict[str, Any]) -> None:
    """Prints state machines: the register, the states, then each transition with its line."""
    if not found["machines"]:
        put(f"{found['unit']}: no state machine found")
    for one in found["machines"]:
        after = f", next value {one['next']}" if one["next"] else ""
        reset = f", reset to {one['reset']}" if one["reset"] else ""
        reset += f", clock {one['clock']}" if one["clock"] else ""
        put(Text(f"{one['unit']}.{one['register']}", style="bold")
            + Text(f" ({one['location']}){after}{reset}", style=""))  # fmt: skip
        put(Text(f"  states: {', '.join(state['name'] for state in one['states'])}"))
        if one["unreached"]:
            put(Text(f"  nothing leads from {one['reset']} to: {', '.join(one['unreached'])}"))
        for move in one["transitions"]:
            when = f" if {shortened(move['condition'], WIDE)}" if move["condition"] else ""
            source = move["source"] or "any state"
            when += _unless(move["unless"])
            put(Text(f"  {source} -> {move['target']}{when}  ({one['path']}:{move['line']})"))


def _unless(lines: list[int]) -> str:
    """Returns which lines behind a transition may take its place, "" for none."""
    if not lines:
        return ""
    more = f" or {len(lines) - OVER} more" if lines[OVER:] else ""
    word = "line" if len(lines) == 1 else "lines"
    named = ", ".join(map(str, lines[:OVER])) if more else " or ".join(map(str, lines))
    return f", unless {word} {named}{more} {'sets' if len(lines) == 1 else 'set'} another"
