"""What an assignment gives a signal or one of its members, as it is written over its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.parsers.text.expressions import clean
from hdlgraph.query.answer.facts.page import FactPage

LONGEST = 200  # characters of a value that is told in words
PATTERN = 40  # lines of an assignment pattern that are shown
_EVENTS = re.compile(r"@\s*\(([^()]*)\)")
_EDGE = re.compile(r"(?:pos|neg)edge\s+[\w.$]+")


def rest_of(page: FactPage, path: str, line: int) -> range:
    """Returns the lines after one on which its assignment goes on."""
    lines = page.source(path).lines
    one = page.outline(path, line).at(line)
    if one is None or one.kind not in ("set", "assign"):
        return range(0)
    return range(line + 1, min(one.end_line, line + PATTERN, len(lines)) + 1)


def value_of(page: FactPage, path: str, line: int, signal: str) -> str:
    """Returns what the assignment on a line gives a signal or `signal.member`, "" where unclear.

    Of a pattern a member is given what stands behind its name, else behind `default`.
    """
    base, _, member = signal.partition(".")
    last = max(rest_of(page, path, line), default=line)
    text = clean("\n".join(page.source(path).lines[line - 1 : last]))
    own = rf"(?<![\w$.]){re.escape(base)}((?:\.\w+|\[[^\]]*\])*)\s*<?=\s*([^;]+);"
    found = re.search(own, text)  # not of {a, b} <= x
    if found is None:
        return ""
    value = found[2].strip()
    if member and not found[1] and value.startswith("'{"):
        parts = dict(_parts(value))
        name = member.partition(".")[0].partition("[")[0]
        value = parts.get(name, parts.get("default", "")) if name == member else ""
    return value if len(value) <= LONGEST else value[: LONGEST - 1] + "…"


def _parts(pattern: str) -> Iterator[tuple[str, str]]:
    """Yields (name, value) of the members of an assignment pattern `'{a: 1, default: 0}`."""
    depth, begin = 0, 2
    for at, sign in enumerate(pattern):
        depth += (sign in "{([") - (sign in "})]")
        if (sign == "," and depth == 1) or (sign == "}" and depth == 0):
            name, colon, value = pattern[begin:at].partition(":")
            if colon:
                yield name.strip(), value.strip()
            begin = at + 1


def edges_of(page: FactPage, path: str, line: int, clock: tuple[str, str] | list[str]) -> str:
    """Returns the edges that a process waits for, as `posedge clk or negedge rst_n`.

    Its clock's comes first; "" where no clock is known.
    """
    if not clock[1]:
        return ""
    own = " ".join(filter(None, clock))
    found = page.outline(path, line).at(line)
    process = found.process if found is not None else None
    events = _EVENTS.search(process.head) if process is not None else None
    others = [" ".join(one.split()) for one in _EDGE.findall(events[1])] if events else []
    return " or ".join([own, *(one for one in others if own in others and one != own)])
