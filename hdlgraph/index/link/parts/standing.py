"""What a segment of neighbouring files adds to the graph, in short: kept while nothing changes.

With it a run that changes nothing in a segment need not look at the parts of its files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import msgspec

from hdlgraph.index.kept.functions import last, note
from hdlgraph.index.kept.unchanged import Cut
from hdlgraph.index.link.parts.asked import stamp
from hdlgraph.index.link.parts.declared import Declared
from hdlgraph.index.link.parts.pack import EdgePart

Missed = tuple[str, str, str, str, int]
"""A name that nothing defines: kind, name, path, user, and its first line."""


class Part(msgspec.Struct, frozen=True, array_like=True):
    """What linking added for a file.

    `asked` are the questions to others, as MessagePack, `stamps` stand for the answers, `world` for
    all files when it was made; `stubs` are the places of
    stubs in the order in which they were needed, `missing` (kind, name, path, user, line) of names
    that nothing defines, `many` names with many definitions, `limited` ids of units with too many
    connections, `files` the paths of the files that the file includes, `mark` stands for the edges.
    """

    asked: memoryview
    stamps: bytes
    world: bytes
    edges: EdgePart
    stubs: list[str]
    missing: list[tuple[str, str, str, str, int]]
    many: dict[str, int]
    limited: list[str]
    files: list[str]
    mark: bytes


class Standing(msgspec.Struct, frozen=True, array_like=True):
    """What a segment adds to the graph.

    `worlds` stand for all files when its includes and its other links were found; `counts` are the
    nodes of each file, `groups` the edges of a file alone, its includes and its other links;
    `face` stands for what linking others asks of the files, `units` for the rows and lines of their
    units, `marks` for their nodes and their edges; `places` are those that edges name, `included`
    the paths that each file includes, `stubs` those of includes and of other links. The rest is
    what `Part` says, of all files.
    """

    worlds: tuple[bytes, ...]
    counts: list[int]
    groups: tuple[int, int, int]
    face: bytes
    units: bytes
    marks: tuple[bytes, bytes]
    places: list[str]
    included: list[list[str]]
    stubs: tuple[list[str], list[str]]
    missing: list[Missed]
    many: dict[str, int]
    limited: list[str]

    @classmethod
    def made(
        cls,
        worlds: tuple[bytes, ...],
        own: Sequence[Declared],
        includes: Sequence[Part],
        links: Sequence[Part],
    ) -> Standing:
        """Returns what the parts of a segment's files add."""
        edges = [one.edges for one in own]
        groups = [edges, [part.edges for part in includes], [part.edges for part in links]]
        parts = [*includes, *links]
        marks = (one.mark for one in parts)
        places = dict.fromkeys(place for group in groups for one in group for place in one.places)
        return cls(
            worlds,
            [one.nodes.count for one in own],
            (_count(groups[0]), _count(groups[1]), _count(groups[2])),
            stamp(*(one.face for one in own)),
            stamp(*(one.marks[2] for one in own)),
            (
                stamp(*(one.marks[0] for one in own)),
                stamp(*(one.marks[1] for one in own), *marks),
            ),
            list(places),
            [part.files for part in includes],
            (_stubs(includes), _stubs(links)),
            _missed(parts),
            most(part.many for part in parts),
            sorted({one for part in parts for one in part.limited}),
        )

    def note(self, of: Cut) -> None:
        """Keeps this for the next run."""
        if of.key:
            note(_title(of), self)


def standing_of(one: Cut) -> Standing | None:
    """Returns what was noted of a segment, None of one whose files changed."""
    found: Standing | None = last(_title(one), Standing) if one.key else None
    return found


def _title(one: Cut) -> str:
    return f"standing {one.key}"


def _count(edges: Iterable[EdgePart]) -> int:
    return sum(one.count for one in edges)


def _stubs(parts: Iterable[Part]) -> list[str]:
    return list(dict.fromkeys(chain.from_iterable(part.stubs for part in parts)))


def _missed(parts: Iterable[Part]) -> list[Missed]:
    """Returns the names that nothing defines, each with its first line."""
    found: dict[tuple[str, str, str, str], int] = {}
    for part in parts:
        for *key, line in part.missing:
            one = (key[0], key[1], key[2], key[3])
            found[one] = min(line, found.get(one, line))
    return [(*key, line) for key, line in found.items()]


def most(found: Iterable[dict[str, int]]) -> dict[str, int]:
    """Returns the greatest number of each name."""
    many: dict[str, int] = {}
    for one in found:
        for name, count in one.items():
            many[name] = max(count, many.get(name, 0))
    return many
