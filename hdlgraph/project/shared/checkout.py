"""The reader's own checkout of a repository whose index was made elsewhere.

A shared index names no folder of a reader's machine, and would not be believed if it did: the
checkout is the folder that the user works in. Times of files are those of the builder's machine,
so the content is compared once, and what was found is kept for as long as a file's time stays.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.safety.safe_files import read_inside, read_regular, write_atomic
from hdlgraph.store.manifest import FileEntry, Manifest

CHECKOUT = "HDLGRAPH_CHECKOUT"
"""The variable of the environment that names checkouts."""
SAMPLE = 64
"""Files of an index that are looked for in a folder."""
FILES = 20_000
"""Most files whose content is compared."""
KEPT_BYTES = 64_000_000


class _Known(msgspec.Struct, frozen=True):
    """Of each file its time (ns), its bytes and its checksum; of folders without news the time.

    `paths` is the checksum of the paths that the folders were compared with.
    """

    files: dict[str, tuple[int, int, str]] = {}
    folders: dict[str, int] = {}
    paths: str = ""


def find_checkout(files: Mapping[str, FileEntry], start: Path | None = None) -> Path | None:
    """Returns the folder that an index's paths are relative to; None where there is none.

    HDLGRAPH_CHECKOUT names folders, parted by colons as in PATH: of these it is the one that has
    most of some files of the index. Without it, it is the nearest folder from `start` (the working
    folder) upwards that has at least half of them.

    Raises:
        UsageError: one that is named is no folder.
    """
    paths = sorted(files)
    sample = paths[:: max(1, len(paths) // SAMPLE)]
    if named := [name for name in os.environ.get(CHECKOUT, "").split(os.pathsep) if name]:
        counted = [(_count(_folder(name), sample), _folder(name)) for name in named]
        most, root = max(counted, key=lambda one: one[0])
        return root if most else None
    here = (start or Path.cwd()).resolve()
    ways = (here, *here.parents)
    return next((one for one in ways if 2 * _count(one, sample) >= len(sample) > 0), None)


def _folder(name: str) -> Path:
    root = Path(name).expanduser().resolve()
    if not root.is_dir():
        raise UsageError(f"{CHECKOUT}: {name} is no folder")
    return root


def _count(folder: Path, paths: Sequence[str]) -> int:
    """Returns how many of the files a folder has."""
    return sum((folder / path).is_file() for path in paths)


def as_here(root: Path, manifest: Manifest, kept: Path) -> Manifest:
    """Returns a manifest with the times of this checkout for what has the indexed content.

    Args:
        root: the checkout.
        manifest: that of the index, with the times of another machine.
        kept: the file of what is known of this checkout; written where something is new.
    """
    known = _read(kept)
    found, files = dict(known.files), dict(manifest.files)
    for path, entry in islice(manifest.files.items(), FILES):
        now = _looked(root, path, entry, known.files.get(path))
        if now is None:
            continue
        found[path] = now
        if now[2] == entry.sha256:
            files[path] = FileEntry(entry.sha256, entry.size, now[0], entry.role)
    paths = hashlib.sha256("\n".join(manifest.files).encode()).hexdigest()
    folders = _folders(root, manifest, known.folders if known.paths == paths else {})
    fresh = _Known(found, folders, paths)
    if fresh != known:
        write_atomic(kept, msgspec.msgpack.encode(fresh))
    return msgspec.structs.replace(manifest, files=files, folders={**manifest.folders, **folders})


def _looked(
    root: Path, path: str, entry: FileEntry, known: tuple[int, int, str] | None
) -> tuple[int, int, str] | None:
    """Returns time, bytes and checksum of a file; None where there is none of these bytes."""
    try:
        now = os.stat(f"{root}/{path}")  # noqa: PTH116 (twice as fast)
    except (OSError, ValueError):
        return None
    if known is not None and known[:2] == (now.st_mtime_ns, now.st_size):
        return known
    if now.st_size != entry.size:
        return None
    try:
        data = read_inside(root, path)
    except (OSError, ValueError):
        return None
    return now.st_mtime_ns, now.st_size, hashlib.sha256(data).hexdigest()


def _folders(root: Path, manifest: Manifest, known: Mapping[str, int]) -> dict[str, int]:
    """Returns the times of the folders that hold no file which the index does not know."""
    from hdlgraph.index.moved import has_new

    found: dict[str, int] = {}
    for folder in manifest.folders:
        try:
            now = os.stat(f"{root}/{folder}").st_mtime_ns  # noqa: PTH116 (as above)
        except (OSError, ValueError):
            continue
        if known.get(folder) == now or not has_new(root, folder, manifest):
            found[folder] = now
    return found


def _read(kept: Path) -> _Known:
    try:
        return msgspec.msgpack.decode(read_regular(kept, KEPT_BYTES), type=_Known)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return _Known()
