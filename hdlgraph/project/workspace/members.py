"""The repositories of a workspace: opened when first asked, with a message for each failure."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.project.workspace.file import Entry
from hdlgraph.project.workspace.models import Remembering
from hdlgraph.safety.printable import visible

if TYPE_CHECKING:
    from hdlgraph.project import Project

T = TypeVar("T")


class Outcomes(NamedTuple):
    """What each repository that could be asked gave, and why the others could not, by name."""

    given: dict[str, Any]
    problems: dict[str, str]


class Members:
    """The repositories of a workspace by name.

    Args:
        entries: as of the workspace file.
        settings: the settings file that the user named, for all of them.
        open_one: gives the project of a repository; by default it is opened once and kept.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        settings: Path | None = None,
        open_one: Callable[[Entry], Project] | None = None,
    ) -> None:
        self.entries = {entry.name: entry for entry in entries}
        self._settings = settings
        self._open = open_one or self._opened
        self._projects: dict[str, Project] = {}
        self._models: dict[str, Remembering] = {}
        self._lock = threading.Lock()

    def project(self, name: str) -> Project:
        """Returns a repository's project (UsageError: the workspace names no such one)."""
        if name not in self.entries:
            known = ", ".join(self.entries)
            raise UsageError(
                f"{visible(name[:80])}: no repository of the workspace; it has {known}"
            )
        return self._sharing(self._open(self.entries[name]))

    def _opened(self, entry: Entry) -> Project:
        from hdlgraph.project import Project
        from hdlgraph.project.repository import KEEPER

        with self._lock:
            if entry.name not in self._projects:
                outer = KEEPER.set(None)  # the index is none that another process keeps open
                try:
                    self._projects[entry.name] = Project.open(entry.index, self._settings)
                finally:
                    KEEPER.reset(outer)
            return self._projects[entry.name]

    def _sharing(self, project: Project) -> Project:
        """Has a project take the models of those before it with the same settings."""
        if project._models is None:
            key = repr((project.settings.embedding, project.settings.trained))
            with self._lock:
                models = self._models.setdefault(key, Remembering(project.settings, []))
            project._models = models
        return project

    def each(self, work: Callable[[Project], T], names: Collection[str] = ()) -> Outcomes:
        """Returns what `work` gives of each repository; one that cannot be asked ends no other.

        Args:
            work: what is wanted of one.
            names: only these; empty asks all.

        Raises:
            UsageError: a name is of none.
            HdlgraphError: none could be asked; where all say the same, it is what they say.
        """
        given: dict[str, Any] = {}
        problems: dict[str, HdlgraphError | OSError] = {}
        for name in sorted(set(names) - self.entries.keys()):
            self.project(name)  # raises
        for name in self.entries:
            if names and name not in names:
                continue
            try:
                given[name] = work(self.project(name))
            except (HdlgraphError, OSError) as error:
                problems[name] = error
        if problems and not given:
            raise _all_failed(problems)
        return Outcomes(given, {name: _line(error) for name, error in problems.items()})


def _line(error: HdlgraphError | OSError) -> str:
    return " ".join(visible(str(error)).split())


def _all_failed(problems: Mapping[str, HdlgraphError | OSError]) -> HdlgraphError:
    """Returns the error of a question that no repository could be asked."""
    errors = list(problems.values())
    alike = {str(error) for error in errors}
    if len(alike) == 1 and isinstance(errors[0], HdlgraphError):
        return errors[0]
    kind = UsageError if all(isinstance(one, UsageError) for one in errors) else HdlgraphError
    return kind(*(f"{name}: {_line(error)}" for name, error in problems.items()))
