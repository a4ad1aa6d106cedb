"""The parts of a design as a picture: one box for each community, and what joins them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hdlgraph.graph.pictures.picture import Box, Kind, Picture, Wire, some
from hdlgraph.model.community import Community
from hdlgraph.query.overview.answer import short
from hdlgraph.query.overview.overview import Overview, part_of

LIMIT = 40
UNITS = 4
WIRES = 80
"""Wires of a picture; where there would be more, the weakest are left out."""
NEAR = ("instantiates", "drives", "binds", "extends")
"""What is told first of how two parts are joined."""


def draw_overview(overview: Overview, limit: int = LIMIT) -> Picture:
    """Returns the parts of a design at the coarsest level, each with its best known units.

    Args:
        overview: the overview.
        limit: how many parts are drawn; the largest ones are.
    """
    all_parts = [one for one in overview.communities if one.level == 0]
    largest = sorted(all_parts, key=lambda one: (-one.files, one.community))[: max(limit, 1)]
    parts = [one for one in all_parts if one in largest]
    boxes = {one.community: _box(number, one) for number, one in enumerate(parts)}
    joined = _joined(parts)
    wires = sorted(joined.items(), key=lambda pair: (-_strength(pair[1]), pair[0]))
    kept = dict(wires[:WIRES])
    notes = []
    if len(all_parts) > len(parts):
        notes.append(f"{len(all_parts) - len(parts)} smaller parts are left out (--limit {limit})")
    if len(joined) > WIRES:
        notes.append(f"{len(joined) - WIRES} weaker connections are left out")
    drawn = [
        Wire(boxes[a].id, boxes[b].id, _label(counts), tuple(_count_texts(counts)))
        for (a, b), counts in joined.items()
        if (a, b) in kept
    ]
    return Picture(
        title="Overview",
        subtitle=f"{overview.files} files in {len(all_parts)} parts",
        boxes=tuple(boxes.values()),
        wires=tuple(drawn),
        notes=tuple(notes),
    )


def _box(number: int, one: Community) -> Box:
    names = [unit.name for unit in one.top_units]
    kind: Kind = "part" if part_of(one) == "design" else "library"
    roles = ", ".join(f"{count} {role}" for role, count in sorted(one.roles.items()))
    rows = some(list(dict.fromkeys(names)), UNITS)
    tip = "\n".join(filter(None, (one.title, roles, one.purpose)))
    return Box(f"n{number}", kind, short(one.title), f"{one.files} files", rows, "", tip)


def _joined(parts: Sequence[Community]) -> dict[tuple[int, int], dict[str, int]]:
    """Returns (from, to) -> how often by kind; each part states both directions."""
    known = {one.community for one in parts}
    found: dict[tuple[int, int], dict[str, int]] = {}
    for one in parts:
        for connection in one.connections:
            if connection.community not in known:
                continue
            for kind, count in connection.counts.items():
                if (forward := _forward(kind)) is not None:
                    counts = found.setdefault((one.community, connection.community), {})
                    counts[forward] = max(count, counts.get(forward, 0))
    return found


def _forward(kind: str) -> str | None:
    """Returns the kind of a connection that the part itself makes; None for that of the other."""
    return None if kind.endswith("_by") else kind


def _strength(counts: dict[str, int]) -> int:
    return sum(count * (10 if kind in NEAR else 1) for kind, count in counts.items())


def _count_texts(counts: dict[str, int]) -> Iterator[str]:
    order = sorted(counts, key=lambda kind: (kind not in NEAR, -counts[kind], kind))
    yield from (f"{kind.replace('_', ' ')} {counts[kind]}" for kind in order)


def _label(counts: dict[str, int]) -> str:
    """Returns the strongest hardware relation; what a part only mentions is in the tip."""
    first = next(iter(_count_texts(counts)), "")
    return first if first.partition(" ")[0] in NEAR else ""
