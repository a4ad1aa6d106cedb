"""An index that a server keeps open: one `Project`, asked by one thread at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from hdlgraph.errors import HdlgraphError

if TYPE_CHECKING:
    from hdlgraph.project import Project

T = TypeVar("T")


class Kept:
    """An index by the name or the folder that the user gave, opened when it is first asked.

    The index may be missing at first, and may be written anew: each question finds the present
    one. A settings.yaml of the repository that changed is read again.

    Args:
        index: the index folder, a repository that has one, or the address of a shared index;
            None searches from `start` upwards.
        settings: the settings file that the user named.
        start: the folder to search from; the working folder by default.
    """

    def __init__(
        self, index: Path | None = None, settings: Path | None = None, start: Path | None = None
    ) -> None:
        from hdlgraph.project.shared.naming import is_address

        start = start or Path.cwd()
        self._shared = is_address(index)
        self.index = index if index is None or self._shared else start / index
        self.settings = settings
        self._start = start
        self._lock = threading.Lock()
        self._project: Project | None = None
        self._known: tuple[object, ...] = ()

    def folder(self) -> Path:
        """Returns the index folder as it is found now (IndexMissingError)."""
        from hdlgraph.project import Project

        return Project.find(self.index, self._start)

    def run(self, work: Callable[[Project], T]) -> T:
        """Returns what `work` returns of the project; others wait meanwhile."""
        with self._lock:
            return work(self.opened())

    def take(self, seconds: float) -> bool:
        """Waits so long for the index to be free; True: it is the caller's until `give`."""
        return self._lock.acquire(timeout=seconds)

    def give(self) -> None:
        """Lets others have the index again."""
        self._lock.release()

    def opened(self) -> Project:
        """Returns the project, whose index was taken before."""
        from hdlgraph.project import Project
        from hdlgraph.project.repository import KEEPER

        # A project with a shared index looks for a new one itself, beside its answers.
        known_folder = self._project.folder if self._shared and self._project else None
        folder = known_folder or self.folder()
        root = self._project.root if self._project else folder.parent
        known = (folder, stamp(self.settings or root / "settings.yaml"))
        if self._project is None or known != self._known:
            outer = KEEPER.set(None)  # a command of another process may be asking for it
            try:
                named = self.index if self._shared else folder
                self._project = Project.open(named, self.settings, self._start)
            finally:
                KEEPER.reset(outer)
            self._known = (folder, stamp(self.settings or self._project.root / "settings.yaml"))
        return self._project

    def load(self) -> None:
        """Opens the index and all that a first search needs, so that the next one is quick."""
        try:
            self.run(lambda project: project.search("clock", k=1, rerank=False))
        except HdlgraphError:
            return  # the first question will tell


def stamp(path: Path) -> tuple[int, int] | None:
    """Returns time and size of a file, None where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 (asked before every question)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
