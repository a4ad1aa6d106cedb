"""Crossbars as Hjson describes them: hosts, devices with their addresses, and what connects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from hdlgraph.query.reach.numbers import NoNumberError, literal
from hdlgraph.query.reach.records import Host, Region

_TOP = re.compile(r"(?:^|.*/)(top_\w+)(?:/|$)")
_NOT = re.compile(r"\.tpl\.|testplan|_sim_cfg|_fpv_cfg|\.prj\.")


class Device(NamedTuple):
    """A device, or a host, of a crossbar; `ranges` are (base, bytes)."""

    name: str
    kind: str
    unit: str
    line: int
    is_crossbar: bool
    ranges: tuple[tuple[int, int], ...]


class Crossbar(NamedTuple):
    """A crossbar: `system` is the top that it belongs to; `reaches` the devices of each host."""

    name: str
    system: str
    path: str
    line: int
    nodes: Mapping[str, Device]
    reaches: Mapping[str, tuple[str, ...]]


def read_crossbars(
    places: Iterable[str], read: Callable[[str], bytes], parse: Callable[[str], Any]
) -> tuple[list[Crossbar], list[str]]:
    """Returns the crossbars that Hjson files describe, and a note on each broken file.

    Args:
        places: the paths of project files.
        read: gives the bytes of one, b"" where it cannot be read.
        parse: reads the text of a file into nodes with lines; raises ValueError.
    """
    found: dict[tuple[str, str], Crossbar] = {}
    modules: dict[str, dict[str, Device]] = {}
    notes = []
    for place in sorted(one for one in places if one.endswith(".hjson") and not _NOT.search(one)):
        data = read(place)
        is_crossbar = b"nodes" in data and b"connections" in data
        is_top = b"base_addr" in data and b"module" in data and ".gen." not in place
        if not is_crossbar and not is_top:
            continue
        if ".gen." in place and b"inter_module" in data:
            continue  # all of a top in one file: its crossbars have files of their own
        try:
            document = parse(data.decode("utf-8-sig", errors="replace"))
        except (ValueError, RecursionError) as error:
            notes.append(f"{place}: not read: {str(error)[:200]}")
            continue
        if document.get("nodes").items():
            one = _crossbar(place, document)
            key = (one.system, one.name)
            if key not in found or _addresses(one) > _addresses(found[key]):
                found[key] = one
        elif document.get("module").items():
            modules.setdefault(system_of(place), {}).update(_modules(document))
    whole = [_with_addresses(one, modules.get(one.system, {})) for one in found.values()]
    return whole, notes


def system_of(path: str) -> str:
    """Returns the name of the top in a path, else its folder."""
    match = _TOP.match(path)
    return match[1] if match else path.rpartition("/")[0]


def _addresses(one: Crossbar) -> int:
    return sum(len(node.ranges) for node in one.nodes.values())


def _crossbar(place: str, document: Any) -> Crossbar:
    nodes = {}
    for node in document.get("nodes").items():
        name = node.get("name").text()
        ranges = tuple(_ranges(node))
        is_crossbar = node.get("xbar").text().lower() == "true"
        unit = node.get("inst_type").text()
        nodes[name] = Device(name, node.get("type").text(), unit, node.line, is_crossbar, ranges)
    links = document.get("connections").value
    reaches = {
        host: tuple(one.text() for one in devices.items())
        for host, devices in (links.items() if isinstance(links, dict) else ())
    }
    name = document.get("name").text() or place.rpartition("/")[2].partition(".")[0]
    return Crossbar(name, system_of(place), place, document.get("name").line, nodes, reaches)


def _ranges(node: Any) -> Iterator[tuple[int, int]]:
    for one in node.get("addr_range").items() or [node]:
        base = one.get("base_addr")
        size = one.get("size_byte")
        try:
            yield literal(_first(base)), literal(size.text())
        except NoNumberError:
            continue


def _first(node: Any) -> str:
    """Returns a number, or the first of several address spaces."""
    if isinstance(node.value, dict):
        return next((one.text() for one in node.value.values()), "")
    return node.text()


def _modules(document: Any) -> dict[str, Device]:
    """Returns the blocks of a top with their base addresses."""
    found = {}
    for section in ("module", "memory"):
        for one in document.get(section).items():
            name = one.get("name").text()
            listed = one.get("base_addrs").value
            named = listed if isinstance(listed, dict) else {"": one.get("base_addr")}
            for interface, base in named.items():
                whole = name if interface in ("", "null") else f"{name}.{interface}"
                try:
                    start = literal(_first(base))
                    size = literal(one.get("size").text() or "0x1000")
                except NoNumberError:
                    continue
                unit = one.get("type").text()
                found[whole] = Device(whole, "device", unit, one.line, False, ((start, size),))
    return found


def _with_addresses(one: Crossbar, modules: Mapping[str, Device]) -> Crossbar:
    nodes = {
        name: node._replace(
            ranges=node.ranges or (modules[name].ranges if name in modules else ()),
            unit=node.unit or (modules[name].unit if name in modules else ""),
        )
        for name, node in one.nodes.items()
    }
    return one._replace(nodes=nodes)


def ranges_of(crossbars: Iterable[Crossbar]) -> dict[tuple[str, int, int], None]:
    """Returns (system, base, bytes) of all nodes of crossbars, other crossbars among them."""
    return {
        (one.system, base, size): None
        for one in crossbars
        for node in one.nodes.values()
        for base, size in node.ranges
    }


def crossbar_regions(crossbars: Iterable[Crossbar]) -> Iterator[Region]:
    """Yields the regions of all devices that are no crossbars, each with its hosts."""
    by_name = {(one.system, one.name): one for one in crossbars}
    for key in sorted(by_name):
        one = by_name[key]
        for name, node in one.nodes.items():
            if node.kind != "device" or node.is_crossbar or (one.system, name) in by_name:
                continue
            for base, size in node.ranges:
                hosts = tuple(dict.fromkeys(_hosts(by_name, one, name, base, ())))
                own = ((f"crossbar {one.name}", one.path, node.line),)
                how = f"crossbar {one.name} of {one.system}"
                yield Region(
                    name, base, size, node.unit or name, one.system, one.path, node.line, how,
                    decoders=own, hosts=hosts,
                )  # fmt: skip


def _hosts(
    by_name: Mapping[tuple[str, str], Crossbar],
    one: Crossbar,
    device: str,
    address: int,
    through: tuple[tuple[str, str, int], ...],
) -> Iterator[Host]:
    """Yields the hosts that reach a device, also those of crossbars before this one."""
    step = (f"crossbar {one.name}", one.path, one.line)
    if len(through) > 10:
        return
    for host, devices in one.reaches.items():
        if device not in devices:
            continue
        node = one.nodes.get(host, Device(host, "host", "", one.line, False, ()))
        before = by_name.get((one.system, host))
        if before is not None and before is not one:
            inner = before.nodes.get(one.name)
            passes = inner is None or not inner.ranges
            passes = passes or any(a <= address < a + n for a, n in getattr(inner, "ranges", ()))
            if passes:
                yield from _hosts(by_name, before, one.name, address, (step, *through))
        else:
            yield Host(host, node.unit, one.path, node.line, (step, *through))
