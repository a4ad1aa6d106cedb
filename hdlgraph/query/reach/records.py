"""The records of an address map: regions, crossbars, and the hosts that reach them."""

from __future__ import annotations

from typing import Any, NamedTuple

from hdlgraph.model import Location


class Host(NamedTuple):
    """What sends addresses: its name, the unit that it is ("" where unknown), and where it stands.

    `through` are the (name, path, line) of the crossbars and decoders on its way, its own first.
    """

    name: str
    unit: str
    path: str
    line: int
    through: tuple[tuple[str, str, int], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object."""
        return {
            "name": self.name,
            "unit": self.unit,
            **_place(self.path, self.line),
            "through": [{"name": name, **_place(path, line)} for name, path, line in self.through],
        }


class Region(NamedTuple):
    """A range of addresses with what answers there.

    `size` is in bytes, -1 where nothing tells it; `until` is then the next base of the same map,
    -1 for none: only the base itself is then known to lie in it. `block` is the unit, "" where
    unknown; `how` says in words what states the region. `system` names the map that it belongs
    to. `decoders` are the (unit, path, line) that compare addresses with it; `hosts` those that
    reach it, None where the repository does not tell.
    """

    name: str
    base: int
    size: int
    block: str
    system: str
    path: str
    line: int
    how: str
    until: int = -1
    decoders: tuple[tuple[str, str, int], ...] = ()
    hosts: tuple[Host, ...] | None = None

    def has(self, address: int) -> bool:
        """Returns whether an address lies in the region."""
        if self.size >= 0:
            return self.base <= address < self.base + self.size
        return self.base == address or self.base <= address < self.until


class Constant(NamedTuple):
    """A named number: in `unit`, written as `text`, at path and line."""

    name: str
    unit: str
    text: str
    path: str
    line: int


def _place(path: str, line: int) -> dict[str, Any]:
    return {"path": path, "line": line, "location": str(Location(path, line))}
