"""Finds the reset values of registers: of a process, and inside of cells."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hdlgraph.query.answer.direct.drivers.values import edges_of, value_of
from hdlgraph.query.answer.direct.drivers.words import TALL, lines_of, named_at, under
from hdlgraph.query.answer.facts.page import FactPage

CELLS = 4  # instances whose registers are told
DEEP = 8  # nets that are looked at
AROUND = ("always", "branch")  # what is shown around a reset value


def add_behind(
    page: FactPage,
    label: str,
    steps: Sequence[Mapping[str, Any]],
    nets: Sequence[Mapping[str, Any]],
    moved: set[str],
) -> bool:
    """Adds the reset values inside of the instances that drive a signal; False if one has none.

    Of several each stands under a condition of its own.
    """
    if not 1 <= len(steps) <= CELLS or any(step["how"] != "instance" for step in steps):
        return False
    if len(steps) > 1 and len({step["condition"] for step in steps} - {""}) < len(steps):
        return False
    inner = FactPage(lambda path: page.source(path).text)
    for step in steps:
        own = [net for net in nets if net["unit_id"] == step["of_id"]] if len(steps) > 1 else nets
        if not _behind(inner, label, step, own, moved):
            return False
    for step in steps:
        own = [net for net in nets if net["unit_id"] == step["of_id"]] if len(steps) > 1 else nets
        _behind(page, label, step, own, moved)
    return True


def _behind(
    page: FactPage,
    label: str,
    step: Mapping[str, Any],
    nets: Sequence[Mapping[str, Any]],
    moved: set[str],
) -> bool:
    """Adds the reset value of the register inside an instance; False where none is found."""
    for net in nets[:DEEP]:
        for inner in net["steps"]:
            if inner["reset"] and inner["path"] not in moved and len(net["steps"]) <= TALL:
                page.add(
                    f"{label} is the output {step['port']} of {step['instance']}{under(step)}:"
                )
                page.code(step["path"], page.source(step["path"]), list(lines_of(page, step)))
                value = add_reset(page, net["signal"], inner)
                one = page.instance(step["path"], step["line"])
                for name in re.findall(r"[A-Za-z_]\w*", value) if one is not None else ():
                    if one is not None and name in one.connections:
                        text = f"{name} of {step['instance']} is {one.connections[name]}"
                        page.fact(text, (name,), step["path"], one.line)
                page.add()
                return True
    return False


def add_reset(page: FactPage, label: str, step: Mapping[str, Any]) -> str:
    """Adds the value that a register is reset to, by its lines; returns it, "" for none.

    Args:
        page: the answer so far.
        label: what the register, or the member of it that is asked for, is called.
        step: the place in its process.
    """
    path, lines = step["path"], list(lines_of(page, step))
    if not lines:
        return ""
    at, name = named_at(page, step)
    asked = label.split()[0].split(".")
    member = asked[asked.index(name, 1) + 1 :] if name in asked[1:] else []
    value = value_of(page, path, at, ".".join([name, *member])) if name else ""
    text = f"{label} resets to {value}" if value else f"{label} is reset"
    edges = edges_of(page, path, step["line"], step["clock"])
    page.add(f"{text} if {step['condition']}{f', @({edges})' if edges else ''}:")
    found = page.outline(path, at or lines[-1]).at(at or lines[-1])
    around = [one.line for one in found.around() if one.kind in AROUND] if found else []
    page.code(path, page.source(path), [*around, *lines])
    return value
