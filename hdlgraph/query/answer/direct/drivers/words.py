"""What a place that drives a signal is called in words, and the lines of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from hdlgraph.query.answer.facts.page import FactPage

LONGEST = 140  # characters of a condition
TALL = 6  # lines of a statement, of which the signal may stand on a later one


def said_of(step: Mapping[str, Any], resets: set[str]) -> str:
    """Returns in words what drives a signal at a place, and under which condition."""
    how, clock = step["how"], step["clock"]
    edge = f" @({' '.join(filter(None, clock))})" if clock[1] else ""
    if how in ("instance", "bind"):
        drives = "drives it" if step["sure"] else "may drive it, as directions are not known,"
        said = f"the {how} {step['instance']} of {step['of']} {drives} at its port {step['port']}"
        said += f", a register{edge}" if edge else ""
    elif how == "port":
        said = "it is an input of the unit"
    elif step["reset"]:
        said = f"{how}{edge} resets it"
    else:
        said = f"{how}{edge} sets it"
    condition = step["condition"]
    for other in resets:  # outside of the reset branch, which goes without saying
        condition = "" if condition == other else condition.removeprefix(f"{other} && ")
    if len(condition) > LONGEST:
        condition = condition[:LONGEST].rpartition(" ")[0] + " …"
    return said + under({"ifdef": step["ifdef"], "condition": condition})


def under(step: Mapping[str, Any]) -> str:
    """Returns in words the `ifdef and the conditions that a place stands under."""
    said = f", under `ifdef {step['ifdef']}" if step["ifdef"] else ""
    return said + (f", {_when(step['condition'])}" if step["condition"] else "")


def _when(condition: str) -> str:
    """Returns a condition in words: tests, or the loop of a generate block before them."""
    loop, _, tests = (
        condition.partition(" && ") if condition.startswith("for ") else ("", "", condition)
    )
    return " and ".join(filter(None, (loop and f"once {loop}", tests and f"if {tests}")))


def lines_of(page: FactPage, step: Mapping[str, Any]) -> Iterator[int]:
    """Yields the lines of a place: down to the one with the signal, or with the port."""
    lines = page.source(step["path"]).lines
    name = re.escape(step["signal"].partition(".")[0])
    word = re.compile(rf"(?<![\w$]){name}(?![\w$])")
    first = step["line"]
    for last in range(first, min(first + TALL, len(lines) + 1)):
        if word.search(lines[last - 1].partition("//")[0]):
            yield from range(first, last + 1)
            return
    if first <= len(lines) and "`" in lines[first - 1]:  # of a macro
        yield first
