"""Walks a repository: the files below a folder, what ignore files say of them, what was skipped.

Whoever wrote the repository may have put anything into it; an odd entry is skipped and counted,
and the walk goes on.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hdlgraph.index.discover.ignore import GIT, OWN, IgnoreFiles, Rules, is_ignored
from hdlgraph.safety.printable import is_plain, visible

DEPTH = 200
"""Folders nested deeper are not entered; no design is, and longer paths cannot be opened."""

SKIPPED_FOLDERS = frozenset({".git", ".hdlgraph", ".hg", ".svn", "__pycache__", ".venv"})

NAME = "names that are not UTF-8 or hold control characters, skipped"
LINK_OUT = "links that lead out of the repository or nowhere, not followed"
DEEP = f"folders nested more than {DEPTH} deep, not entered"
UNREADABLE = "folders that cannot be read, skipped"
SPECIAL = "entries that are no regular files, skipped"


@dataclass(slots=True)
class Skipped:
    """Counts what a walk passed over, by reason, with the first path of each as an example."""

    found: dict[str, tuple[int, str]] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    """Further notes for the user, such as a refused pattern of an ignore file."""

    def add(self, reason: str, path: str) -> None:
        """Counts one entry that was passed over."""
        count, first = self.found.get(reason, (0, path))
        self.found[reason] = (count + 1, min(first, path))

    def notes(self) -> list[str]:
        """Returns a line for each reason, in order of the reasons."""
        counted = [
            f"{count} {reason}, such as {visible(first)}"
            for reason, (count, first) in sorted(self.found.items())
        ]
        return [*counted, *dict.fromkeys(self.messages)]


@dataclass(slots=True)
class _Level:
    """A folder being listed."""

    entries: Iterator[os.DirEntry[str]]
    prefix: str
    rules: list[Rules]
    ignored: bool


class Walk:
    """Walks a tree in order of path; each folder once, links out of the root not at all.

    Args:
        root: the repository, absolute and free of links.
        endings: what the names of wanted files end with.
        is_git: whether `.gitignore` counts.
        ignore_files: reads the ignore files.
        skipped: takes what was passed over.
        folders: takes the folders that are listed, each with its time in ns; the root is "".
        enter: tells of a folder whether it is listed; all are without it.
    """

    def __init__(
        self,
        root: Path,
        endings: tuple[str, ...],
        is_git: bool,
        ignore_files: IgnoreFiles,
        skipped: Skipped,
        folders: dict[str, int],
        enter: Callable[[str], bool] | None = None,
    ) -> None:
        self._root = root
        self._inside = f"{root}/"
        self._endings = endings
        self._names = {OWN, GIT} if is_git else {OWN}
        self._ignore_files = ignore_files
        self._skipped = skipped
        self._folders = folders
        self._may_enter = enter
        self._seen: set[tuple[int, int]] = set()
        self._stack: list[_Level] = []

    def files(self, rules: list[Rules]) -> Iterator[tuple[str, bool]]:
        """Yields (path, whether an ignore file leaves it out) of the wanted files."""
        # A stack of its own, not recursion: the tree's depth is the stranger's choice.
        self._enter(self._root, "", rules, False)
        while self._stack:
            level = self._stack[-1]
            entry = next(level.entries, None)
            if entry is None:
                self._stack.pop()
                continue
            path = level.prefix + entry.name
            kind = self._kind(entry, path)
            if kind == stat.S_IFREG:
                yield path, level.ignored or (bool(level.rules) and is_ignored(level.rules, path))
            elif kind == stat.S_IFDIR:
                below = level.ignored or (bool(level.rules) and is_ignored(level.rules, path + "/"))
                self._enter(Path(entry.path), path + "/", level.rules, below)

    def _enter(self, folder: Path, prefix: str, rules: list[Rules], ignored: bool) -> None:
        """Puts a folder on the stack, unless it is too deep, unwanted, unreadable or seen."""
        if len(self._stack) > DEPTH:
            self._skipped.add(DEEP, prefix)
            return
        if self._may_enter is not None and not self._may_enter(prefix[:-1]):
            return
        try:
            found = folder.stat()
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            self._skipped.add(UNREADABLE, f"{prefix or '.'} ({error.strerror})")
            return
        if (found.st_dev, found.st_ino) in self._seen:
            return
        self._seen.add((found.st_dev, found.st_ino))
        self._folders[prefix[:-1]] = found.st_mtime_ns
        here = self._names.intersection(entry.name for entry in entries)
        if here:
            rules = rules + self._ignore_files.inside(self._root, prefix, here)
        self._stack.append(_Level(iter(entries), prefix, rules, ignored))

    def _kind(self, entry: os.DirEntry[str], path: str) -> int:
        """Returns the kind of an entry to go on with, 0 of one that is passed over."""
        try:
            is_link = entry.is_symlink()
            is_folder = entry.is_dir()
            is_wanted = is_folder or entry.name.endswith(self._endings)
            if not is_wanted or (is_folder and entry.name in SKIPPED_FOLDERS):
                return 0
            if not is_plain(entry.name):
                return self._pass(NAME, path)
            if is_link and not f"{os.path.realpath(entry.path)}/".startswith(self._inside):
                return self._pass(LINK_OUT, path)
            if is_folder:
                return stat.S_IFDIR
            if entry.is_file():
                return stat.S_IFREG
            is_lost = is_link and not Path(entry.path).exists()
            return self._pass(LINK_OUT if is_lost else SPECIAL, path)
        except OSError:  # a link to itself, for one
            return self._pass(LINK_OUT, path)

    def _pass(self, reason: str, path: str) -> int:
        self._skipped.add(reason, path)
        return 0
