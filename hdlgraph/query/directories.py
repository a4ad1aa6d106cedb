"""The folders of a repository by name; files are collected when a question names theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

USUAL_DIRECTORIES = frozenset(
    """rtl src hdl verilog systemverilog sv v vh hw ip core cores dv tb test tests bench sim
        common include inc lib libs top vendor formal fpv env seq_lib util utils doc docs
        data pre_dv generic autogen memory debug control system cache cpu""".split()
)
"""Folder names that are also everyday words or hold a kind of file rather than a design."""


class Directories(Mapping[str, np.ndarray]):
    """Name of a directory -> the files below it, sorted, for names that distinguish files.

    A name is dropped when it holds more than half of all files or is a usual folder name.

    Args:
        paths: of all files, by number.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._below: dict[str, list[int]] = {}
        for number, path in enumerate(paths):
            folder, slash, _ = path.rpartition("/")
            if slash:
                self._below.setdefault(folder, []).append(number)
        folders: dict[str, list[str]] = {}
        for folder in self._below:
            for name in set(folder.lower().split("/")):
                folders.setdefault(name, []).append(folder)
        most = len(paths)
        self._folders = {
            name: found
            for name, found in sorted(folders.items())
            if name not in USUAL_DIRECTORIES and self._count(found) * 2 <= most
        }

    def _count(self, folders: Sequence[str]) -> int:
        return sum(len(self._below[folder]) for folder in folders)

    def __getitem__(self, name: str) -> np.ndarray:
        """Returns the files below the directories of a name, sorted."""
        return np.sort(np.concatenate([self._below[one] for one in self._folders[name]]))

    def __contains__(self, name: object) -> bool:
        return name in self._folders

    def __iter__(self) -> Iterator[str]:
        return iter(self._folders)

    def __len__(self) -> int:
        return len(self._folders)
