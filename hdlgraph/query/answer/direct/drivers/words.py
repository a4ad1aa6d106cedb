"""What a place that drives a signal is called in words, and the lines of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from hdlgraph.query.answer.direct.drivers.values import edges_of, rest_of
from hdlgraph.query.answer.facts.page import FactPage

LONGEST = 140  # characters of a condition
TALL = 6  # lines of a statement, of which the signal may stand on a later one
_LABEL = re.compile(r"\b(?:begin|end)\s*:\s*\w+")


def driver_text(page: FactPage, step: Mapping[str, Any], resets: set[str]) -> str:
    """Returns in words what drives a signal at a place, and under which condition."""
    how, clock = step["how"], step["clock"]
    edge = f" @({' '.join(filter(None, clock))})" if clock[1] else ""
    if how in ("instance", "bind"):
        drives = "drives it" if step["sure"] else "may drive it, as directions are not known,"
        text = f"the {how} {step['instance']} of {step['of']} {drives} at its port {step['port']}"
        text += f", a register{edge}" if edge else ""
    elif how == "port":
        text = "it is an input of the unit"
    elif step["reset"]:
        edges = edges_of(page, step["path"], step["line"], clock)
        text = f"{how}{f' @({edges})' if edges else ''} resets it"
    else:
        text = f"{how}{edge} sets it"
    condition = step["condition"]
    for other in resets:  # outside of the reset branch, which goes without saying
        condition = "" if condition == other else condition.removeprefix(f"{other} && ")
    if len(condition) > LONGEST:
        condition = condition[:LONGEST].rpartition(" ")[0] + " …"
    text += under({"ifdef": step["ifdef"], "condition": condition})
    return text + (f", with {', '.join(step['given'])}" if step.get("given") else "")


def under(step: Mapping[str, Any]) -> str:
    """Returns in words the `ifdef and the conditions that a place stands under."""
    text = f", under `ifdef {step['ifdef']}" if step["ifdef"] else ""
    return text + (f", {_when(step['condition'])}" if step["condition"] else "")


def _when(condition: str) -> str:
    """Returns a condition in words: tests, or the loop of a generate block before them."""
    loop, _, tests = (
        condition.partition(" && ") if condition.startswith("for ") else ("", "", condition)
    )
    return " and ".join(filter(None, (loop and f"once {loop}", tests and f"if {tests}")))


def lines_of(page: FactPage, step: Mapping[str, Any]) -> Iterator[int]:
    """Yields the lines of a place: down to the one with the signal, or with the port.

    What is assigned goes on to the end of the pattern that opens there.
    """
    lines, first = page.source(step["path"]).lines, step["line"]
    line, _ = named_at(page, step)
    if line:
        yield from range(first, line + 1)
        yield from rest_of(page, step["path"], line)
    elif first <= len(lines) and "`" in lines[first - 1]:  # of a macro
        yield first


def named_at(page: FactPage, step: Mapping[str, Any]) -> tuple[int, str]:
    """Returns the line of a place on which its signal stands, and the signal's name; 0 if on none.

    A signal of a generate block has the block's label before it, which does not stand there.
    """
    first = step["line"]
    lines = page.source(step["path"]).lines[first - 1 : first - 1 + TALL]
    texts = [_LABEL.sub("", line.partition("//")[0]) for line in lines]
    for name in step["signal"].split("."):
        word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        line = next((n for n, text in enumerate(texts, first) if word.search(text)), 0)
        if line:
            return line, name
    return 0, ""
