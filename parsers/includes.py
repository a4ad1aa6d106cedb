"""Finds the file that an include means: its exact path, an incdir, else the nearest of its name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from functools import lru_cache


class IncludeIndex:
    """Resolves includes among the files of one repository; paths are relative and POSIX.

    The order is: beside the includer, each incdir in turn, then the file whose path ends with
    the written name and that is nearest to the includer (fewest steps through the folder tree,
    ties by path).
    """

    def __init__(self, paths: Iterable[str], incdirs: Sequence[str] = ()) -> None:
        self._paths = frozenset(paths)
        self._incdirs = tuple(incdirs)
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(self._paths):
            self._by_name.setdefault(posixpath.basename(path), []).append(path)
        self._cached = lru_cache(maxsize=65536)(self._resolve)

    def resolve(self, includer: str, name: str) -> str | None:
        """Returns the path that `name` means in the file `includer`, or None."""
        return self._cached(posixpath.dirname(includer), name.strip())

    def _resolve(self, folder: str, name: str) -> str | None:
        if not name or name.startswith("/"):
            return None
        for base in (folder, *self._incdirs):
            path = posixpath.normpath(posixpath.join(base, name))
            if path in self._paths:
                return path
        plain = posixpath.normpath(name)
        while plain.startswith("../"):
            plain = plain[3:]
        tail = "/" + plain
        found = [
            path
            for path in self._by_name.get(posixpath.basename(plain), ())
            if path == plain or path.endswith(tail)
        ]
        return min(found, key=lambda path: (distance(folder, path), path)) if found else None


def distance(folder: str, path: str) -> int:
    """Returns the steps from a folder up and down to the folder of `path`."""
    left = folder.split("/") if folder else []
    right = path.split("/")[:-1]
    same = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        same += 1
    return len(left) + len(right) - 2 * same
