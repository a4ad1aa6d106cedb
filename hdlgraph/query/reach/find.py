"""Answers which block stands at an address, or where a register stands, and who reaches it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from hdlgraph.errors import UsageError
from hdlgraph.model import FileRecord, Location
from hdlgraph.query.reach.constants import Constants, named_regions
from hdlgraph.query.reach.crossbars import (
    crossbar_regions,
    ranges_of,
    read_crossbars,
    system_of,
)
from hdlgraph.query.reach.hosts import Hosts
from hdlgraph.query.reach.maps import Map, Units, maps_of
from hdlgraph.query.reach.numbers import NoNumberError, literal
from hdlgraph.query.reach.records import Region
from hdlgraph.query.signals.design import Design
from hdlgraph.query.unused.find import TESTS
from hdlgraph.query.unused.texts import Text
from hdlgraph.store.design.registers import Register, RegisterBlock

SCHEMA = 1
HINTS = ("start_addr", "_base", "_BASE", "ADDR_SPACE", "addr", "ADDR", "Base")
"""A file without any of these has no map."""
DECODERS = 8
"""Units that are named of those that compare addresses with a constant."""
ANSWERS = 50
"""Regions of one answer."""
_NUMBER = re.compile(r"(?:0x[0-9a-fA-F_]+|\d*'[sS]?[hHdDbBoO][0-9a-fA-F_]+|\d[\d_]*)")
_COPY = re.compile(r"(?:_?\d+)?(?:_aon)?$")


class Given(NamedTuple):
    """What answers are made of.

    `read` gives the text of a source, `read_bytes` the bytes of a project file, of which
    `places` are the paths; `parse` reads Hjson.
    """

    records: Sequence[FileRecord]
    design: Design
    blocks: Sequence[RegisterBlock]
    places: Sequence[str]
    read: Callable[[str], str]
    read_bytes: Callable[[str], bytes]
    parse: Callable[[str], Any]


class Space:
    """All address maps of a repository."""

    def __init__(self, given: Given) -> None:
        self._given = given
        crossbars, self.notes = read_crossbars(given.places, given.read_bytes, given.parse)
        constants = Constants(given.records)
        maps = list(self._maps(constants))
        described = ranges_of(crossbars)
        decoded: dict[tuple[str, int, int], list[tuple[str, str, int]]] = {}
        self._regions: list[tuple[Region, Map | None]] = []
        named = named_regions(constants)
        bases = {region.base for region in named}
        for one in maps:
            for region in one.regions:
                if region.size < 0 and region.base in bases:
                    continue  # the constant tells more than a compare with it
                key = (system_of(region.path), region.base, region.size)
                if key in described:  # the RTL of a crossbar that Hjson describes
                    decoded.setdefault(key, []).append((one.unit, region.path, region.line))
                else:
                    self._regions.append((region, one))
        for region in crossbar_regions(crossbars):
            found = decoded.get((region.system, region.base, region.size), ())
            whole = (*region.decoders, *found)
            self._regions.append((region._replace(decoders=whole), None))
        covered = {
            (region.base, region.size) for one in maps for region in one.regions if region.size > 0
        }
        covered |= {(base, size) for _, base, size in described}
        for region in named:
            if (region.base, region.size) not in covered:
                self._regions.append((region, None))
        self._hosts = Hosts(given.design)
        self._tests = {one.path for one in given.records if one.role in TESTS}

    def _maps(self, constants: Constants) -> Iterator[Map]:
        for record in self._given.records:
            if not record.units or record.path.endswith("_reg_pkg.sv"):
                continue
            text = self._given.read(record.path)
            if not any(hint in text for hint in HINTS):
                continue
            units = Units(tuple((one.name, one.line, one.end_line) for one in record.units))
            yield from maps_of(Text(record.path, text), units, constants)

    @property
    def regions(self) -> list[Region]:
        """Returns all regions."""
        return [region for region, _ in self._regions]

    def at(self, address: int) -> list[Region]:
        """Returns the regions that have an address, the surest first, then the smallest."""
        found = [
            self._with_users(region, one) for region, one in self._regions if region.has(address)
        ]
        return sorted(found, key=self._order)

    def of_block(self, name: str) -> list[Region]:
        """Returns the regions at which a block of registers stands."""
        found = [
            self._with_users(region, one) for region, one in self._regions if _is(region, name)
        ]
        return sorted(found, key=self._order)

    def _with_users(self, region: Region, one: Map | None) -> Region:
        if one is None:
            constant = region.how.partition("constant ")[2].partition(",")[0]
            return region._replace(decoders=self._users(constant)) if constant else region
        text = Text(one.path, self._given.read(one.path))
        hosts, decoders = self._hosts.of(one, text)
        return region._replace(hosts=hosts or None, decoders=decoders)

    def _users(self, constant: str) -> tuple[tuple[str, str, int], ...]:
        """Returns the (unit, path, line) that compare something with a constant."""
        compared = re.compile(rf"(?:[<>=]=?[^;\n]{{0,80}})?\b{constant}\b\s*(?:[<>]|==|:|,|\)|>>)")
        found: dict[tuple[str, str], tuple[str, str, int]] = {}
        for record in self._given.records:
            text = self._given.read(record.path) if len(found) < DECODERS else ""
            if constant not in text or record.path in self._tests:
                continue
            units = Units(tuple((one.name, one.line, one.end_line) for one in record.units))
            source = Text(record.path, text)
            for one in compared.finditer(source.code):
                line = source.line(one.end() - 1)
                unit = units.at(line)
                found.setdefault((record.path, unit), (unit, record.path, line))
        return tuple(one for one in found.values() if one[0])[:DECODERS]

    def _order(self, one: Region) -> tuple[bool, bool, bool, int, str, int]:
        is_test = one.path in self._tests
        return is_test, one.hosts is None, one.size < 0, one.size, one.path, one.line


def _is(region: Region, block: str) -> bool:
    names = {region.name.lower(), region.block.lower()}
    return block.lower() in names | {_COPY.sub("", one) for one in names}


def reach(space: Space, blocks: Sequence[RegisterBlock], asked: str) -> dict[str, Any]:
    """Returns what answers at an address, or at that of a register, and the hosts that reach it.

    Args:
        space: the address maps.
        blocks: the registers of the repository.
        asked: an address (`0x4000_0010`, `32'h40000010`, decimal), BLOCK, or BLOCK.REGISTER.

    Raises:
        UsageError: it is neither, or no block or register has the name.
    """
    plain = asked.strip()
    if _NUMBER.fullmatch(plain):
        try:
            address = literal(plain)
        except NoNumberError as error:
            raise UsageError(f"{plain[:80]!r}: is no address") from error
        found = [_answer(one, address, blocks) for one in space.at(address)]
        return _result(plain, address, found, space)
    found = [*_by_name(space, blocks, plain)]
    return _result(plain, None, found, space)


def _result(
    asked: str, address: int | None, found: Sequence[dict[str, Any]], space: Space
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "asked": asked,
        "address": address,
        "answers": list(found[:ANSWERS]),
        "total": len(found),
        "regions": len(space.regions),
        "broken": list(space.notes),
    }


def _by_name(space: Space, blocks: Sequence[RegisterBlock], name: str) -> Iterator[dict[str, Any]]:
    """Yields the answers for a block, region or register of a name."""
    from hdlgraph.query.registers.find import registers

    regions = space.of_block(name)
    if not regions and not blocks:
        raise UsageError(_unknown(space, name))
    if regions:
        yield from (_answer(one, one.base, blocks) for one in regions)
        return
    instance, _, inner = name.partition(".")
    of = space.of_block(instance) if inner else []
    types = {_COPY.sub("", one.block.lower()) for one in of} | {one.block.lower() for one in of}
    asked = name
    if inner and not any(block.name.lower() == instance.lower() for block in blocks):
        asked = next((f"{b.name}.{inner}" for b in blocks if b.name.lower() in types), name)
    for block in registers(blocks, asked)["blocks"]:
        for register in block["registers"]:
            exact = [one for one in of if one.name.lower() == instance.lower()]
            regions = exact or space.of_block(block["name"])
            if not regions:
                yield _unplaced(block, register)
            for one in regions:
                if block["path"] in {
                    other.path for other in _described(one, blocks, block["name"])
                }:
                    at = one.base + max(register["offset"], 0) + _copy(register, asked)
                    yield _answer(one, at, blocks, (block["name"], register["name"]))


def _unknown(space: Space, name: str) -> str:
    """Returns why a name has no address, where no registers are described."""
    names = sorted({one.name for one in space.regions if one.name})
    near = difflib.get_close_matches(name[:200], names, n=3, cutoff=0.6)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    regions = f"none of the {len(space.regions)} known regions of addresses is called so"
    return (
        f"{name[:80]!r}: {regions if space.regions else 'no address map is known here'}, and no "
        f"description of registers was found{hint}"
    )


def _described(one: Region, blocks: Iterable[RegisterBlock], name: str) -> list[RegisterBlock]:
    """Returns the descriptions of a block: those of its own system, where it has any."""
    named = [block for block in blocks if block.name == name]
    return [block for block in named if f"{one.system}/" in block.path] or named


def _copy(register: dict[str, Any], asked: str) -> int:
    """Returns the bytes before the register of an array that a name means, as `KEY_3` of `KEY`."""
    number = re.search(r"(\d+)$", asked)
    is_whole = asked.rpartition(".")[2].lower() == register["name"].lower()
    if register["kind"] != "array" or is_whole or number is None:
        return 0
    at = int(number[1])
    return at * register["size"] if at < register["count"] else 0


def _unplaced(block: dict[str, Any], register: dict[str, Any]) -> dict[str, Any]:
    return {
        "address": None,
        "offset": register["offset"],
        "block": block["name"],
        "instance": "",
        "base": None,
        "size": None,
        "system": "",
        **{key: block[key] for key in ("path", "line", "location")},
        "how": "no address map of the repository has the block",
        "sure": False,
        "register": {key: register[key] for key in ("name", "offset", "path", "line", "location")},
        "decoders": [],
        "hosts": None,
    }


def _answer(
    one: Region, address: int, blocks: Sequence[RegisterBlock], wanted: tuple[str, str] = ("", "")
) -> dict[str, Any]:
    """Returns the record of a region that has an address, with its block and register."""
    block, register = _register(one, address - one.base, blocks, wanted)
    return {
        "address": address,
        "offset": address - one.base,
        "block": one.block or (block.name if block else ""),
        "instance": one.name,
        "base": one.base,
        "size": one.size if one.size >= 0 else None,
        "system": one.system,
        "path": one.path,
        "line": one.line,
        "location": str(Location(one.path, one.line)),
        "how": one.how,
        "sure": one.size >= 0,
        "register": _register_record(block, register) if block and register else None,
        "decoders": [
            {"name": name, "path": path, "line": line, "location": str(Location(path, line))}
            for name, path, line in one.decoders
        ],
        "hosts": None if one.hosts is None else [host.to_dict() for host in one.hosts],
    }


def _register_record(block: RegisterBlock, register: Register) -> dict[str, Any]:
    place = {"path": block.path, "line": register.line}
    place["location"] = str(Location(block.path, register.line))
    return {"name": f"{block.name}.{register.name}", "offset": register.offset, **place}


def _register(
    one: Region, offset: int, blocks: Iterable[RegisterBlock], wanted: tuple[str, str]
) -> tuple[RegisterBlock | None, Register | None]:
    """Returns the block of registers of a region, and its register at an offset."""
    names = [wanted[0]] if wanted[0] else [block.name for block in blocks if _is(one, block.name)]
    mine = [block for name in dict.fromkeys(names) for block in _described(one, blocks, name)]
    for block in mine:
        for register in block.registers:
            length = max(register.size, 1) * max(register.copies, 1)
            if register.name == wanted[1] or (
                not wanted[1] and 0 <= register.offset <= offset < register.offset + length
            ):
                return block, register
    return (mine[0] if mine else None), None
