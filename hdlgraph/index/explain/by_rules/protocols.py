"""Port groups: which bus or handshake a unit's ports speak, by their names and types."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from hdlgraph.index.explain.by_rules.buses import BUSES, Bus
from hdlgraph.index.explain.by_rules.phrases import Vocabulary, join
from hdlgraph.model import Port, Unit

_LEADING = re.compile(r"^([io]|io|in|out)_(?=\w)", re.I)
_TRAILING = re.compile(r"_(([bn]?[io])|(n[io])|io|p[io]|in|out|q|n|b)$", re.I)
_CLOCK = re.compile(r"(^|_)(a?clk|clock|tck|sclk|pclk|hclk)\w*$|^clk\w*", re.I)
_RESET = re.compile(r"(^|_)(a?rst|reset|por)\w*$|^(a?rst|reset)\w*", re.I)

_PORTS = re.compile(r"(^|_)ports?(_|$)", re.I)
"""Names with a part that begins like a power-on reset and is none."""
_PLAIN = re.compile(r"(?:(?:wire|logic|reg|bit|var|tri|signed)\b|\[|$)")
"""Types of ports that are no structures."""

_KNOWN = frozenset(leaf for bus in BUSES for leaf in (*bus.needs, *bus.also, *bus.unless))
_GLUED = re.compile(
    r"(.+)([at]?[rw](?:valid|ready)|t(?:valid|ready|data)|haddr|htrans|hwrite|psel)"
)
_BY_TYPE = (
    (re.compile(r"\btl_h2d_t$"), "TileLink (TL-UL) bus", ("device side", "host side")),
    (re.compile(r"\balert_tx_t$"), "differential alert", ("alert receiver", "alert sender")),
    (re.compile(r"\besc_tx_t$"), "escalation signal", ("escalation receiver", "escalation sender")),
    (re.compile(r"\blc_tx_t$"), "life cycle control signals", ("", "")),
    (re.compile(r"\bjtag_req_t$"), "JTAG test port", ("chip side", "debugger side")),
    (re.compile(r"\bdmi_req_t$"), "debug module interface", ("", "")),
)
_OBSERVES = re.compile(r"check|monitor|trace|sva|assert|propert|cover|_cov|count|observ", re.I)
_LOOSE = frozenset({"write and read queue port", "differential pair"})
"""Protocols that two names make which stand for other things too."""
_LINES = (
    (re.compile(r"^intr_|_intr$|^irq|_irq$|_irqs?$|interrupt", re.I), "interrupt lines"),
    (re.compile(r"scan_?mode|scan_?en|scan_?rst|test_en|testmode|test_mode", re.I), "scan test"),
    (re.compile(r"^rvfi_", re.I), "RISC-V formal interface (RVFI) trace of retired instructions"),
    (re.compile(r"^alert_(?!rx|tx)", re.I), "alert lines"),
    (re.compile(r"(^|_)(err|error|fault|fatal)(_|$)", re.I), "error outputs"),
    (re.compile(r"(^|_)(debug|dbg)_(req|halt)|debug_mode", re.I), "debug request"),
)


class PortGroup(NamedTuple):
    """Ports that speak one protocol; `prefixes` distinguishes several such groups."""

    protocol: str
    side: str
    prefixes: tuple[str, ...]
    ports: tuple[str, ...]


@lru_cache(maxsize=1 << 16)
def bare(name: str) -> str:
    """Returns a port name without its direction markers, in lower case."""
    return _TRAILING.sub("", _LEADING.sub("", name)).lower()


@lru_cache(maxsize=4096)
def port_groups(ports: tuple[Port, ...]) -> list[PortGroup]:
    """Returns the recognised groups of `ports`, most specific protocol first."""
    found: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    taken: set[str] = set()
    for port in ports:
        typed = _typed(port)
        if typed:
            _note(found, typed, bare(port.name), [port.name])
            taken.add(port.name)
    free = [p for p in ports if p.name not in taken and not _is_line(p.name)]
    leaves = {leaf for port in free for leaf, _ in _leaves(port.name)}
    for bus in BUSES:
        if leaves.issuperset(bus.needs):
            free = _take(bus, free, found)
    left = {port.name for port in free}
    for port in ports:
        for pattern, what in _LINES:
            wanted = port.direction == "output" or what != "error outputs"
            if wanted and pattern.search(port.name):
                _note(found, (what, ""), "", [port.name])
                if port.name in left and what != "error outputs":
                    left.discard(port.name)
    return [
        PortGroup(what, side, tuple(dict.fromkeys(filter(None, prefixes))), tuple(names))
        for (what, side), (prefixes, names) in found.items()
    ]


def _typed(port: Port) -> tuple[str, str] | None:
    words = port.type.replace("[", " ").split()
    for word in words[:2]:
        for pattern, what, (inward, outward) in _BY_TYPE:
            if pattern.search(word):
                return what, outward if port.direction == "output" else inward
    return None


def is_timing(name: str) -> bool:
    """Returns whether a port is a clock or a reset, by its name."""
    return bool(_CLOCK.search(name) or _RESET.search(name))


def is_proven_timing(name: str) -> bool:
    """Returns the same for people: a port for requests (`req_port`) is no power-on reset."""
    return is_timing(name) and not _PORTS.search(name)


def _is_line(name: str) -> bool:
    return bool(_CLOCK.match(name) or _RESET.match(name)) and "tck" not in name.lower()


def _note(found: dict[Any, Any], key: tuple[str, str], prefix: str, names: Iterable[str]) -> None:
    prefixes, ports = found.setdefault(key, ([], []))
    prefixes.append(prefix)
    ports.extend(names)


@lru_cache(maxsize=1 << 16)
def _leaves(name: str) -> tuple[tuple[str, str], ...]:
    """Returns the (leaf, prefix) readings of a port name: `s_aw_valid_i` as awvalid of s, ..."""
    pieces = bare(name).split("_")
    out = [(pieces[-1], "_".join(pieces[:-1]))]
    if len(pieces) > 1:
        prefix = "_".join(pieces[:-2])
        out.append(("_".join(pieces[-2:]), prefix))
        out.append(("".join(pieces[-2:]), prefix))
    if len(pieces) > 2:
        out.append(("_".join(pieces[-3:]), "_".join(pieces[:-3])))
    glued = _GLUED.fullmatch(pieces[-1])
    if glued:
        out.append((glued[2], "_".join([*pieces[:-1], glued[1]])))
    return tuple(dict.fromkeys(pair for pair in out if pair[0] in _KNOWN))


def _take(bus: Bus, ports: list[Port], found: dict[Any, Any]) -> list[Port]:
    """Records the groups of `bus` and returns the ports that it leaves over."""
    by_prefix: dict[str, dict[str, Port]] = defaultdict(dict)
    signals = {*bus.needs, *bus.also, *bus.unless}
    for port in ports:
        for leaf, prefix in _leaves(port.name):
            if leaf in signals:
                by_prefix[prefix][leaf] = port
    taken: set[str] = set()
    named = sorted((bare(port.name), port.name) for port in ports)
    for prefix, all_leaves in by_prefix.items():
        leaves = {leaf: port for leaf, port in all_leaves.items() if leaf in bus.needs}
        side = _side(bus, leaves, set(all_leaves))
        if side is None:
            continue
        taken.update(port.name for port in leaves.values())
        if len(bus.needs) > 2 and prefix:
            for at in range(bisect_left(named, (prefix,)), len(named)):
                if not named[at][0].startswith(prefix):
                    break
                taken.add(named[at][1])
        name = "Wishbone bus" if bus.name == "simple bus" and "wb" in prefix else bus.name
        _note(found, (name, side), prefix, [port.name for port in leaves.values()])
    return [port for port in ports if port.name not in taken]


def _side(bus: Bus, leaves: dict[str, Port], names: set[str]) -> str | None:
    """Returns which side of a bus ports are, "" where that is open; None where they are no bus.

    Both ends of a handshake go different ways; a unit into which both come observes them.
    """
    if len(leaves) < len(set(bus.needs)) or names & set(bus.unless):
        return None
    if bus.also and not names & set(bus.also):
        return None
    if bus.single and any("[" in port.type for port in leaves.values()):
        return None
    starter, answer = leaves.get(bus.initiator), leaves.get(bus.answer)
    if starter is None:
        return ""
    ways = {port.direction for port in (starter, answer) if port is not None}
    if answer is not None and ways == {"input"}:
        return "observer"
    if answer is not None and ways == {"output"}:
        return None
    return bus.sides[0 if starter.direction == "output" else 1]


def describe_ports(
    unit: Unit, vocabulary: Vocabulary, limit: int = 14, proven: bool = False
) -> str:
    """Returns the interfaces of a unit in words: protocols, then the other ports, then clocks.

    Args:
        unit: whose ports they are.
        vocabulary: how names are said.
        limit: how many other ports of a direction are listed at most.
        proven: whether groups are left out that may as well be something else.
    """
    groups = [g for g in port_groups(unit.ports) if not proven or _is_proven(g, unit)]
    texts = [_group_text(group, vocabulary) for group in groups]
    grouped = {name for group in groups for name in group.ports}
    clocks, resets, others = [], [], []
    for port in unit.ports:
        is_line = port.direction != "interface" and not (proven and not _may_be_clock(port))
        if is_line and _CLOCK.search(port.name) and port.name not in grouped:
            clocks.append(port.name)
        elif is_line and _RESET.search(port.name) and port.name not in grouped:
            resets.append(port.name)
        elif port.name not in grouped or port.direction == "interface":
            others.append(port)
    out = [", ".join(texts)] if texts else []
    out += _directions(others, vocabulary, limit)
    if len(clocks) + len(resets) > 2:
        names = [vocabulary.words(bare(name)) for name in (clocks + resets)[:6]]
        out.append("clocks and resets: " + join(list(dict.fromkeys(names))))
    return ". ".join(text[:1].upper() + text[1:] for text in out if text)


def _may_be_clock(port: Port) -> bool:
    """Returns whether a port is a plain line with no name for requests (`req_port`) or the like."""
    return bool(_PLAIN.match(port.type)) and not _PORTS.search(port.name)


def _is_proven(group: PortGroup, unit: Unit) -> bool:
    """Returns whether ports are the protocol that their names say, whatever the unit is.

    Both ends of a handshake come into a unit that observes it, but also into one with two of them.
    """
    if group.side == "observer":
        outward = any(port.direction == "output" for port in unit.ports)
        return not outward or bool(_OBSERVES.search(unit.name))
    return group.protocol not in _LOOSE


def _group_text(group: PortGroup, vocabulary: Vocabulary) -> str:
    names = [vocabulary.words(p) for p in group.prefixes]
    where = [name for name in dict.fromkeys(names) if name and name.lower() not in group.protocol]
    text = group.protocol + (f" as {group.side}" if group.side else "")
    return text + (f" ({', '.join(where[:4])})" if where else "")


def _directions(ports: Sequence[Port], vocabulary: Vocabulary, limit: int) -> list[str]:
    out = []
    for direction, label in (
        ("interface", "interfaces"),
        ("input", "takes"),
        ("output", "gives"),
        ("inout", "bidirectional"),
    ):
        chosen = [port for port in ports if port.direction == direction]
        if direction == "interface":
            text = vocabulary.listing((p.type.partition(".")[0] or p.name for p in chosen), limit)
        else:
            text = vocabulary.listing((bare(p.name) for p in chosen), limit)
        if text:
            out.append(f"{label} {text}")
    return out
