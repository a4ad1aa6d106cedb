"""Workspace: several repositories asked at once; every front end calls only this."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.project.workspace.asking import Asking
from hdlgraph.project.workspace.file import Entry, read_workspace
from hdlgraph.project.workspace.linking import Linking
from hdlgraph.project.workspace.members import Members
from hdlgraph.settings.locate import FOLDER

if TYPE_CHECKING:
    from hdlgraph.project import Project


class Workspace(Asking, Linking):
    """The repositories that a workspace file names.

    `searching`, `asking`, `naming` and `linking` say what it answers; each call is that of
    `Project`, and what comes back names the repository of everything that has a place.

    Args:
        members: the repositories.
    """

    def __init__(self, members: Members) -> None:
        super().__init__(members)

    @classmethod
    def open(
        cls,
        file: Path | str,
        settings: Path | None = None,
        open_one: Callable[[Entry], Project] | None = None,
    ) -> Workspace:
        """Returns the workspace of a file; its indexes are opened when they are first asked.

        Args:
            file: as of `hdlgraph.project.workspace.file`.
            settings: a settings file for all of them, else each one's own counts.
            open_one: gives the project of a repository, for a server that keeps them open.

        Raises:
            SettingsError: the file cannot be used.
        """
        return cls(Members(read_workspace(Path(file)), settings, open_one))

    @property
    def names(self) -> list[str]:
        """Returns the names of the repositories, in the order of the file."""
        return list(self.members.entries)

    def of(self, folder: Path) -> str:
        """Returns the name of the repository that an index folder is of, "" for none."""
        for name, entry in self.members.entries.items():
            if folder in (entry.index.resolve(), entry.index.resolve() / FOLDER):
                return name
        return ""

    def read_lines(self, place: str, start: int = 1, end: int | None = None) -> dict[str, Any]:
        """Returns lines of an indexed file, as `Project.read_lines`.

        Args:
            place: `repository:path`.
            start: the first line, from 1.
            end: the last line; None takes some hundred.

        Raises:
            UsageError: no repository is named, or as of `Project.read_lines`.
        """
        from hdlgraph.errors import UsageError

        name, colon, path = place.partition(":")
        if not colon:
            raise UsageError(f"{place!r}: write REPOSITORY:PATH; there are {', '.join(self.names)}")
        return {**self.members.project(name).read_lines(path, start, end), "repository": name}
