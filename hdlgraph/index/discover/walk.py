"""Walks a repository: the files below a folder, what ignore files say of them, what was skipped.

Whoever wrote the repository may have put anything into it; an odd entry is skipped and counted,
and the walk goes on.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
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
_NAME_OF = attrgetter("name")


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
        untold: endings of names that are wanted as well, but are passed over without a word.
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
        untold: tuple[str, ...] = (),
    ) -> None:
        self._root = root
        self._inside = f"{root}/"
        self._told, self._endings = endings, (*endings, *untold)
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
        self._enter(str(self._root), "", rules, False)
        while self._stack:
            level = self._stack[-1]
            rules, prefix = level.rules, level.prefix
            for entry in level.entries:
                kind = self._kind(entry, prefix)
                if kind == stat.S_IFREG:
                    path = prefix + entry.name
                    yield path, level.ignored or (bool(rules) and is_ignored(rules, path))
                elif kind == stat.S_IFDIR:
                    path = f"{prefix}{entry.name}/"
                    below = level.ignored or (bool(rules) and is_ignored(rules, path))
                    self._enter(entry.path, path, rules, below)
                    break  # what is in it comes before the next entry
            else:
                self._stack.pop()

    def _enter(self, folder: str, prefix: str, rules: list[Rules], ignored: bool) -> None:
        """Puts a folder on the stack, unless it is too deep, unwanted, unreadable or seen."""
        if len(self._stack) > DEPTH:
            self._skipped.add(DEEP, prefix)
            return
        if self._may_enter is not None and not self._may_enter(prefix[:-1]):
            return
        try:
            found = os.stat(folder)  # noqa: PTH116  a `Path` takes as long again
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=_NAME_OF)
        except OSError as error:
            self._skipped.add(UNREADABLE, f"{prefix or '.'} ({error.strerror})")
            return
        if (found.st_dev, found.st_ino) in self._seen:
            return
        self._seen.add((found.st_dev, found.st_ino))
        self._folders[prefix[:-1]] = found.st_mtime_ns
        here = self._names.intersection(map(_NAME_OF, entries))
        if here:
            rules = rules + self._ignore_files.inside(self._root, prefix, here)
        self._stack.append(_Level(iter(entries), prefix, rules, ignored))

    def _kind(self, entry: os.DirEntry[str], prefix: str) -> int:
        """Returns the kind of an entry to go on with, 0 of one that is passed over."""
        name = entry.name
        if name.isprintable():  # nearly all are plain, and no links
            if entry.is_file(follow_symlinks=False):
                return stat.S_IFREG if name.endswith(self._endings) else 0
            if entry.is_dir(follow_symlinks=False):
                return 0 if name in SKIPPED_FOLDERS else stat.S_IFDIR
        return self._odd(entry, prefix + name)

    def _odd(self, entry: os.DirEntry[str], path: str) -> int:
        """Returns what `_kind` does of an entry that may be of any kind."""
        try:
            is_link = entry.is_symlink()
            is_folder = entry.is_dir()
            is_wanted = is_folder or entry.name.endswith(self._endings)
            if not is_wanted or (is_folder and entry.name in SKIPPED_FOLDERS):
                return 0
            told = is_folder or entry.name.endswith(self._told)
            if not is_plain(entry.name):
                return self._pass(NAME, path, told)
            if is_link and not f"{os.path.realpath(entry.path)}/".startswith(self._inside):
                return self._pass(LINK_OUT, path, told)
            if is_folder:
                return stat.S_IFDIR
            if entry.is_file():
                return stat.S_IFREG
            is_lost = is_link and not Path(entry.path).exists()
            return self._pass(LINK_OUT if is_lost else SPECIAL, path, told)
        except OSError:  # a link to itself, for one
            return self._pass(LINK_OUT, path, True)

    def _pass(self, reason: str, path: str, told: bool) -> int:
        if told:
            self._skipped.add(reason, path)
        return 0
