"""How a large table of vectors is searched: the file that says so.

It needs neither numpy nor LanceDB, so that a run without changes can tell it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from hdlgraph.errors import IndexDamagedError
from hdlgraph.safety.safe_files import read_regular

FILE = "vectors.json"
LIMIT = 10_000
"""Bytes of the largest FILE that is read."""


class Probing(msgspec.Struct, frozen=True):
    """A search looks into all `cells` and compares the `fetched` rows exactly.

    `recall` is the share of the exact `top` nearest that it finds, over `asked` texts.
    """

    cells: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    fetched: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    recall: float
    top: int
    asked: int


def write_probing(folder: Path, probing: Probing) -> None:
    """Writes it beside the table of a folder."""
    (folder / FILE).write_bytes(msgspec.json.encode(probing))


def find_probing(folder: Path) -> Probing | None:
    """Returns how the table of a folder is searched; None where all of it is compared.

    Raises:
        IndexDamagedError: the file that says so cannot be read.
    """
    file = folder / FILE
    if not file.is_file():
        return None
    try:
        return msgspec.json.decode(read_regular(file, LIMIT, follow=False), type=Probing)
    except (OSError, msgspec.MsgspecError) as error:
        raise IndexDamagedError(
            f"index file {file}: cannot be read ({error}); rebuild the index with "
            "`hdlgraph index --fresh REPO`"
        ) from error


def vector_notes(generation: Path) -> tuple[str, ...]:
    """Returns a line for the report of an index whose vectors are not all compared, else none.

    Raises:
        IndexDamagedError: the file that says it cannot be read.
    """
    found = find_probing(generation / "surfaces")
    if found is None:
        return ()
    return (
        f"vectors: a search compares {found.fetched:,} that LanceDB fetches, and found "
        f"{found.recall:.1%} of the {found.top} nearest of each of {found.asked} texts",
    )
