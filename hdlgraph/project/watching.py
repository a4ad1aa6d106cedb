"""Keeping an index in step with its repository: `Project.watch`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import HdlgraphError, IndexLockedError, UsageError
from hdlgraph.project.indexing import Indexing

if TYPE_CHECKING:
    from threading import Event

    from hdlgraph.index.progress import Progress
    from hdlgraph.results import Round
    from hdlgraph.store.manifest import Manifest

QUIET_MS = 100
"""Milliseconds without a change after which a round begins."""
LONGEST_MS = 2_000
"""Milliseconds after the first change when a round begins even if changes go on."""
WAKE_MS = 1_000
"""Milliseconds after which the wait for changes is interrupted, to see whether it should end."""
ALSO = (".gitignore", ".hdlgraphignore", "verible.filelist")
"""Files besides sources that say which sources there are."""


class Watching(Indexing):
    """The part of a project that keeps its index in step."""

    def watch(
        self,
        *,
        stop: Event | None = None,
        poll: bool = False,
        progress: Callable[[], Progress] | None = None,
        **options: Any,
    ) -> Iterator[Round]:
        """Yields what each round of indexing did: one at once, then one after each change.

        The folders that the last walk listed are watched, so no link is followed out of the
        repository and nothing is seen of ignored folders. Changes that come close together make
        one round, and there is never more than one round at a time. A round that fails is
        reported, and the next change tries again; the former index stays valid meanwhile.

        Args:
            stop: ends the iteration when it is set, within about a second.
            poll: look at the files again and again, for systems that report no changes.
            progress: makes the progress function of a round.
            options: as of `index`.

        Raises:
            UsageError: the first round fails for wrong use, or the folders cannot be watched.
        """
        from hdlgraph.index.kept.memory import remembering

        with remembering():
            yield from self._rounds(stop, poll, progress, options)

    def _rounds(
        self,
        stop: Event | None,
        poll: bool,
        progress: Callable[[], Progress] | None,
        options: Mapping[str, Any],
    ) -> Iterator[Round]:
        """Yields the rounds of `watch`."""
        yield self._round((), options, progress, first=True)
        _load()
        moved: set[str] = set()
        while not _is_set(stop):
            manifest = self.manifest()
            watched = _folders(self.root, manifest)
            sure = False  # changes before the watch began are not reported by it
            for changes in _changes(watched, self._relevant(manifest, options), stop, poll):
                moved |= {self._relative(path) for _, path in changes}
                if not moved and not sure:
                    sure = self._in_step(options)
                    if sure:
                        continue
                elif not moved:
                    continue
                done = self._round(sorted(moved), options, progress)
                if done.locked:  # another process writes this index: once more, soon
                    continue
                moved.clear()
                sure = True
                if done.has_news:
                    yield done
                if done.report is not None and _folders(self.root, self.manifest()) != watched:
                    break

    def _round(
        self,
        files: tuple[str, ...] | list[str],
        options: Mapping[str, Any],
        progress: Callable[[], Progress] | None,
        first: bool = False,
    ) -> Round:
        """Returns what a round of indexing did, or its error; wrong use is raised in the first."""
        from hdlgraph.results import Round

        began = time.perf_counter()
        report, error, locked = None, "", False
        # Settings are read once by a project, and may be what changed.
        anew = type(self)(self.root, self.folder, self._given, self.features)
        try:
            report = anew.index(**options, progress=progress() if progress else None)
        except UsageError as failed:
            if first:
                raise
            error = str(failed)
        except HdlgraphError as failed:
            error, locked = str(failed), isinstance(failed, IndexLockedError) and not first
        seconds = round(time.perf_counter() - began, 3)
        return Round(tuple(files), seconds, report, error, locked)

    def _in_step(self, options: Mapping[str, Any]) -> bool:
        """Returns whether the index fits the repository, as far as that can be found out now."""
        named = ("filelist", "include", "exclude", "data_type", "embeddings", "reset_options")
        given = {name: options[name] for name in named if name in options}
        anew = type(self)(self.root, self.folder, self._given, self.features)
        try:
            return bool(anew.check(**given)["fits"])
        except HdlgraphError:
            return False  # a round reports what is wrong

    def _relevant(
        self, manifest: Manifest, options: Mapping[str, Any]
    ) -> Callable[[Any, str], bool]:
        """Returns a function that says whether the change of a path may change the index."""
        filelist = options.get("filelist") or self.root / (manifest.filelist or "verible.filelist")
        settings = self.settings_file or self.root / "settings.yaml"
        named = {os.path.realpath(filelist), os.path.realpath(settings)}
        own, folders = f"{self.folder}{os.sep}", manifest.folders

        def relevant(_change: Any, path: str) -> bool:
            if path.startswith(own) or path == str(self.folder):
                return False
            name = path.rpartition(os.sep)[2]
            if path.endswith(manifest.suffixes) or name in ALSO or path in named:
                return True
            # A folder came, went or was renamed: nothing else may report the files in it.
            return self._relative(path) in folders or (
                Path(path).is_dir() and not Path(path).is_symlink()
            )

        return relevant

    def _relative(self, path: str) -> str:
        return path.removeprefix(f"{self.root}{os.sep}")


def _load() -> None:
    """Loads what the second process of each round would load again: it is a copy of this one."""
    from hdlgraph.index.filesets import read  # noqa: F401
    from hdlgraph.index.flow import write as signals  # noqa: F401
    from hdlgraph.index.lexical import mine_short_forms  # noqa: F401
    from hdlgraph.index.link import agreement, link  # noqa: F401
    from hdlgraph.index.registers import write as registers  # noqa: F401
    from hdlgraph.store import tables

    tables.load()


def _is_set(stop: Event | None) -> bool:
    return stop is not None and stop.is_set()


def _folders(root: Path, manifest: Manifest) -> tuple[str, ...]:
    """Returns the folders to watch: those that the walk listed, as far as they lie in the root."""
    inside = f"{root}{os.sep}"
    places = (str(root / folder) if folder else str(root) for folder in manifest.folders)
    real = (os.path.realpath(place) for place in places)
    found = {place for place in real if place == str(root) or place.startswith(inside)}
    return tuple(sorted(place for place in {*found, str(root)} if Path(place).is_dir()))


def _changes(
    folders: tuple[str, ...],
    relevant: Callable[[Any, str], bool],
    stop: Event | None,
    poll: bool,
) -> Iterator[set[tuple[Any, str]]]:
    """Yields what changed in folders, not below them; an empty set after each quiet second.

    Raises:
        UsageError: the system watches no more folders.
    """
    from watchfiles import watch

    try:
        yield from watch(
            *folders,
            watch_filter=relevant,
            debounce=LONGEST_MS,
            step=QUIET_MS,
            stop_event=stop,
            rust_timeout=WAKE_MS,
            yield_on_timeout=True,
            force_polling=poll or None,
            recursive=False,
            ignore_permission_denied=True,
        )
    except OSError as error:
        raise UsageError(
            f"{len(folders)} folders cannot be watched ({error}); allow more of them "
            "(sysctl fs.inotify.max_user_watches) or use --poll"
        ) from error
