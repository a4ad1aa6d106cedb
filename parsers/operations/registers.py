"""Operations on registers: counting, shifting, delaying, synchronising, detecting edges."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from hdlgraph.model import Operation
from hdlgraph.parsers.operations.code import Assignment, Code, stem

_ONE = (
    r"(?:\d*'s?[bdhBDH]0*1|1|\w+'\((?:1'b)?1\)|\{\{[^{}]{1,40}\{1'b0\}\},1'b1\}"
    r"|\{\{\(?[^{}]{1,40}\)?\{1'b0\}\},1'b1\})"
)
_STEP = re.compile(rf"([A-Za-z_]\w*(?:\.\w+|\[\w+\])?)([-+]){_ONE}(?![\w'\[])")
_SHIFT_IN = re.compile(r"\{([A-Za-z_]\w*)\[([^\[\]]+):([^\[\]:]+)\],(.+)\}")
_SHIFT_OUT = re.compile(r"\{(.+),([A-Za-z_]\w*)\[([^\[\]]+):([^\[\]:]+)\]\}")
_SHIFT_BY = re.compile(r"\(*([A-Za-z_]\w*)(<<<?|>>>?)\(?\w[\w'+-]*\)*")
_EDGE = re.compile(
    r"(?<![\w$.`'~!])(?:(?P<a>[A-Za-z_]\w*)&&?[~!]\(?(?P<b>[A-Za-z_]\w*)\)?(?![\w\[(])"
    r"|[~!]\(?(?P<c>[A-Za-z_]\w*)\)?&&?(?P<d>[A-Za-z_]\w*)(?![\w\[(])"
    r"|(?P<e>[A-Za-z_]\w*)(?:\^|!=)(?P<f>[A-Za-z_]\w*)(?![\w\[(]))"
)
_NAME = re.compile(r"[A-Za-z_]\w*")
_LEAF = re.compile(r"(?:^|[?:(])([A-Za-z_]\w*)(?=[:)]|$)")
_SYNC = re.compile(r"sync|meta|cdc|async|2ff|_ff2|dff2", re.I)
_MAX_CHAIN = 16
_TRIES = 40
"""Sums of one unit whose way back to their register is followed."""
_RESET_VALUE = re.compile(
    r"\d*'s?[bdhBDH]?[\da-fxz_]+|\d+|'[01]|\{[^{}]{1,80}\{[^{}]{0,80}\}\}|'\{.*\}"
    r"|[A-Z][A-Z0-9_]*|`\w+"
)


def counters(code: Code) -> Iterator[Operation]:
    """Yields the registers that go up or down by one, with the value at which they are tested."""
    steps: dict[str, tuple[int, str, set[str]]] = {}
    tries = _TRIES
    for one in code.assignments:
        if one.operator in ("+=", "-=") and re.fullmatch(_ONE, one.right):
            pairs = [(one.name, one.operator[0])]
        elif "+" in one.right or "-" in one.right:
            found = (m for m in _STEP.finditer(one.right) if _is_whole_term(one.right, m))
            pairs = [
                (m[1], m[2])
                for m in found
                if _is_kept(code, one, m[1])
                and (_same(m[1], one.left) or (tries := tries - 1) > 0)
                and (_same(m[1], one.left) or _reaches(code, one.name, m[1]))
            ]
        else:
            continue
        for name, sign in pairs:
            base = name.partition("[")[0]
            _, _, signs = steps.setdefault(stem(base), (one.at, base, set()))
            signs.add(sign)
    limits = _limits(code)
    kinds = {"+": "counts", "-": "counts down", "+-": "counts up and down"}
    for at, name, signs in steps.values():
        limit = limits.get(name, "") if "-" not in signs else ""
        yield Operation(kinds["".join(sorted(signs))], (name,), code.line(at), limit)


def _is_whole_term(text: str, match: re.Match[str]) -> bool:
    """Returns whether a step is an operand of its own, and no part of a product or an index."""
    before = text[match.start() - 1] if match.start() else ""
    after = text[match.end() : match.end() + 1]
    return before in ("", "(", "?", ":", ")", "'") and after in ("", ")", ":", ";", "?", "}")


def _same(name: str, left: str) -> bool:
    base = re.sub(r"\[.*", "", left)
    return name in (left, base) or (
        stem(name.partition("[")[0]) == stem(base) and "." not in name and "." not in left
    )


def _reaches(code: Code, name: str, register: str) -> bool:
    """Returns whether a register takes a value by way of at most three plain choices."""
    front = {name}
    for _ in range(3):
        front = {
            one.name
            for one in code.assignments
            if one.left[0] != "{" and front & set(_LEAF.findall(one.right))
        }
        if register in front:
            return True
    return False


def _is_kept(code: Code, one: Assignment, name: str) -> bool:
    """Returns whether a value lives over clock cycles: a clock edge writes it or its twin."""
    base = re.split(r"[.\[]", name)[0]
    if one.clocked or any(other.clocked for other in code.by_name.get(base, ())):
        return True
    return base != one.name and any(
        base in joined and one.name in joined for joined in code.joined[:200]
    )


def _limits(code: Code) -> dict[str, str]:
    """Returns the named constant with which each name is compared first."""
    found: dict[str, str] = {}
    for name, value, _ in code.comparisons:
        if value not in code.declared and value == value.upper() and "'" not in value:
            found.setdefault(name, value)
    return found


def shifts(code: Code) -> Iterator[Operation]:
    """Yields the registers that are shifted by one place, and linear-feedback shift registers."""
    seen: set[str] = set()
    for one in code.assignments:
        if "{" in one.right:
            found = _shift_register(one, one.right)
        elif one.clocked and ("<<" in one.right or ">>" in one.right):
            match = _SHIFT_BY.fullmatch(one.right)
            is_own = match and _same(match[1], one.left)
            way = "shifts left" if match and "<" in match[2] else "shifts right"
            found = (way, match[1], "") if match and is_own else None
        else:
            continue
        if not found or stem(one.name) in seen or not _is_kept(code, one, found[1]):
            continue
        kind, name, fed = found
        seen.add(stem(one.name))
        if "^" in one.right and re.search("crc", name, re.I):
            yield Operation("computes CRC", (name,), code.line(one.at))
        elif _is_linear_feedback(code, name, fed):
            yield Operation("linear feedback", (name,), code.line(one.at))
        else:
            simple = re.fullmatch(r"([A-Za-z_]\w*)(?:\[[\w:+-]+\])?", fed)
            is_told = simple and simple[1] != name and simple[1] in code.declared
            names = (name, simple[1]) if simple and is_told else (name,)
            yield Operation(kind, names, code.line(one.at))


def _is_linear_feedback(code: Code, name: str, fed: str) -> bool:
    """Returns whether what is shifted in is an XOR of bits of the register itself."""
    if fed.count(f"{name}[") >= 2 and "^" in fed and _only_own_bits(fed, name):
        return True
    given = code.by_name.get(fed, ())
    return any("^" in one.right and re.search(rf"(?<!\w){name}(?!\w)", one.right) for one in given)


def _only_own_bits(fed: str, name: str) -> bool:
    names = set(re.findall(r"(?<!['\w])[A-Za-z_]\w*", fed))
    return names == {name}


def _shift_register(one: Assignment, right: str) -> tuple[str, str, str] | None:
    """Returns (way, register, what is shifted in) of `{reg[n:0], in}` and `{in, reg[n:1]}`."""
    start = right.find("{")
    end = _closing_brace(right, start)
    text = right[start:end]
    left = _SHIFT_IN.fullmatch(text)
    if left and _same(left[1], one.left) and left[3] == "0":
        return "shifts left", left[1], left[4]
    out = _SHIFT_OUT.fullmatch(text)
    if out and _same(out[2], one.left) and out[4] not in ("0", ""):
        return "shifts right", out[2], out[1]
    return None


def _closing_brace(text: str, start: int) -> int:
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at + 1
    return len(text)


def chains(code: Code) -> Iterator[Operation]:
    """Yields values that pass unchanged through two or more registers in a row.

    Where a name says so the chain synchronises to another clock, else it delays.
    """
    source: dict[str, tuple[str, int]] = {}
    for name, given in code.by_name.items():
        copied = [one for one in given if one.clocked and one.left == name]
        plain = {one.right for one in copied if _NAME.fullmatch(one.right)} & code.declared
        other = (one.right for one in copied if one.right not in plain)
        others = [right for right in other if not _is_reset_value(right)]
        if len(plain) == 1 and not others and len(copied) == len(given):
            source[name] = (plain.pop(), copied[-1].at)
    followed = {first for first, _ in source.values()}
    for last in source:
        if last in followed:
            continue
        path, at = [last], source[last][1]
        while path[-1] in source and len(path) <= _MAX_CHAIN and source[path[-1]][0] not in path:
            path.append(source[path[-1]][0])
        stages = len(path) - 1
        if stages < 2:
            continue
        kind = "synchronises" if any(_SYNC.search(name) for name in path) else "delays"
        if kind == "synchronises" and stages > 4:
            kind = "delays"
        yield Operation(kind, (path[-1], last), code.line(at), str(stages))


def _is_reset_value(right: str) -> bool:
    return bool(_RESET_VALUE.fullmatch(right))


def edges(code: Code) -> Iterator[Operation]:
    """Yields signals that are compared with their own value one clock earlier."""
    delayed: dict[str, str] = {}
    for name, given in code.by_name.items():
        copies = [one for one in given if one.clocked and one.left == name]
        sources = {one.right for one in copies if not _is_reset_value(one.right)}
        if len(copies) == len(given) and len(sources) == 1:
            (right,) = sources
            if _NAME.fullmatch(right) and right in code.declared:
                delayed[name] = right
    if not delayed:
        return
    seen: set[tuple[str, str]] = set()
    for one in code.assignments:
        if not ("&" in one.right or "^" in one.right or "!=" in one.right):
            continue
        for match in _EDGE.finditer(one.right):
            found = _edge(match, delayed)
            if found and found not in seen:
                seen.add(found)
                yield Operation("detects edge", (found[1],), code.line(one.at), found[0])


def _edge(match: re.Match[str], delayed: dict[str, str]) -> tuple[str, str] | None:
    """Returns (rising, falling or any; the signal) where one operand is the other, delayed."""
    if match["a"]:
        now, before = match["a"], match["b"]
        if delayed.get(before) == now:
            return "rising", now
        return ("falling", before) if delayed.get(now) == before else None
    if match["c"]:
        negated, plain = match["c"], match["d"]
        if delayed.get(negated) == plain:
            return "rising", plain
        return ("falling", negated) if delayed.get(plain) == negated else None
    for now, before in ((match["e"], match["f"]), (match["f"], match["e"])):
        if delayed.get(before) == now:
            return "any", now
    return None


def toggles(code: Code) -> Iterator[Operation]:
    """Yields registers that are inverted by a clock edge."""
    grouped: dict[str, int] = defaultdict(int)
    for one in code.assignments:
        if one.clocked and one.right in (f"~{one.left}", f"!{one.left}"):
            grouped.setdefault(one.name, one.at)
    for name, at in grouped.items():
        yield Operation("toggles", (name,), code.line(at))


def saturation(code: Code) -> Iterator[Operation]:
    """Yields counters that stop at their limit, and values that are clipped to one."""
    for one in code.assignments:
        match = _CLIPS.fullmatch(one.right) if "?" in one.right else None
        if match:
            value, limit, first, second = match["value"], match["limit"], match["x"], match["y"]
            if {first, second} == {value, limit} and limit not in code.declared:
                yield Operation("saturates", (one.name, value), code.line(one.at), limit)


_CLIPS = re.compile(
    r"\(?(?P<value>[A-Za-z_]\w*)(?:>=?|<=?)(?P<limit>[\w'`]+)\)?\?(?P<x>[\w'`]+):(?P<y>[\w'`]+)"
)
