"""A workspace that a server keeps open: many threads ask it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from hdlgraph.project.resident.resident import Resident
from hdlgraph.project.workspace import Workspace

if TYPE_CHECKING:
    from hdlgraph.project.workspace.file import Entry


def resident_workspace(file: Path, settings: Path | None = None) -> Workspace:
    """Returns the workspace of a file whose projects stay open, see `Resident`.

    Args:
        file: as of `Workspace.open`.
        settings: likewise.

    Raises:
        SettingsError: the file cannot be used.
    """
    kept: dict[str, Resident] = {}
    lock = threading.Lock()

    def opened(entry: Entry) -> Resident:
        with lock:
            if entry.name not in kept:
                kept[entry.name] = found = Resident.open(entry.index, settings)
                found._searchers = 0  # a question goes to all repositories: there are enough
            return kept[entry.name]

    return Workspace.open(file, settings, opened)
