"""Writes and reads the manifest: which generation is valid, and what it was made from."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import HdlgraphError, IndexMissingError, IndexVersionError
from hdlgraph.results import StageTime, WriterTrust
from hdlgraph.safety.safe_files import read_regular, write_atomic
from hdlgraph.store.format_version import INDEX_VERSION, READABLE
from hdlgraph.store.guard import check_readable

NAME = "manifest.json"
LIMIT = 256_000_000
"""Bytes of the largest manifest that is read; 100,000 files take about 20 MB."""


class FileEntry(msgspec.Struct, frozen=True, array_like=True):
    """What one indexed file looked like: content hash, bytes, modification time, role."""

    sha256: str
    size: int
    mtime_ns: int
    role: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The state of an index.

    `digest` is the sha256 of the file itself without it (set by `write_manifest`). `inputs`
    digests everything besides the files that the result depends on; `checked_ns` is the time
    (ns since the epoch) before the files were last read; `watched` are files outside the index
    whose content counts (headers with foreign extensions). `model_texts` digests what language
    models wrote, `writers` counts the explanations by who wrote them, `pending` the files that each
    stage with a model has still to do (a stage never asked for is not in it). `checksums` are
    those of the generation's files, `tables` those of GraphRAG's. `retry` are the files whose
    facts are weak because the machine ended their readers. `notes` are those of discovery,
    `left_out` those of linking. `suffixes` are the endings of files that were looked for,
    `folders` those that were listed, with their modification time in ns, so that new files are
    found without listing all of them again. `options` are those of `index` that the next run
    takes, see `hdlgraph.settings.remembered`. `projects` are the files that say which sources
    belong together, each with its bytes and modification time in ns.
    """

    schema: int = INDEX_VERSION
    digest: str = ""
    generation: int
    version: str
    root: str
    inputs: str
    data_type: str = "explanations"
    embedder: str = ""
    settings: str = ""
    filelist: str = ""
    file_source: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    incdirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    files: dict[str, FileEntry] = {}
    watched: dict[str, FileEntry] = {}
    checked_ns: int = 0
    counts: dict[str, int] = {}
    roles: dict[str, int] = {}
    degraded: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    stages: tuple[StageTime, ...] = ()
    peak_memory_mb: float = 0.0
    graphrag: dict[str, str | int | float] = {}
    model_texts: str = ""
    writers: dict[str, int] = {}
    pending: dict[str, int] = {}
    trust: tuple[WriterTrust, ...] = ()
    checksums: dict[str, tuple[int, str]] = {}
    tables: dict[str, tuple[int, str]] = {}
    retry: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    folders: dict[str, int] = {}
    options: dict[str, Any] = {}
    projects: dict[str, tuple[int, int]] = {}


class _Schema(msgspec.Struct):
    schema: int
    digest: str = ""


class Asked(msgspec.Struct):
    """How the last run was called: the options to remember, and the filelist that it took."""

    options: dict[str, Any] = {}
    filelist: str = ""


def read_asked(folder: Path) -> Asked:
    """Returns how the last run was called, of whatever version; nothing where nobody can tell."""
    try:
        check_readable(folder)
        data = read_regular(folder / NAME, LIMIT, follow=False)
        return msgspec.json.decode(data, type=Asked)
    except (OSError, HdlgraphError, msgspec.MsgspecError, UnicodeError, RecursionError):
        return Asked()


def read_manifest(folder: Path) -> Manifest:
    """Returns the manifest of an index folder.

    Raises:
        IndexMissingError: there is none, or it cannot be read.
        IndexVersionError: another schema version wrote it.
        IndexUnsafeError: the folder or something in it is a link.
    """
    check_readable(folder)
    path = folder / NAME
    try:
        data = read_regular(path, LIMIT, follow=False)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise IndexMissingError(
            f"index {folder}: there is none; create it with `hdlgraph index REPO`"
            " or name another folder with --index"
        ) from error
    except OSError as error:
        why = error.strerror or error
        raise IndexMissingError(f"index {folder}: cannot read {NAME} ({why})") from error
    try:
        head = msgspec.json.decode(data, type=_Schema)
        if head.schema not in READABLE:
            raise IndexVersionError(
                f"index {folder}: has version {head.schema}, this hdlgraph reads version "
                f"{INDEX_VERSION}; rebuild it with `hdlgraph index REPO`"
            )
        if _digest(data.replace(head.digest.encode(), b"", 1)) != head.digest:
            raise msgspec.DecodeError("its checksum is another")
        found = msgspec.json.decode(data, type=Manifest)
        if not all(_is_inside(name) for sums in (found.checksums, found.tables) for name in sums):
            raise msgspec.DecodeError("it names files outside of the index")
        return msgspec.structs.replace(found, digest="")
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise IndexMissingError(
            f"index {folder}: {NAME} is damaged ({error}); rebuild it with `hdlgraph index REPO`"
        ) from error


def _is_inside(name: str) -> bool:
    """Returns whether the name of a file leads below the folder that it is relative to."""
    return "\0" not in name and not {"", ".", ".."} & set(name.split("/"))


def state_of(folder: Path) -> tuple[int, ...]:
    """Returns what distinguishes the manifest of a folder from any other, () where there is none.

    A manifest is never written to, only replaced by another file.
    """
    try:
        found = os.lstat(f"{folder}/{NAME}")
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Makes `manifest` the valid one, all or nothing (written beside it, then renamed)."""
    bare = msgspec.structs.replace(manifest, digest="")
    data = msgspec.json.format(msgspec.json.encode(bare), indent=1)
    mark = b'"digest": "'
    write_atomic(folder / NAME, data.replace(mark, mark + _digest(data).encode(), 1))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
