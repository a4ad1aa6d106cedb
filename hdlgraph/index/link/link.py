"""Makes one graph of the facts of all files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate, chain
from typing import NamedTuple, TypeVar

import msgspec

from hdlgraph.graph.graph import UNRESOLVED_COLUMNS, Graph
from hdlgraph.index.concepts.kept import FileConcepts
from hdlgraph.index.filesets.fileset import Fileset
from hdlgraph.index.fork import trim
from hdlgraph.index.kept.functions import is_keeping, keeping_nothing, settle
from hdlgraph.index.kept.unchanged import Cut, by_segment, cut
from hdlgraph.index.link.added import link_added, state_relations
from hdlgraph.index.link.candidates import MOST
from hdlgraph.index.link.names import Names
from hdlgraph.index.link.nodes import Held
from hdlgraph.index.link.parts.declared import AllDeclared, entry_of, outlines
from hdlgraph.index.link.parts.linked import Linking
from hdlgraph.index.link.parts.outline import Outline
from hdlgraph.index.link.parts.pack import EdgePart, Places, pack_edges
from hdlgraph.index.link.parts.standing import Missed, Standing, most
from hdlgraph.index.link.parts.told import Teller
from hdlgraph.index.link.parts.told import Told as Told  # for those who explain
from hdlgraph.index.link.parts.whole import Whole, tables_of
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.store.tables import Table

T = TypeVar("T")
STRANGE = (ValueError, LookupError, TypeError, OverflowError, msgspec.MsgspecError)
"""What parts raise that came out of a cache and were never written by a run."""


class Linked(NamedTuple):
    """A graph, and notes for the user on what was left out of it."""

    graph: Graph
    notes: tuple[str, ...]


class Found(NamedTuple):
    """The parts of a graph, what nothing defines, by segment, and notes on what was left out."""

    whole: Whole
    missing: Sequence[Sequence[Missed]]
    notes: tuple[str, ...]

    def table(self) -> Table:
        """Returns the table of what nothing defines."""
        rows = sorted(
            (kind, name, path, line, user)
            for segment in self.missing
            for kind, name, path, user, line in segment
        )
        columns = zip(*rows, strict=True) if rows else ((),) * len(UNRESOLVED_COLUMNS)
        return Table(dict(zip(UNRESOLVED_COLUMNS, map(list, columns), strict=True)))


def link(
    records: Sequence[FileRecord],
    explanations: Mapping[str, Explanation] | None = None,
    *,
    incdirs: Sequence[str] = (),
    concepts: Mapping[str, FileConcepts] | None = None,
    filesets: Sequence[Fileset] = (),
) -> Graph:
    """Returns the graph of a repository; see `link_with_notes`."""
    told = Told(explanations or {}, concepts or {})
    return link_with_notes(records, lambda: told, incdirs=incdirs, filesets=filesets).graph


def link_with_notes(
    records: Sequence[FileRecord],
    told: Callable[[], Told] = lambda: Told({}, {}),
    *,
    incdirs: Sequence[str] = (),
    filesets: Sequence[Fileset] = (),
) -> Linked:
    """Returns the graph of a repository, and what was left out of it; see `linked`."""

    def joined(found: Found) -> Linked:
        return Linked(Graph(*tables_of(found.whole), found.table()), found.notes)

    return linked(records, joined, told, incdirs=incdirs, filesets=filesets)


def linked(
    records: Sequence[FileRecord],
    made: Callable[[Found], T],
    told: Callable[[], Told] = lambda: Told({}, {}),
    *,
    incdirs: Sequence[str] = (),
    filesets: Sequence[Fileset] = (),
    cuts: Sequence[Cut] | None = None,
) -> T:
    """Returns what is made of the parts of the graph of a repository.

    Args:
        records: the facts of its files, one record a path, in any order.
        made: makes it; it is called again where the first parts, out of a cache, were none.
        told: gives the explanations and concepts; those of unknown paths are passed over. It is
            called when all else is linked, so that they may be written meanwhile.
        incdirs: include folders relative to the root, searched after a file's own folder.
        filesets: which files belong together, as project files say.
        cuts: the segments of the records, which are sorted by path then.
    """
    awaited = cache(told)
    ordered = sorted(records, key=lambda record: record.path)
    cuts = cuts or cut(ordered)
    try:
        return made(_found(ordered, cuts, awaited, tuple(incdirs), filesets))
    except STRANGE:
        if not is_keeping():
            raise
    with keeping_nothing():  # a cache that came with a repository may hold anything
        return made(_found(ordered, cut(ordered), awaited, tuple(incdirs), filesets))


def _found(
    ordered: Sequence[FileRecord],
    cuts: Sequence[Cut],
    told: Callable[[], Told],
    incdirs: tuple[str, ...],
    filesets: Sequence[Fileset],
) -> Found:
    listed = by_segment("outlines", ordered, cuts, list[Outline], outlines)
    short = list(chain.from_iterable(listed))
    firsts = [0, *accumulate(one.count for one in short)]
    given = zip(firsts[:-1], ordered, short, strict=True)
    held = Held()
    files = [entry_of(first, record, one, held) for first, record, one in given]
    names = Names(files, short, firsts[-1], filesets)
    del listed, short
    own = AllDeclared(ordered)
    linking = Linking(names, own, firsts, filesets, incdirs, cuts)
    stands = linking.standings()
    if not linking.stood:
        settle()
        trim()
    names.begin()
    paths = [file.path for file in files]
    failed, added = _added(names, cuts, Places(paths, firsts, ()))
    if not linking.stood:
        names.clear()
        trim()
    teller = Teller(names, own, firsts, _stubs(stands), told())
    rest, explained = teller.rest(), teller.told(cuts, stands)
    whole = Whole(paths, cuts, stands, own, linking.take, added, explained, rest)
    return Found(whole, [one.missing for one in stands], (*_left_out(stands), *failed))


def _added(
    names: Names, cuts: Sequence[Cut], places: Places
) -> tuple[tuple[str, ...], list[EdgePart]]:
    """Returns why readers of other packages failed, and the edges that they state, by segment."""
    if not state_relations():
        return (), [EdgePart()] * len(cuts)
    failed: list[str] = []
    added = []
    for one in cuts:
        those = names.files[one.begin : one.end]
        failed += (why for file in those if (why := link_added(names, file)))
        added.append(pack_edges(names.builder.take_edges(), places.of))
    return tuple(failed), added


def _stubs(stands: Sequence[Standing]) -> list[str]:
    """Returns the places of what nothing defines, in the order in which they are needed."""
    listed = [one.stubs[0] for one in stands] + [one.stubs[1] for one in stands]
    return list(dict.fromkeys(chain.from_iterable(listed)))


def _left_out(stands: Sequence[Standing]) -> tuple[str, ...]:
    notes = []
    many = most(one.many for one in stands)
    if many:
        name, count = min(many.items(), key=lambda item: (-item[1], item[0]))
        notes.append(
            f"names with more than {MOST} definitions: {len(many)}, such as {name} with "
            f"{count}: each use is linked to the {MOST} nearest"
        )
    limited = {path for one in stands for path in one.limited}
    if limited:
        notes.append(
            f"{len(limited)} units have more connections by `.*` than are kept, such as "
            f"{min(limited)}"
        )
    return tuple(notes)
