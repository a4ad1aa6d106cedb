"""What a picture shows: boxes, the wires between them, and what stands apart from both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

Kind = Literal["instance", "library", "ports", "logic", "more", "part"]
"""An instance; cells of a library; ports at the border; the logic of the unit itself; what was
left out; a part of the design in an overview."""
Side = Literal["", "in", "out"]
Ways = Literal["one", "two", "none"]


class Box(msgspec.Struct, frozen=True):
    """A box: its title, a line below it, and rows of names.

    `id` is a letter and a number, unique in its picture. `side` is "in" or "out" for ports at the
    border. `tip` says everything that did not fit, `place` is path:line or "". `unit` is the id in
    the graph of what the box stands for, "" where it is nothing that could be drawn itself.
    """

    id: str
    kind: Kind
    title: str = ""
    subtitle: str = ""
    rows: tuple[str, ...] = ()
    side: Side = ""
    tip: str = ""
    place: str = ""
    unit: str = ""


class Wire(msgspec.Struct, frozen=True):
    """What leads from one box to another: one signal, or several that go the same way.

    `names` are all of them, `label` what is written at the wire. `ways` is "two" where some go
    the other way, and "none" where they have no direction.
    """

    source: str
    target: str
    label: str = ""
    names: tuple[str, ...] = ()
    ways: Ways = "one"


class Aside(msgspec.Struct, frozen=True):
    """A list that stands in a corner instead of wires, such as the clocks."""

    title: str
    rows: tuple[str, ...]


class Picture(msgspec.Struct, frozen=True):
    """A picture; `notes` say what is not in it. Boxes and wires have a fixed order."""

    title: str
    subtitle: str
    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...]
    asides: tuple[Aside, ...] = ()
    notes: tuple[str, ...] = ()


WIDEST = 34
"""Characters of a line in a box; longer ones are cut in the middle."""
LISTED = 60
"""Names that a tip lists."""


def some(names: Sequence[str], limit: int) -> tuple[str, ...]:
    """Returns the first names, and how many more there are, `limit` rows at most."""
    if len(names) <= limit:
        return tuple(names)
    return (*names[: limit - 1], f"+{len(names) - limit + 1} more")


def bundle_label(names: Sequence[str]) -> str:
    """Returns what is written at a wire: `lsu_… (7)` for a common beginning, else `req +6`."""
    whole = ", ".join(names)
    if len(names) == 1 or (len(names) == 2 and len(whole) <= WIDEST):
        return whole
    first, last = min(names), max(names)
    length = 0
    while length < min(len(first), len(last)) and first[length] == last[length]:
        length += 1
    common = first[:length]
    common = common if common in names else common[: common.rfind("_") + 1]
    return f"{common}… ({len(names)})" if len(common) > 2 else f"{names[0]} +{len(names) - 1}"


def short_names(names: Sequence[str]) -> list[str]:
    """Returns dotted names without the beginnings that are not needed to distinguish them."""
    seen: dict[str, set[str]] = {}
    for name in names:
        for tail in _tails(name):
            seen.setdefault(tail, set()).add(name)
    return [next((t for t in _tails(name) if len(seen[t]) == 1), name) for name in names]


def _tails(name: str) -> list[str]:
    """Returns the ends of a dotted name, the last part first; brackets stay whole."""
    parts = name.split(".")
    return [".".join(parts[at:]) for at in range(len(parts) - 1, max(-1, len(parts) - 9), -1)]
