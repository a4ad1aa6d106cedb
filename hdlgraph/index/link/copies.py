"""Finds folders that are copies of one another, such as a vendored tree that exists twice.

In a repository that holds a design three times every name has three definitions, and each use
would be linked to all of them. But of two definitions at the same place in two copies, a file that
lies in one copy means that of its own.

Two folders are copies when nine tenths of the files of both together lie at the same place in both
with the same content, so a copy may differ in some files; what differs counts as copied as well.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import msgspec

from hdlgraph.index.kept.functions import of_content

SHARED = 0.9
"""Least share of equal files in all files of two folders that are copies."""

FEWEST = 2
"""Least number of equal files: a single one has nothing to be linked with."""

PROMISING = 0.1
"""Pairs of folders with a smaller share of equal files at first sight are not compared."""

AHEAD = 2
"""A file is looked at beside so many of the next ones with its name and content.

Three copies are three pairs then, and three hundred no more than 600.
"""


class Place(NamedTuple):
    """Where a file lies: `rest` is its path below `root`, one of the copies of `group`."""

    group: str
    root: str
    rest: str


class Copies:
    """Says which folders of a repository are copies, and where a file lies in them.

    Args:
        files: (path, hash of the content) of all files; those with the hash "" have no content.
    """

    def __init__(self, files: Iterable[tuple[str, str]]) -> None:
        self._files = sorted(files)
        self._places: dict[str, list[tuple[str, str]]] = {}

    @cached_property
    def roots(self) -> dict[str, str]:
        """Folders that have a copy, each with the name of its group: the first of the copies."""
        return of_content("copies", _twins(self._files), dict[str, str], self._roots)

    def _roots(self) -> dict[str, str]:
        parent: dict[str, str] = {}

        def first(folder: str) -> str:
            while parent.setdefault(folder, folder) != folder:
                parent[folder] = folder = parent[parent[folder]]
            return folder

        for one, other in _copies(self._files):
            a, b = sorted((first(one), first(other)))
            parent[b] = a
        return {folder: first(folder) for folder in sorted(parent)}

    def around(self, folder: str) -> list[tuple[str, str]]:
        """Returns (group, root) of the copies that a folder lies in, outermost first."""
        if not self.roots:
            return []
        found = self._places.get(folder)
        if found is None:
            found = [(self.roots[one], one) for one in ancestors(folder) if one in self.roots]
            self._places[folder] = found
        return found

    def places(self, path: str) -> Iterator[Place]:
        """Yields the place of a file in each copy it lies in, outermost first."""
        for group, root in self.around(path.rpartition("/")[0]):
            yield Place(group, root, path[len(root) + 1 :])


def _twins(files: Sequence[tuple[str, str]]) -> bytes:
    """Returns what stands for all paths and for which files of one name have the same content.

    Of contents it does not matter what they are, so most edits leave it as it is.
    """
    same: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path, content in files:
        same[path.rpartition("/")[2], content].append(path)
    groups = [paths for (_, content), paths in same.items() if len(paths) > 1 and content]
    empty = [path for path, content in files if not content]
    paths = "\n".join(path for path, _ in files)
    return msgspec.msgpack.encode((paths, groups, empty))


def ancestors(folder: str) -> list[str]:
    """Returns the folders from the top (without the root, "") down to `folder` itself."""
    if not folder:
        return []
    ends = [at for at, sign in enumerate(folder) if sign == "/"]
    return [folder[:end] for end in (*ends, len(folder))]


def _copies(files: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yields pairs of folders that are copies; no pair inside of another one."""
    counts = Counter(a for path, _ in files for a in ancestors(path.rpartition("/")[0]))
    votes = _votes(files)
    found: set[tuple[str, str]] = set()
    for pair in sorted(votes, key=lambda pair: (pair[0].count("/"), pair)):
        one, other = pair
        larger = max(counts[one], counts[other])
        if votes[pair] < max(FEWEST, PROMISING * larger) or _inside(pair, found):
            continue
        if SHARED * larger > min(counts[one], counts[other]):
            continue
        left, right = (dict(_below(files, folder)) for folder in pair)
        equal = sum(right.get(path) == content != "" for path, content in left.items())
        if equal >= max(FEWEST, SHARED * len(left.keys() | right.keys())):
            found.add(pair)
            yield pair


def _votes(files: Sequence[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """Returns for pairs of folders how many equal files were seen at the same place in both."""
    same: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path, content in files:
        if content:
            same[path.rpartition("/")[2], content].append(path)
    votes: Counter[tuple[str, str]] = Counter()
    for paths in same.values():
        ahead = (zip(paths, paths[step:], strict=False) for step in range(1, AHEAD + 1))
        for one, other in chain.from_iterable(ahead):
            pair = one.rpartition("/")[0], other.rpartition("/")[0]
            while all(pair) and not _nested(*pair):
                votes[pair] += 1
                (one, _, left), (other, _, right) = (folder.rpartition("/") for folder in pair)
                if left != right:
                    break
                pair = one, other
    return votes


def _nested(one: str, other: str) -> bool:
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _inside(pair: tuple[str, str], found: set[tuple[str, str]]) -> bool:
    """Returns whether a pair is the same folder in two copies that were found."""
    one, other = pair
    while one and other:
        if (one, other) in found:
            return True
        (one, _, left), (other, _, right) = one.rpartition("/"), other.rpartition("/")
        if left != right:
            return False
    return False


def _below(files: Sequence[tuple[str, str]], folder: str) -> Iterator[tuple[str, str]]:
    """Yields (path below a folder, content) of its files."""
    prefix = folder + "/"
    for at in range(bisect_left(files, (prefix, "")), len(files)):
        path, content = files[at]
        if not path.startswith(prefix):
            return
        yield path[len(prefix) :], content
