"""The segments of the former generation, which a run may take over."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hdlgraph.store.lexical import FOLDER, SegmentRow, read_segments
from hdlgraph.store.words.segment import FILES

if TYPE_CHECKING:
    from hdlgraph.store.folder import Run


class FormerWords:
    """The segments of the generation that a run replaces.

    Args:
        run: the run.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self.rows: Sequence[SegmentRow] = ()
        if run.former is not None:
            self._folder = run.store.generation(run.former) / FOLDER
            with suppress(OSError, ValueError, RecursionError):  # else it is made anew
                self.rows = [row for row in read_segments(self._folder) if row.key]

    def folder(self, row: SegmentRow) -> Path:
        """Returns the folder of a segment."""
        return self._folder / row.folder

    def take(self, row: SegmentRow, to: str) -> bool:
        """Makes a segment one of the new generation; returns whether it could.

        Args:
            row: the segment.
            to: its folder below `lexical/` of the new generation.
        """
        old, new = (Path(FOLDER, name) for name in (row.folder, to))
        return self._run.take({(old / one).as_posix(): (new / one).as_posix() for one in FILES})
