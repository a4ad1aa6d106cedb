"""Memories, decoders and tables of a unit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hdlgraph.model import Operation
from hdlgraph.parsers.operations.cases import Case
from hdlgraph.parsers.operations.code import Code, stem, twins
from hdlgraph.parsers.operations.machines import constant

_N = r"[A-Za-z_]\w*"
_ARRAY = re.compile(
    rf"(?:reg|logic|bit)\b(?:\s+(?:signed|unsigned))?((?:\s*\[[^\];]{{1,200}}\])*)"
    rf"\s*({_N})\s*\[([^\];]{{1,200}})\]\s*(?:=|;|,)"
)
_INDEXED = re.compile(rf"{_N}\[({_N}(?:\[[^\[\]:]{{1,60}}\]|\[[^\[\]]{{1,60}}:0\])?)\]")
_INSIDE = r"\[((?:[^\[\]]|\[[^\[\]]{0,80}\]){1,200})\]"
_NO_TARGET = r"(?!(?:\.\w+|\[[^\[\]]{0,80}\]){0,6}\s*<?=[^=])"
_READMEM = re.compile(rf"\$readmem([hb])\s*\(\s*[^,;]{{1,300}},\s*({_N}(?:\.{_N})*)")
_ADDRESS = re.compile(r"addr|adr(?![a-z])", re.I)
_LABEL = re.compile(rf"`?{_N}(?:::{_N})*")
_LITERAL = re.compile(r"(?:\d+)?'s?[bdhoBDHO][\da-fA-FxzXZ_?]+|\d+")
_ARRAYS = 40
"""Arrays of one unit whose reads are looked for."""
LABELS = 24
"""Kept of one decoder."""


def memories(code: Code) -> Iterator[Operation]:
    """Yields arrays that are written at an address by a clock edge and read at one."""
    sizes: dict[str, tuple[str, str]] = {}
    done: set[str] = set()
    for name, given in code.by_name.items():
        written = next((one for one in given if _address(one.left, code)), None)
        at_write = _address(written.left, code) if written else ""
        if not written or stem(name) in done or not _is_kept(code, name):
            continue
        if len(done) == _ARRAYS:
            break
        names = dict.fromkeys([*twins(code, name), name])
        read = [signal for twin in names for signal in _reads(code, twin)]
        if not sizes:
            sizes = {match[2]: (match[1], match[3]) for match in _ARRAY.finditer(code.text)}
        width, depth = sizes.get(name, ("", ""))
        words = _extent("".join(depth.split()))
        done.add(stem(name))
        if not read or words in ("1", "2", "3", "*", "$") or _is_shifted(code, name):
            continue
        dimensions = "".join(width.split())
        bits = _extent(dimensions[1:-1]) if dimensions.count("[") == 1 else ""
        others = [signal for signal in read if signal != at_write]
        detail = f"{words} x {bits}" if words and bits else ""
        places = (name, at_write, *(others or read)[:1])
        yield Operation("memory", places, code.line(written.at), detail)
    for match in _READMEM.finditer(code.text):
        yield Operation("loads memory", (match[2],), code.line(match.start()), match[1])


def _is_kept(code: Code, name: str) -> bool:
    """Returns whether a clock edge writes a name, or the register of which it is the next value."""
    same = code.by_stem.get(stem(name), ())
    return any(one.clocked for other in same for one in code.by_name[other])


def _address(left: str, code: Code) -> str:
    """Returns the signal that says where an array is written: no constant, no loop variable."""
    match = _INDEXED.match(left)
    if not match:
        return ""
    name = match[1].partition("[")[0]
    return name if name in code.declared and len(name) > 1 and name not in code.loops else ""


def _names(text: str, code: Code) -> list[str]:
    return [name for name in re.findall(_N, text) if name in code.declared]


def _reads(code: Code, name: str) -> list[str]:
    """Returns the signals that address a memory where it is read, constants left out."""
    pattern = re.compile(rf"(?<![\w$.`']){re.escape(name)}\s*{_INSIDE}{_NO_TARGET}")
    found = []
    for match in pattern.finditer(code.text):
        found += _names(match[1], code)
    return [name for name in dict.fromkeys(found) if name not in code.loops and len(name) > 1]


def _is_shifted(code: Code, name: str) -> bool:
    return any(one.clocked and one.right.startswith(f"{name}[") for one in code.by_name[name])


def _extent(text: str) -> str:
    """Returns how many elements a range has: "DEPTH" of [0:DEPTH-1] and [DEPTH-1:0]."""
    low, colon, high = text.partition(":")
    if not colon:
        return low if re.fullmatch(r"[\w$().*+<-]+", low) else ""
    bound = high if low.strip("()") in ("0",) else low if high in ("0",) else ""
    if bound.isdigit():
        return str(int(bound) + 1)
    if bound.endswith("-1"):
        inner = bound[:-2]
        is_wrapped = inner[:1] == "(" and inner[-1:] == ")" and inner.count("(") == 1
        return inner[1:-1] if is_wrapped else inner
    return f"{bound}+1" if bound else ""


def decoders(code: Code, cases: Iterable[Case], machines: set[str]) -> Iterator[Operation]:
    """Yields the case statements that choose by a named constant, with their labels.

    Args:
        code: the unit.
        cases: its case statements.
        machines: the state registers, whose cases are none.
    """
    seen: set[str] = set()
    for case in sorted(cases, key=lambda one: one.at):
        subject = re.fullmatch(rf"({_N})((?:\.{_N})*)(?:\[[^\[\]]*\])?", case.subject)
        if not subject or subject[1] in machines:
            continue
        shown = subject[1] + subject[2]
        labels = [label for arm in case.arms for label in arm.labels if label != "default"]
        named = list(dict.fromkeys(constant(x) for x in labels if _LABEL.fullmatch(x)))
        named = [name for name in named if name not in code.declared]
        if shown in seen or len(labels) < 3:
            continue
        seen.add(shown)
        kind = "decodes address" if _ADDRESS.search(shown) else "decodes"
        if len(named) >= 3:
            yield Operation(kind, (shown, *named[:LABELS]), code.line(case.at), str(len(named)))
        elif all(_LITERAL.fullmatch(label) for label in labels):
            table = _table(code, case)
            if table and len(labels) >= 8:
                yield Operation("table", (table, shown), code.line(case.at), str(len(labels)))
            elif kind == "decodes address" and len(set(labels)) > 4:
                yield Operation(kind, (shown,), code.line(case.at), str(len(set(labels))))


def _table(code: Code, case: Case) -> str:
    """Returns the one name to which every arm of a case assigns a number, or ""."""
    written = set()
    for arm in case.arms:
        inside = code.between(arm.at, arm.end)
        if len(inside) != 1 or not _LITERAL.fullmatch(inside[0].right):
            return ""
        written.add(inside[0].name)
    return written.pop() if len(written) == 1 else ""


def comparisons(code: Code, skip: set[str]) -> Iterator[Operation]:
    """Yields names that are compared with three or more constants, as a decoder does."""
    found: dict[str, dict[str, int]] = {}
    for name, written, at in code.comparisons:
        value = written.rpartition("::")[2]
        is_name = not value[0].isdigit() and value[0] != "'"
        is_told = is_name or _ADDRESS.search(name)
        if is_told and name not in skip and value not in code.declared:
            found.setdefault(name, {}).setdefault(value, at)
    for name, values in found.items():
        named = [value for value in values if not value[0].isdigit() and value[0] != "'"]
        if len(named) >= 3 or (_ADDRESS.search(name) and len(values) >= 3):
            kind = "decodes address" if _ADDRESS.search(name) else "decodes"
            at = min(values.values())
            yield Operation(kind, (name, *named[:LABELS]), code.line(at), str(len(values)))
