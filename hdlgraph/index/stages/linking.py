"""The stage `link`: the graph of the design, its registers and its short forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hdlgraph.index.kept.derived import Derived
from hdlgraph.index.kept.functions import keeping
from hdlgraph.index.kept.handed import Handed, Returned
from hdlgraph.index.parse.held import stored_records
from hdlgraph.index.request import Request
from hdlgraph.model import FileRecord
from hdlgraph.store.packed.spilled import aside_in

if TYPE_CHECKING:
    from hdlgraph.index.kept.unchanged import Former
    from hdlgraph.index.link.link import Told


LINKED = "linked"
"""The namespace of the cache in which linking keeps what it derives."""
LINK_S, LINK_FILE_S = 900.0, 0.1
"""Linking that takes longer than 15 minutes, and 0.1 s more for each file, is ended and fails.

Counts bound it long before (see `link/candidates.py`); this is for what nobody thought of.
"""


class Listed(NamedTuple):
    """The paths of a repository's project files, and of its documents."""

    projects: tuple[str, ...]
    documents: tuple[str, ...]


class Counted(NamedTuple):
    """The numbers of rows in the graph's tables, and notes on what was left out of them."""

    rows: dict[str, int]
    notes: tuple[str, ...]
    derived: Returned | None = None
    """What was derived, for the next run."""
    taken: tuple[str, ...] = ()
    """Files of the former generation that are still right."""


def link(
    request: Request,
    records: Sequence[FileRecord] | None,
    incdirs: Sequence[str],
    listed: Listed,
    folder: Path,
    kept: tuple[Mapping[str, str], Handed],
    former: Former | None,
    graph_input: Callable[[], Told],
) -> Counted:
    """Writes the graph's tables, registers and short forms; returns what the tables hold.

    Explanations may be written meanwhile: `graph_input` waits for them. `kept` has the keys of what
    earlier runs derived, and what they left: in a process of its own the cache cannot be opened.
    Without records those are read that the folder holds.
    What the former generation has of the tables is not written again, but said to be right.
    """
    keys, handed = kept
    if records is None:
        records = stored_records(folder)
    with aside_in(folder), keeping(Derived(handed, LINKED, records, keys)):
        found = _link(request, records, incdirs, listed, folder, former, graph_input)
    return found._replace(derived=handed.to_return())


def _link(
    request: Request,
    records: Sequence[FileRecord],
    incdirs: Sequence[str],
    listed: Listed,
    folder: Path,
    former: Former | None,
    graph_input: Callable[[], Told],
) -> Counted:
    from hdlgraph.index.filesets.read import read_filesets
    from hdlgraph.index.kept.unchanged import cut
    from hdlgraph.index.lexical.mine_short_forms import write_definitions
    from hdlgraph.index.link.agreement import trust_of
    from hdlgraph.index.link.link import linked
    from hdlgraph.index.link.parts.write import write
    from hdlgraph.index.registers.write import write_found

    records = sorted(records, key=lambda record: record.path)
    cuts, root = cut(records), request.root
    broken, taken = write_found(folder, root, listed.projects, records, cuts, former)
    paths = {record.path for record in records}
    filesets = read_filesets(root, listed.projects, paths)
    write_definitions(root, records, listed.documents, folder, cuts)
    trust = trust_of(records, cuts)
    written, notes = linked(
        records,
        lambda found: (write(found, folder, former), found.notes),
        graph_input,
        incdirs=incdirs,
        filesets=filesets,
        cuts=cuts,
    )
    rows = {
        "nodes": written.nodes,
        "edges": written.edges,
        "unresolved": written.unresolved,
        **trust,
    }
    return Counted(rows, (*notes, *broken), taken=(*taken, *written.taken))
