"""Finds which files changed since they were indexed, by one cheap look at the disk.

Times and sizes are compared first; where these differ the content is compared, within limits. New
files are looked for only in folders whose modification time changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from hdlgraph.results import Moved
from hdlgraph.store.manifest import FileEntry, Manifest

FILES = 20_000
"""Most files whose time and size are looked at."""
COMPARED = 500
"""Most files whose content is compared."""
COMPARED_BYTES = 32_000_000
"""Most bytes that are compared, of all files together."""
NEW = 1_000
"""Most new files that are listed."""
ENTERED = 2_000
"""Most folders that are listed in search of new files."""
FEW, HOLDS, LONGEST = 1_000, 1e-4, 1.0
"""Files of an index up to which each look is a new one, and seconds for which a look at more files
holds, for each of them and at most."""
TIMES, MOST = 10, 5.0
"""It holds at least so many times as long as it took, so that a tenth of the time is spent on looks
where there are many files or the disk is slow; and at most so many seconds."""


class LastLook:
    """The last look of a process at the files of a repository, which holds a little while.

    A look at 20,000 files takes longer than a search: so searches one after the other share one.
    That at a small repository takes a few milliseconds, and does not hold.
    """

    def __init__(self) -> None:
        self._kept: tuple[Manifest, float, Moved] | None = None

    def moved(self, manifest: Manifest, look: Callable[[Manifest], Moved]) -> Moved:
        """Returns what a look finds, or what the last one at the same index found."""
        kept = self._kept
        if kept is not None and kept[0] is manifest and time.monotonic() < kept[1]:
            return kept[2]
        began = time.monotonic()
        found = look(manifest)
        end, count = time.monotonic(), len(manifest.files)
        least = min(LONGEST, HOLDS * count)
        holds = min(MOST, max(least, TIMES * (end - began))) if count > FEW else 0.0
        self._kept = manifest, end + holds, found
        return found


def look(root: Path, manifest: Manifest) -> Moved:
    """Returns which files of a repository differ from what an index holds of them.

    Args:
        root: the repository, absolute and free of links.
        manifest: that of the index.
    """
    files = manifest.files
    if not root.is_dir():
        return Moved(unchecked=len(files), root_missing=True)
    differing, removed = _by_time(root, files)
    changed, compared = _by_content(root, files, differing)
    unchecked = len(differing) - compared + max(0, len(files) - FILES)
    return Moved(tuple(_added(root, manifest)), tuple(changed), tuple(removed), unchecked)


def _by_time(root: Path, files: Mapping[str, FileEntry]) -> tuple[list[str], list[str]]:
    """Returns the files whose time or size changed, and those that are gone."""
    differing, removed = [], []
    base = f"{root}/"
    stat = os.stat
    for path, entry in islice(files.items(), FILES):
        try:
            now = stat(base + path)
        except (FileNotFoundError, NotADirectoryError):
            removed.append(path)
        except (OSError, ValueError):
            differing.append(path)
        else:
            if now.st_mtime_ns != entry.mtime_ns or now.st_size != entry.size:
                differing.append(path)
    return differing, removed


def _by_content(
    root: Path, files: Mapping[str, FileEntry], differing: list[str]
) -> tuple[list[str], int]:
    """Returns the files whose content changed, and for how many files that was found out."""
    if not differing:
        return [], 0
    from hdlgraph.index.discover.source_file import source_file

    changed: list[str] = []
    known = hashed = taken = 0
    for path in differing:
        size = _size(root, path)
        if size != files[path].size:
            changed.append(path)
            known += 1
        elif hashed < COMPARED and taken + size <= COMPARED_BYTES:
            hashed, taken, known = hashed + 1, taken + size, known + 1
            now = source_file(root, path)
            if now is None or now.sha256 != files[path].sha256:
                changed.append(path)
    return changed, known


def _size(root: Path, path: str) -> int:
    try:
        return (root / path).stat().st_size
    except (OSError, ValueError):
        return -1


def _added(root: Path, manifest: Manifest) -> list[str]:
    """Returns the new files that the next run would take."""
    suffixes, known = manifest.suffixes, manifest.folders
    grown = [folder for folder in _other_folders(root, known) if has_new(root, folder, manifest)]
    if not grown or not suffixes:
        return []
    from hdlgraph.index.discover.files import wanted_below

    way = {""} | {
        "/".join(parts[:n])
        for g in grown
        for parts in (g.split("/"),)
        for n in range(1, len(parts) + 1)
    }
    entered = 0

    def enter(folder: str) -> bool:
        nonlocal entered
        entered += 1
        return entered <= ENTERED and (folder in way or folder not in known)

    found = wanted_below(
        root, enter, suffixes=suffixes, include=manifest.include, exclude=manifest.exclude
    )
    return sorted(islice((path for path in found if path not in manifest.files), NEW))


def _other_folders(root: Path, folders: Mapping[str, int]) -> Iterator[str]:
    """Yields the folders whose time changed, because something was put in or taken out."""
    for folder, indexed in folders.items():
        try:
            now = os.stat(f"{root}/{folder}").st_mtime_ns  # noqa: PTH116 (twice as fast)
        except (OSError, ValueError):
            continue
        if now != indexed:
            yield folder


def has_new(root: Path, folder: str, manifest: Manifest) -> bool:
    """Returns whether a folder holds a folder or a design file that the index does not know."""
    from hdlgraph.index.discover.walk import SKIPPED_FOLDERS

    prefix = f"{folder}/" if folder else ""
    try:
        with os.scandir(root / folder) as entries:
            for entry in entries:
                path = prefix + entry.name
                if entry.name.endswith(manifest.suffixes):
                    if path not in manifest.files:
                        return True
                elif path in manifest.folders or entry.name in SKIPPED_FOLDERS:
                    continue
                elif entry.is_dir():
                    return True
    except OSError:
        return False
    return False
