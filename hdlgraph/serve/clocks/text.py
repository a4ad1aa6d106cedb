"""Clocks, resets and crossings for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from hdlgraph.serve.cli.output import put, say
from hdlgraph.serve.cli.text.rows import shortened
from hdlgraph.serve.cli.text.values import some

SEEN = {
    "none": "nothing seen",
    "handshake": "a synchronised signal decides",
    "fifo": "a memory of both clocks",
    "synchroniser": "synchroniser",
}
RELATIONS = {"": "", "muxed": ", one is chosen from the other", "derived": ", made of the same"}
WAY = 8
"""Nets of a way that are shown."""
COPIES = 3
"""Copies of a crossing in other instances that are named."""
OTHERS = 3
"""Conditions of other builds that are shown with what they add."""
ALSO = 4
"""Further registers that one is shown to reach in the same way."""


def show_clocks(found: dict[str, Any]) -> None:
    """Prints the clocks of a top, each with the steps from its root to its registers."""
    _head(found, "clock")
    _notes(found)
    for one in found["clocks"]:
        falling = f" ({one['falling']} at its fall)" if one["falling"] else ""
        put(
            _root(one)
            + f": {some(one['registers'], 'register')}{falling}"
            + f" in {some(one['instances'], 'instance')}"
            + _others(one)
        )
        names = ", ".join(f"{name['name']} ({name['instances']})" for name in one["names"])
        if names:
            put(f"  called {names}")
        for step in one["steps"]:
            by = f" by {', '.join(step['enable'])} at {step['placed']}" if step["enable"] else ""
            put(
                f"  {step['how']}: {step['name']} from {step['source']} ({step['location']}){by}: "
                f"{some(step['registers'], 'register')} in {some(step['instances'], 'instance')}"
            )
        _more(one["n_steps"] - len(one["steps"]), "steps", "  ")
    _more(found["total"] - len(found["clocks"]), "clocks")


def show_resets(found: dict[str, Any]) -> None:
    """Prints the resets of a top."""
    _head(found, "reset")
    _notes(found)
    for one in found["resets"]:
        kinds = [f"{one[kind]} {kind}" for kind in ("asynchronous", "synchronous") if one[kind]]
        levels = " and ".join(one["active"])
        put(
            _root(one)
            + f": {some(one['registers'], 'register')} in {some(one['instances'], 'instance')}, "
            + ", ".join(filter(None, (", ".join(kinds), levels and f"active {levels}")))
            + _others(one)
        )
        for sync in one["synchronisers"]:
            source = f" from {sync['source']}" if sync["source"] else ""
            put(
                f"  synchroniser {sync['name']} ({sync['location']}){source}, "
                f"{sync['stages']} registers of {sync['clock']}"
            )
    _more(found["total"] - len(found["resets"]), "resets")
    put(Text(f"{found['without_reset']} registers without a reset", style="dim"))


def show_crossings(found: dict[str, Any]) -> None:
    """Prints pairs of clocks with their crossings counted, then crossings."""
    total = sum(one["total"] for one in found["pairs"])
    put(
        Text(f"{found['top']}", style="bold")
        + Text(f" ({found['location']}): {some(total, 'crossing')}, {_instances(found)}")
    )
    for pair in found["pairs"]:
        counts = ", ".join(f"{pair[kind]} {text}" for kind, text in SEEN.items() if pair[kind])
        relation = RELATIONS[pair["relation"]]
        put(f"  {pair['source']} -> {pair['target']}{relation}: {counts}")
    _notes(found)
    for one, *same in _by_source(found["crossings"]):
        logic = ", logic before it" if one["logic"] else ""
        copies = f", {one['copies']} times" if one["copies"] > 1 else ""
        many = f", to {one['targets']} registers" if one["targets"] > 1 else ""
        ended = ", the search ended early" if one["cut"] else ""
        put(Text(f"{SEEN[one['kind']]}{logic}{many}{copies}{ended}", style="bold"))
        if one["condition"]:
            other = one["alternative"]
            more = f"; protected if {shortened(other, 100)}" if other else ""
            put(f"  only if {shortened(one['condition'], 100)}{more}")
        put(f"  {one['source']} ({one['source_location']}) of {one['source_clock']}")
        put(f"  {one['target']} ({one['target_location']}) of {one['target_clock']}")
        way = one["way"][:WAY] + (["..."] if one["way"][WAY:] else [])
        others = f" and {one['sources'] - 1} more registers" if one["sources"] > 1 else ""
        put(Text(f"  {' -> '.join(way)}{others}", style="dim"))
        if one["doubt"]:
            put(f"  doubtful: {one['doubt']}")
        for copy in one["copied"][:COPIES]:
            put(f"  also {copy['source']} -> {copy['target']}")
        if one["copied"][COPIES:]:
            left = len(one["copied"]) - COPIES
            put(Text(f"  also in {left} other instances; --json has them", style="dim"))
        for other in same[:ALSO]:
            put(f"  also {other['target']} ({other['target_location']})")
        if same[ALSO:]:
            put(Text(f"  also {len(same) - ALSO} others; --json has them", style="dim"))
    _more(found["total"] - len(found["crossings"]), "crossings")
    put(Text(found["about"], style="dim"))


def _by_source(crossings: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Returns the crossings with those of one register to one clock side by side."""
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for one in crossings:
        ends = ("kind", "source", "source_clock", "target_clock", "condition")
        key = (*(one[end] for end in ends), str(one["logic"]), one["doubt"])
        found.setdefault(key, []).append(one)
    return list(found.values())


def _head(found: dict[str, Any], what: str) -> None:
    put(
        Text(f"{found['top']}", style="bold")
        + Text(f" ({found['location']}): {some(found['total'], what)}, {_instances(found)}")
    )


def _instances(found: dict[str, Any]) -> str:
    """Returns how many instances were looked at, and how many were not."""
    left = f", {found['left_out']} more left out" if found["left_out"] else ""
    return f"{some(found['instances'], 'instance')}{left}"


def _notes(found: dict[str, Any]) -> None:
    """Says what limits an answer, before what it limits is listed."""
    for note in found["notes"]:
        say(f"hdlgraph: note: {note}")


def _others(one: dict[str, Any]) -> str:
    """Returns how many more registers other builds have, "" for none."""
    texts = [
        f"{other['registers']} more if {shortened(other['condition'], 60)}"
        for other in one["others"]
    ]
    more = f", {len(texts) - OTHERS} more conditions" if len(texts) > OTHERS else ""
    return "".join(f", {text}" for text in texts[:OTHERS]) + more


def _root(one: dict[str, Any]) -> Text:
    made = f" of {', '.join(one['inputs'])}" if one["inputs"] else ""
    return Text(one["name"], style="bold") + Text(f" ({one['location']}) {one['kind']}{made}")


def _more(left: int, what: str, indent: str = "") -> None:
    if left > 0:
        put(Text(f"{indent}... and {left} more {what}; --limit", style="dim"))
