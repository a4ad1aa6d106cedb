"""Which files differ between two runs, by content: added, changed, removed, renamed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hdlgraph.index.discover.source_file import SourceFile
from hdlgraph.store.manifest import FileEntry


class Changes(NamedTuple):
    """Sorted paths; `renamed` pairs (former path, present path) of equal content.

    A renamed file counts neither as added nor as removed.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    unchanged: int = 0

    @property
    def any(self) -> bool:
        """Returns whether the set of files or any content differs."""
        return bool(self.added or self.changed or self.removed or self.renamed)

    @property
    def size(self) -> int:
        """Returns how many files differ."""
        return sum(map(len, (self.added, self.changed, self.removed, self.renamed)))


def compare(former: Mapping[str, FileEntry], sources: Sequence[SourceFile]) -> Changes:
    """Returns what differs between the former files and the present ones.

    A file whose role alone differs counts as changed.
    """
    present = {source.path: source for source in sources}
    kept = [path for path in present if path in former]
    changed = [path for path in kept if not _same(former[path], present[path])]
    added = set(present) - set(former)
    removed = set(former) - set(present)
    renamed = _renamed(
        {path: former[path].sha256 for path in removed},
        {path: present[path].sha256 for path in added},
    )
    return Changes(
        added=tuple(sorted(added - {new for _, new in renamed})),
        changed=tuple(sorted(changed)),
        removed=tuple(sorted(removed - {old for old, _ in renamed})),
        renamed=renamed,
        unchanged=len(kept) - len(changed),
    )


def _same(entry: FileEntry, source: SourceFile) -> bool:
    return (entry.sha256, entry.role) == (source.sha256, source.role)


def _renamed(removed: Mapping[str, str], added: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(added, reverse=True):
        places[added[path]].append(path)
    pairs = [
        (path, places[removed[path]].pop()) for path in sorted(removed) if places.get(removed[path])
    ]
    return tuple(pairs)
