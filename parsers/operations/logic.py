"""Operations of combinational logic: arithmetic, codes, priority, reordered bits."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from hdlgraph.model import Operation
from hdlgraph.parsers.operations.code import Assignment, Code

_N = r"[A-Za-z_]\w*"
_GRAY = re.compile(
    rf"\(?(?P<a>{_N})\^\(?(?P<b>{_N})>>>?(?:\d*'[bd])?0*1\)*"
    rf"|\(*(?P<c>{_N})>>>?(?:\d*'[bd])?0*1\)*\^\(?(?P<d>{_N})\)?"
    rf"|(?P<e>{_N})(?:\[[^\]]*\])?\^\{{1'b0,(?P<f>{_N})\[[^\]:]+:1\]\}}"
)
_UNGRAY = re.compile(rf"\^\(?({_N})>>>?({_N})\)?|\^({_N})\[[^\]:]*:({_N})\]")
_BYTES = re.compile(rf"({_N})\[(\d+)(?::|-:|\+:)(\d+)\]")
_STREAM = re.compile(rf"\{{<<(?P<size>\w*)\{{(?P<name>{_N})")
_REVERSED = re.compile(rf"({_N})\[(?:({_N})-1-({_N})|\(?({_N})-1\)?-({_N})|(\w+)-({_N}))\]")
_COUNT_ONES = re.compile(r"\$countones\((.+?)\)")
_PARITY = re.compile(rf"(~?\^)\(?({_N})(?:\[[\w:+-]+\])?\)?")
_BIT = re.compile(rf"\(?(?:{_N}'\()?({_N})\[({_N})\]\)?")
_PLAIN_BIT = re.compile(rf"({_N})\[({_N})\]")
_XOR_BITS = re.compile(rf"{_N}\[\d+\](?:\^{_N}\[\d+\])+")


def codes(code: Code) -> Iterator[Operation]:
    """Yields Gray code in both directions, parity, and XOR networks as CRC and ECC have them."""
    networks: dict[str, list[Assignment]] = defaultdict(list)
    for one in code.assignments:
        if "^" not in one.right:
            continue
        gray = _GRAY.fullmatch(one.right)
        if gray and (gray["a"] or gray["c"] or gray["e"]) == (gray["b"] or gray["d"] or gray["f"]):
            name = gray["a"] or gray["c"] or gray["e"]
            yield Operation("encodes gray", (one.name, name), code.line(one.at))
        elif (back := _UNGRAY.fullmatch(one.right)) and "[" in one.left:
            yield Operation("decodes gray", (one.name, back[1] or back[3]), code.line(one.at))
        elif (parity := _PARITY.fullmatch(one.right)) and "unused" not in one.name:
            detail = "odd" if "~" in parity[1] else "even"
            yield Operation("computes parity", (one.name, parity[2]), code.line(one.at), detail)
        elif "[" in one.left and _XOR_BITS.fullmatch(one.right):
            networks[one.name].append(one)
    for name, found in networks.items():
        if len(found) >= 4:
            sources = sorted({m for one in found for m in re.findall(rf"({_N})\[", one.right)})
            kind = "computes CRC" if re.search("crc", name + code.unit.name, re.I) else "XORs bits"
            yield Operation(kind, (name, *sources[:3]), code.line(found[0].at), str(len(found)))


def reordering(code: Code) -> Iterator[Operation]:
    """Yields swapped bytes, reversed bits, and population counts."""
    counted: set[str] = set()
    for one in code.assignments:
        right = one.right
        if "{" in right:
            order = _byte_order(right)
            if order:
                yield Operation("swaps bytes", (one.name, order), code.line(one.at))
            elif stream := _STREAM.search(right):
                kind = "swaps bytes" if stream["size"] in ("8", "byte") else "reverses bits"
                if stream["size"] in ("8", "byte", "", "1"):
                    yield Operation(kind, (one.name, stream["name"]), code.line(one.at))
        elif "[" in one.left and (back := _reversed(one)):
            yield Operation("reverses bits", (one.name, back), code.line(one.at))
        if "$countones" in right and (ones := _COUNT_ONES.search(right)):
            vector = re.match(_N, ones[1].lstrip("~("))
            if vector and vector[0] not in counted:
                counted.add(vector[0])
                yield Operation("counts ones", (one.name, vector[0]), code.line(one.at))
        elif "+" in right and "[" in right and not one.clocked:
            summed = _sums_bits(one)
            if summed and summed not in counted:
                counted.add(summed)
                yield Operation("counts ones", (one.name, summed), code.line(one.at))


def _byte_order(right: str) -> str:
    """Returns the name whose bytes a concatenation holds in reverse order, or ""."""
    if not (right.startswith("{") and right.endswith("}")):
        return ""
    parts = [_BYTES.fullmatch(part) for part in right[1:-1].split(",")]
    found = [part for part in parts if part]
    if len(found) < 2 or len(found) < len(parts) or len({part[1] for part in found}) > 1:
        return ""
    lows = [min(int(part[2]), int(part[3])) for part in found if ":" in part[0]]
    wide = all(
        abs(int(p[2]) - int(p[3])) == 7 for p in found if "+:" not in p[0] and "-:" not in p[0]
    )
    rising = lows == list(range(0, 8 * len(lows), 8))
    return found[0][1] if wide and rising and "+:" not in right and "-:" not in right else ""


def _reversed(one: Assignment) -> str:
    """Returns the vector whose bits a loop assigns in reverse order, or ""."""
    match = _REVERSED.fullmatch(one.right)
    index = re.fullmatch(rf"{_N}\[({_N})\]", one.left)
    if not match or not index:
        return ""
    counter = match[3] or match[5] or match[7]
    is_last = bool(match[2] or match[4] or (match[6] or "").isdigit())
    return match[1] if counter == index[1] and is_last else ""


def _sums_bits(one: Assignment) -> str:
    """Returns the vector whose bits a loop adds up, or ""."""
    left, right = one.left, one.right
    match = _BIT.fullmatch(right, len(left) + 1) if right.startswith(f"{left}+") else None
    if match is None and right.endswith(f"+{left}"):
        match = _PLAIN_BIT.fullmatch(right, 0, len(right) - len(left) - 1)
    return match[1] if match and match[1] != one.name else ""
