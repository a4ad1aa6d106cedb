"""Address maps as RTL writes them: rules, arrays of bases and masks, comparisons of addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.query.reach.constants import Constants, role, size_of
from hdlgraph.query.reach.equals import ADDRESS, equal_regions
from hdlgraph.query.reach.masked import Masked, masked_compares
from hdlgraph.query.reach.numbers import NoNumberError
from hdlgraph.query.reach.records import Region
from hdlgraph.query.unused.texts import Text

_RULE = re.compile(
    r"'\{\s*(?:\w+\s*:\s*)?([\w:']{1,80})\s*,\s*start_addr\s*:\s*([^,{}]{1,200}),"
    r"\s*end_addr\s*:\s*([^,{}]{1,200})\}"
)
_ASSIGNED = re.compile(r"\b(\w{1,80})\s*\[\s*([A-Za-z_]\w{0,80})\s*\]\s*=\s*([^=;][^;]{0,200});")
_ELEMENT = re.compile(r"base\w{0,80}\s*\[\s*[A-Za-z_]\w{0,80}\s*\]\s*=", re.IGNORECASE)
"""An entry of an array of bases."""
_RANGE = re.compile(
    r"([A-Za-z_][\w.]{0,80}(?:\[[^\]]{0,40}\])?)\s*>=\s*([\w:']{1,80})\s*\)?\s*&&\s*\(?\s*"
    r"\1\s*(<=?)\s*([\w:'+ ]{1,120})"
)
_IN_RANGE = re.compile(r">=\s*[\w:']{1,80}\s*\)?\s*&&")
"""What is in all that `_RANGE` finds. It begins with a sign that few lines have, and a pattern that
begins with a name is tried at each letter of a file."""
_MASKED = re.compile(
    r"([A-Za-z_][\w.]{0,80})\s*&\s*~\s*\(?\s*([\w:']{1,80})\s*\)?\s*\)\s*==\s*([\w:']{1,80})"
)
_IN_MASKED = re.compile(r"&\s*~\s*\(?\s*[\w:']{1,80}\s*\)?\s*\)\s*==\s*[\w:']")
"""The same of `_MASKED`."""
_UNDER = re.compile(r"&\s*[\w{][^;&|]{0,200}\)\s*==")
_LEFT = re.compile(r"(\w+)\s*(?:<=|=)\s*'\{\s*$")


_Compared = dict[str, tuple[dict[Region, None], dict[str, None]]]
"""The regions of units, and the signals that are compared with them."""


class Map(NamedTuple):
    """A map in a unit: its regions, the net that holds it, the signals that are compared with it.

    `net` is "" where the comparison stands in the unit itself; `compared` are then the signals.
    """

    unit: str
    path: str
    regions: tuple[Region, ...]
    net: str = ""
    compared: tuple[str, ...] = ()


class Units(NamedTuple):
    """The units of a file: (name, first line, last line)."""

    ranges: tuple[tuple[str, int, int], ...]

    def at(self, line: int) -> str:
        """Returns the name of the innermost unit around a line, "" for none."""
        found = [one for one in self.ranges if one[1] <= line <= max(one[1], one[2])]
        return max(found, key=lambda one: one[1])[0] if found else ""


def maps_of(text: Text, units: Units, constants: Constants) -> Iterator[Map]:
    """Yields the maps that the code of a file writes down."""
    code = text.code
    if "start_addr" in code:
        yield from _rules(text, units, constants)
    if _ELEMENT.search(code):
        yield from _arrays(text, units, constants)
    if any(sign in code for sign in (">=", "==", "case", "~(", "& ~")):
        yield from _comparisons(text, units, constants)


def _rules(text: Text, units: Units, constants: Constants) -> Iterator[Map]:
    found: dict[tuple[str, str], list[Region]] = {}
    net = ""
    for one in _RULE.finditer(text.code):
        line = text.line(one.start())
        unit = units.at(line)
        left = _LEFT.search(text.code, max(0, one.start() - 200), one.start())
        net = left[1] if left else net
        region = _region(
            constants, unit, one[1], one[2], ("below", one[3]), text.path, line, "a rule of a map"
        )
        if region:
            found.setdefault((unit, net), []).append(region)
    for (unit, net), regions in found.items():
        yield Map(unit, text.path, tuple(regions), net)


def _region(
    constants: Constants, unit: str, name: str, base: str, other: tuple[str, str],
    path: str, line: int, how: str,
) -> Region | None:  # fmt: skip
    """Returns a region from the texts of its base and of its size, end or mask."""
    kind, text = other
    try:
        start = constants.value_of(base, unit)
        number = constants.value_of(text, unit)
    except NoNumberError:
        return None
    size = number - start if kind == "below" else size_of(kind, number, start)
    if start < 0 or size <= 0:
        return None
    plain = name.rpartition("::")[2]
    plain = f"device {plain.rpartition('d')[2]}" if "'" in plain or plain.isdigit() else plain
    return Region(plain, start, size, "", unit, path, line, how)


def _arrays(text: Text, units: Units, constants: Constants) -> Iterator[Map]:
    """Yields maps of two arrays, of bases and of masks or sizes, with an entry for each block."""
    found: dict[tuple[str, str], dict[str, tuple[str, str, int]]] = {}
    for one in _ASSIGNED.finditer(text.code):
        kind = role(one[1])
        if kind:
            line = text.line(one.start())
            entries = found.setdefault((units.at(line), one[2]), {})
            entries.setdefault(kind, (one[3], one[1], line))
    maps: dict[tuple[str, str], list[Region]] = {}
    for (unit, name), entries in found.items():
        other = next((kind for kind in ("mask", "size", "end") if kind in entries), "")
        if "base" not in entries or not other:
            continue
        base, net, line = entries["base"]
        given = (other, entries[other][0])
        region = _region(constants, unit, name, base, given, text.path, line, f"entry of {net}")
        if region:
            maps.setdefault((unit, net), []).append(region)
    for (unit, net), regions in maps.items():
        yield Map(unit, text.path, tuple(regions), net)


def _comparisons(text: Text, units: Units, constants: Constants) -> Iterator[Map]:
    """Yields the maps that comparisons of addresses make: ranges, and bases under masks."""
    found: _Compared = {}
    ranged = (
        (one, one[1], one[2], ("below" if one[3] == "<" else "end", one[4]))
        for one in _found(_IN_RANGE, _RANGE, text.code)
    )
    masked = (
        (one, one[1], one[3], ("mask", one[2])) for one in _found(_IN_MASKED, _MASKED, text.code)
    )
    for one, signal, base, other in (*ranged, *masked):
        if not ADDRESS.search(signal):
            continue
        line = text.line(one.start())
        unit = units.at(line)
        name = "_".join(_short(base)) or f"at line {line}"
        region = _region(constants, unit, name, base, other, text.path, line, "a comparison")
        if region:
            _add(found, unit, region, signal)
    for unit, region, signal in equal_regions(text, units.at, constants):
        _add(found, unit, region, signal)
    for unit, region, signal in _under_masks(text, units, constants):
        _add(found, unit, region, signal)
    for unit, (regions, signals) in found.items():
        yield Map(unit, text.path, tuple(regions), "", tuple(signals))


def _under_masks(
    text: Text, units: Units, constants: Constants
) -> Iterator[tuple[str, Region, str]]:
    """Yields (unit, region, signal) of compares under a mask; one alone is no map."""
    found: dict[tuple[str, str], list[Masked]] = {}
    for one in masked_compares(text, constants) if _UNDER.search(text.code) else ():
        found.setdefault((units.at(text.line(one.at)), one.signal), []).append(one)
    for (unit, signal), them in found.items():
        for one in them if len(them) > 1 else ():
            line = text.line(one.at)
            name = one.name or f"at line {line}"
            how = "a comparison under a mask"
            yield unit, Region(name, one.base, one.size, "", unit, text.path, line, how), signal


def _add(found: _Compared, unit: str, region: Region, signal: str) -> None:
    """Notes a region of a unit, each of a base and size once, and the signal compared with it."""
    regions, signals = found.setdefault(unit, ({}, {}))
    if not any((one.base, one.size) == (region.base, region.size) for one in regions):
        regions[region] = None
    signals[signal.partition("[")[0]] = None


def _found(part: re.Pattern[str], whole: re.Pattern[str], code: str) -> Iterator[re.Match[str]]:
    """Returns the matches of a pattern, none where the code lacks what is in all of them."""
    return whole.finditer(code) if part.search(code) else iter(())


def _short(name: str) -> tuple[str, ...]:
    from hdlgraph.query.reach.constants import stem

    plain = name.rpartition("::")[2]
    return stem(plain) if not plain[:1].isdigit() and "'" not in plain else ()
