"""The project of the page as one that also runs commands of the same user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hdlgraph.serve.warm.kept import Kept, stamp

if TYPE_CHECKING:
    from hdlgraph.project import Project
    from hdlgraph.project.resident import Resident


class Shared(Kept):
    """The index of a server's page, which stays open for commands as well.

    Args:
        project: of the page.
    """

    def __init__(self, project: Resident) -> None:
        super().__init__(project.folder, project.settings_file)
        self._resident = project
        self._file = project.settings_file or project.root / "settings.yaml"
        self._began = stamp(self._file)

    def opened(self) -> Project:
        """Returns the project of the page as of now, or another where its settings changed."""
        if stamp(self._file) != self._began:
            return super().opened()
        self._resident.refresh()
        return self._resident
