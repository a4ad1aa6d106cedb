"""Which libraries the top-level folders of a repository use, by names with one definition alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from hdlgraph.index.kept.functions import kept, of_content
from hdlgraph.index.link.nodes import FileEntry, UnitEntry
from hdlgraph.index.link.parts.asked import Space
from hdlgraph.model import FileRecord

FEWEST = 3
"""A folder uses a library where it instantiates at least so many units that only this has."""


class Kin:
    """Says of two files whether the folder of the first uses the library of the second.

    A library is a folder of the second level, such as `external/basejump`.

    Args:
        files: all files.
        modules: the units by name.
    """

    def __init__(self, files: Sequence[FileEntry], modules: Space) -> None:
        self._files, self._modules = files, modules

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """All pairs of a top-level folder and a library that it uses, sorted."""
        faces = b"".join(file.stamp for file in self._files)
        return of_content("kin", faces, list[tuple[str, str]], self._found)

    def _found(self) -> list[tuple[str, str]]:
        used: dict[tuple[str, str], set[str]] = defaultdict(set)
        for file in self._files:
            top = _top(file.path)
            for name in _instantiated(file.record):
                known: Sequence[UnitEntry] = self._modules.quietly(name) or ()
                if len(known) == 1:
                    used[top, _library(known[0].path)].add(name)
        return sorted(pair for pair, names in used.items() if len(names) >= FEWEST)

    @cached_property
    def _known(self) -> frozenset[tuple[str, str]]:
        return frozenset(self.pairs)

    def uses(self, user: str, path: str) -> bool:
        """Returns whether the top-level folder of a file uses the library of another file."""
        library = _library(path)
        return bool(library) and (_top(user), library) in self._known


@kept
def _instantiated(record: FileRecord) -> list[str]:
    """Returns the units that a file instantiates, sorted, each once."""
    return sorted({instance.unit for unit in record.units for instance in unit.instances})


def _top(path: str) -> str:
    return path.partition("/")[0] if "/" in path else ""


def _library(path: str) -> str:
    return "/".join(path.split("/")[:-1][:2])
