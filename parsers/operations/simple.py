"""What a unit of a few lines does as a whole: a gate, a flip-flop, a latch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.model import Operation, Process
from hdlgraph.parsers.operations.code import Assignment, Code

FEW = 4
"""Assignments that such a unit has at most."""
_N = r"[A-Za-z_]\w*"
_LONGEST = 80
_DECLARING = frozenset(
    """input output inout wire tri reg logic bit parameter localparam integer endmodule
    endinterface supply0 supply1""".split()
)
"""How the statements begin that do nothing."""
_ENABLE = re.compile(rf"if\s*\(\s*([!~]?)\s*({_N})\s*(?:==\s*1'b1\s*)?\)(?!.*\bif\b)", re.S)


def small_units(code: Code) -> Iterator[Operation]:
    """Yields the function of a unit that has a few assignments and no more."""
    unit = code.unit
    outputs = {port.name for port in unit.ports if port.direction in ("output", "inout")}
    if not outputs or len(code.assignments) > 3 * FEW:
        return
    logic = [one for one in code.assignments if not one.clocked and one.name in outputs]
    clocked = [one for one in code.assignments if one.clocked]
    if not clocked and 0 < len(logic) <= FEW:
        latches = [p for p in unit.processes if p.kind == "always_latch"]
        for one in logic:
            is_logic = re.search(r"[&|^~!?+*<>-]", one.right) or one.right in code.inputs
            if is_logic and len(one.right) <= _LONGEST and not latches:
                yield Operation("drives", (one.name,), code.line(one.at), one.right)
        for process in latches:
            held = [name for name in process.writes if name in code.declared]
            if held:
                yield Operation("latches", tuple(held[:2]), process.line)
    if clocked and len(clocked) <= FEW:
        yield from _flip_flops(code)


def empty_units(code: Code) -> Iterator[Operation]:
    """Yields the fact that a unit declares ports and nothing that acts on them."""
    unit = code.unit
    if unit.instances or unit.processes or not unit.ports or "`" in code.text:
        return
    statements = [part.split(None, 1) for part in code.text.split(";")[1:]]
    words = {part[0] for part in statements if part}
    if words <= _DECLARING:
        yield Operation("holds nothing", (unit.name,), unit.line)


def _flip_flops(code: Code) -> Iterator[Operation]:
    """Yields registers that take an input as it is, with their enable and reset."""
    for process in code.unit.processes:
        if not process.clocks:
            continue
        for one in code.assignments:
            line = code.line(one.at)
            if not (one.clocked and process.line <= line <= process.end_line):
                continue
            if one.right in code.inputs and one.left == one.name and _is_only_source(code, one):
                edge, clock = process.clocks[0]
                detail = f"{edge}{_enable(code, process, one.at)}"
                yield Operation("registers", (one.name, one.right, clock), line, detail)


def _is_only_source(code: Code, one: Assignment) -> bool:
    """Returns whether a register takes nothing but this value and constants."""
    rights = {other.right for other in code.by_name[one.name]} - {one.right}
    return not any(set(re.findall(_N, right.partition("'")[0])) & code.declared for right in rights)


def _enable(code: Code, process: Process, at: int) -> str:
    """Returns " if:NAME" where a lone input has to be set for an assignment, else ""."""
    found = _ENABLE.search(code.text, max(at - 60, 0), at)
    if not found or found[1] or found[2] in process.resets or found[2] not in code.inputs:
        return ""
    return f" if:{found[2]}" if code.text[found.end() : at].split() in ([], ["begin"]) else ""
