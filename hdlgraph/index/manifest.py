"""The manifest: which generation is valid, and from which inputs it was made."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hdlgraph.errors import IndexMissingError, IndexVersionError
from hdlgraph.results import StageTime, WriterTrust
from hdlgraph.safe_files import write_atomic

STORE_SCHEMA = 2
"""Version of the index folder's layout; other versions are refused by readers."""

NAME = "manifest.json"


class FileEntry(msgspec.Struct, frozen=True, array_like=True):
    """What one indexed file looked like: content hash, bytes, modification time, role."""

    sha256: str
    size: int
    mtime_ns: int
    role: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The state of an index.

    `inputs` digests everything besides the files that the result depends on; `checked_ns` is
    the time (ns since the epoch) before the files were last read; `watched` are files outside
    the index whose content counts (headers with foreign extensions). `told` digests what
    language models wrote, `writers` counts the explanations by who wrote them, `pending` the
    files that each stage with a model has still to do (a stage never asked for is not in it).
    `retry` are the files whose facts are weak because the machine ended their readers.
    """

    schema: int = STORE_SCHEMA
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
    told: str = ""
    writers: dict[str, int] = {}
    pending: dict[str, int] = {}
    trust: tuple[WriterTrust, ...] = ()
    retry: tuple[str, ...] = ()


class _Schema(msgspec.Struct):
    schema: int


def read_manifest(folder: Path) -> Manifest:
    """Returns the manifest of an index folder.

    Raises:
        IndexMissingError: there is none, or it cannot be read.
        IndexVersionError: another schema version wrote it.
    """
    path = folder / NAME
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise IndexMissingError(
            f"index {folder}: there is none; create it with `hdlgraph index REPO`"
            " or name another folder with --index"
        ) from error
    except OSError as error:
        raise IndexMissingError(f"index {folder}: cannot read it ({error.strerror})") from error
    try:
        schema = msgspec.json.decode(data, type=_Schema).schema
        if schema != STORE_SCHEMA:
            raise IndexVersionError(
                f"index {folder}: has version {schema}, this hdlgraph reads version "
                f"{STORE_SCHEMA}; rebuild it with `hdlgraph index REPO`"
            )
        return msgspec.json.decode(data, type=Manifest)
    except msgspec.MsgspecError as error:
        raise IndexMissingError(
            f"index {folder}: {NAME} is damaged ({error}); rebuild it with `hdlgraph index REPO`"
        ) from error


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Makes `manifest` the valid one, all or nothing (written beside it, then renamed)."""
    write_atomic(folder / NAME, msgspec.json.format(msgspec.json.encode(manifest), indent=1))
