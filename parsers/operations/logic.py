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
_LOWEST = re.compile(
    rf"(?P<a>{_N})&\(?(?:~\(?(?P<b>{_N})-(?:\d*'[bdh])?0*1|\(?~(?P<c>{_N})\)?\+(?:\d*'[bdh])?0*1"
    rf"|-(?P<d>{_N}))"
)
_BYTES = re.compile(rf"({_N})\[(\d+)(?::|-:|\+:)(\d+)\]")
_STREAM = re.compile(rf"\{{<<(?P<size>\w*)\{{(?P<name>{_N})")
_REVERSED = re.compile(rf"({_N})\[(?:({_N})-1-({_N})|\(?({_N})-1\)?-({_N})|(\w+)-({_N}))\]")
_COUNT_ONES = re.compile(rf"\$countones\((.+?)\)")
_ADDED_BIT = re.compile(rf"\+\(?(?:{_N}'\()?\(?({_N})\[({_N})\]\)?$|^\(?({_N})\[({_N})\]\)?\+")
_PARITY = re.compile(rf"(~?\^)\(?({_N})(?:\[[\w:+-]+\])?\)?")
_XOR_BITS = re.compile(rf"{_N}\[\d+\](?:\^{_N}\[\d+\])+")
_OPERAND = rf"(?:\$(?:un)?signed\()?({_N})(?:\[[^\[\]]*\])?\)?"
_TIMES = re.compile(rf"(?<![\w$.`'(*]){_OPERAND}(\*|/|%)(?!\*){_OPERAND}")
_BY_AMOUNT = re.compile(rf"{_OPERAND}(<<<?|>>>?)\(?({_N})(?:\[[^\[\]]*\])?\)?")
_LESS = re.compile(rf"\(?{_OPERAND}(<|>|<=|>=|==|!=){_OPERAND}\)?")
_SUM = re.compile(rf"\(?{_OPERAND}([-+]){_OPERAND}\)?")
_EXTENDS = re.compile(rf"\{{\{{[^{{}}]+\{{({_N})(?:\[[^\[\]]+\])\}}\}},\1")
_HIGH_Z = re.compile(rf"\(?[~!]?({_N})(?:\[\w+\])?(?:==1'b[01])?\)?\?(.+):\(?(?:\d*'b[zZ]+|'z|'bz|\d*'h[zZ]+)\)?"
                     rf"|\(?[~!]?({_N})(?:\[\w+\])?\)?\?(?:\d*'b[zZ]+|'z|'bz):(.+)")


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
        elif parity := _PARITY.fullmatch(one.right):
            detail = "odd" if "~" in parity[1] else "even"
            yield Operation("computes parity", (one.name, parity[2]), code.line(one.at), detail)
        elif "[" in one.left and _XOR_BITS.fullmatch(one.right):
            networks[one.name].append(one)
    for name, found in networks.items():
        if len(found) >= 4:
            sources = sorted({m for one in found for m in re.findall(rf"({_N})\[", one.right)})
            kind = "computes CRC" if re.search("crc", name + code.unit.name, re.I) else "XORs bits"
            yield Operation(kind, (name, *sources[:3]), code.line(found[0].at), str(len(found)))


def priority(code: Code) -> Iterator[Operation]:
    """Yields where the lowest set bit of a vector is picked, which serves requests by priority."""
    seen: set[str] = set()
    for one in code.assignments:
        match = _LOWEST.search(one.right) if "&" in one.right else None
        if match and match["a"] == (match["b"] or match["c"] or match["d"]) and match["a"] not in seen:
            seen.add(match["a"])
            yield Operation("picks lowest", (one.name, match["a"]), code.line(one.at))


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
            vector = _sums_bits(one)
            if vector and vector not in counted:
                counted.add(vector)
                yield Operation("counts ones", (one.name, vector), code.line(one.at))


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
    match = re.fullmatch(
        rf"{re.escape(one.left)}\+\(?(?:{_N}'\()?({_N})\[({_N})\]\)?", one.right
    ) or re.fullmatch(rf"({_N})\[({_N})\]\+{re.escape(one.left)}", one.right)
    return match[1] if match and match[1] != one.name else ""


def arithmetic(code: Code) -> Iterator[Operation]:
    """Yields products, quotients, sums, shifts by an amount, and comparisons of two signals."""
    said: set[tuple[str, str]] = set()
    for one in code.assignments:
        for kind, names, detail in _arithmetic(code, one.right):
            if (kind, one.name) not in said:
                said.add((kind, one.name))
                yield Operation(kind, (one.name, *names), code.line(one.at), detail)


_WORDS = {"*": "multiplies", "/": "divides", "%": "takes remainder"}


def _arithmetic(code: Code, right: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    known = code.declared
    if "*" in right or "/" in right or "%" in right:
        for match in _TIMES.finditer(right):
            if match[1] in known and match[3] in known and not _in_index(right, match.start()):
                yield _WORDS[match[2]], (match[1], match[3]), ""
    if "<<" in right or ">>" in right:
        for match in _BY_AMOUNT.finditer(right):
            if match[1] in known and match[3] in known and not _in_index(right, match.start()):
                way = "left" if "<" in match[2] else "right"
                arithmetic_way = f"arithmetically {way}" if match[2] == ">>>" else way
                yield "shifts by", (match[1], match[3]), arithmetic_way
    compared = _LESS.fullmatch(right)
    if compared and compared[1] in known and compared[3] in known:
        yield "compares", (compared[1], compared[3]), compared[2]
    added = _SUM.fullmatch(right)
    if added and added[1] in known and added[3] in known:
        yield ("adds" if added[2] == "+" else "subtracts"), (added[1], added[3]), ""


def _in_index(text: str, at: int) -> bool:
    before = text[:at]
    return before.count("[") > before.count("]")


def joining(code: Code) -> Iterator[Operation]:
    """Yields choices between two signals, packed and unpacked vectors, sign extension, pads."""
    for one in code.assignments:
        right = one.right
        if "?" in right:
            yield from _choice(code, one)
        elif right[0] == "{" and right[-1] == "}" and one.left[0] != "{":
            parts = right[1:-1].split(",")
            if 3 <= len(parts) <= 12 and all(part in code.declared for part in parts):
                if len(set(parts)) == len(parts):
                    yield Operation("packs", (one.name, *parts[:6]), code.line(one.at))
            elif extended := _EXTENDS.match(right):
                yield Operation("extends sign", (one.name, extended[1]), code.line(one.at))
        elif one.left[0] == "{" and right in code.declared:
            parts = one.left[1:-1].split(",")
            if len(parts) >= 2 and all(part in code.declared for part in parts):
                yield Operation("unpacks", (right, *parts[:6]), code.line(one.at))


def _choice(code: Code, one: Assignment) -> Iterator[Operation]:
    right = one.right
    pad = _HIGH_Z.fullmatch(right)
    if pad:
        enable, data = pad[1] or pad[3], pad[2] or pad[4]
        known = tuple(n for n in re.findall(_N, data) if n in code.declared)[:1]
        yield Operation("drives pad", (one.name, enable, *known), code.line(one.at))
        return
    plain = re.fullmatch(rf"\(?({_N})\)?\?\(?({_N})\)?:\(?({_N})\)?", right)
    if plain and {plain[1], plain[2], plain[3]} <= code.declared and one.name not in plain.groups():
        yield Operation("selects", (one.name, plain[2], plain[3], plain[1]), code.line(one.at))
