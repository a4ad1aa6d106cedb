"""The index of documents on disk, beside the generations of the design.

    documents/manifest.json           names the valid files; written last
    documents/passages-X.msgpack      documents, passages and links
    documents/words-X.msgpack         the words of the passages
    documents/vectors-X.msgpack       their vectors, where there are any
    documents/cache.sqlite            what was read of each document, and vectors, by content

X is the beginning of the SHA-256 of the file. It has a schema of its own: an index of the design
without it, or with one of another version, is searched as before.
"""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from hdlgraph.errors import IndexDamagedError
from hdlgraph.safety.safe_files import read_regular, write_atomic
from hdlgraph.store.documents.records import Contents, FileState, check
from hdlgraph.store.documents.words import FIELDS, Postings, StoredField
from hdlgraph.store.guard import check_readable, check_writable

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")
FOLDER, MANIFEST = "documents", "manifest.json"
SCHEMA = 1
LIMIT = 2_000_000_000
MANIFEST_LIMIT = 256_000_000
"""Bytes of the largest file, and of the largest manifest, that is read."""
ATTEMPTS = 20
"""How often the files that a manifest names are looked for, where a run replaces them."""
REMEDY = "make it again with `hdlgraph index --documents REPO`"


class DocumentsManifest(msgspec.Struct, frozen=True, kw_only=True):
    """What an index of documents was made from, and which files hold it.

    `files` has (name, SHA-256) of each part; `inputs` digests everything besides documents that
    it depends on; `roots` are the folders of `--docs` by their names; `seen` the documents as they
    were; `failed` and `notes` are lines for people, `embedder` is "" without vectors.
    """

    schema: int = SCHEMA
    files: dict[str, tuple[str, str]] = {}
    inputs: str = ""
    roots: dict[str, str] = {}
    seen: dict[str, FileState] = {}
    embedder: str = ""
    counts: dict[str, int] = {}
    formats: dict[str, int] = {}
    failed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class StoredVectors(msgspec.Struct, frozen=True):
    """Vectors of passages and of their windows: float16 rows of `dim`, as bytes.

    `owners` (uint32, as bytes) has the passage of each row; the first row of a passage is that of
    the whole of it.
    """

    embedder: str
    dim: int
    owners: bytes
    vectors: bytes


def read_manifest(index: Path) -> DocumentsManifest | None:
    """Returns the manifest of the documents of an index folder; None where there is none.

    One of another version counts as none.

    Raises:
        IndexDamagedError: it is damaged.
        IndexUnsafeError: something of it is a link.
    """
    folder = index / FOLDER
    check_readable(index)
    check_readable(folder)
    try:
        data = read_regular(folder / MANIFEST, MANIFEST_LIMIT, follow=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _damaged(folder, error) from error
    try:
        if msgspec.json.decode(data, type=_Head).schema != SCHEMA:
            return None
        return msgspec.json.decode(data, type=DocumentsManifest)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise _damaged(folder, error) from error


class _Head(msgspec.Struct):
    schema: int


class Stored:
    """The documents of an index folder, read into memory: nothing on disk is held.

    Args:
        manifest: that names the files.
        parts: what they hold.
    """

    def __init__(self, manifest: DocumentsManifest, parts: dict[str, Any]) -> None:
        self.manifest = manifest
        self.contents: Contents = parts["passages"]
        self.words: dict[str, Postings] = parts["words"]
        self.vectors: tuple[np.ndarray, np.ndarray] | None = parts.get("vectors")


def read_documents(index: Path) -> Stored | None:
    """Returns the documents of an index folder; None where it has none.

    Raises:
        IndexDamagedError: a file is missing or not as it was written.
        IndexUnsafeError: something of it is a link.
    """
    for attempt in range(ATTEMPTS):
        manifest = read_manifest(index)
        if manifest is None:
            return None
        try:
            return Stored(manifest, _parts(index / FOLDER, manifest))
        except FileNotFoundError as error:
            if attempt == ATTEMPTS - 1:
                raise _damaged(index / FOLDER, error) from error
            time.sleep(0.002 * attempt)
        except (OSError, ValueError, KeyError, RecursionError, msgspec.MsgspecError) as error:
            raise _damaged(index / FOLDER, error) from error
    return None


def _parts(folder: Path, manifest: DocumentsManifest) -> dict[str, Any]:
    contents = _read(folder, manifest, "passages", Contents)
    check(contents)
    count = len(contents.passages)
    stored = _read(folder, manifest, "words", dict[str, StoredField])
    words = {name: Postings(stored[name], count) for name in FIELDS}
    parts: dict[str, Any] = {"passages": contents, "words": words}
    if "vectors" in manifest.files:
        parts["vectors"] = _vectors(_read(folder, manifest, "vectors", StoredVectors), count)
    return parts


def _read(folder: Path, manifest: DocumentsManifest, part: str, type: type[T]) -> T:
    return msgspec.msgpack.decode(_checked(folder, manifest, part), type=type)


def _checked(folder: Path, manifest: DocumentsManifest, part: str) -> bytes:
    """Returns the bytes of a part, whose checksum is right."""
    name, sha256 = manifest.files[part]
    if name != file_name(part, sha256):
        raise ValueError(f"{part}: names a file that is none of it")
    data = read_regular(folder / name, LIMIT, follow=False)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ValueError(f"{name}: its checksum is another")
    return data


def file_name(part: str, sha256: str) -> str:
    """Returns how the file of a part is called."""
    return f"{part}-{sha256[:16]}.msgpack"


def _vectors(found: StoredVectors, passages: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns (passage of each row, rows as float32)."""
    import numpy as np

    owners = np.frombuffer(found.owners, "<u4").astype(np.int64)
    rows = np.frombuffer(found.vectors, "<f2").astype(np.float32)
    if not 0 < found.dim <= 65_536 or len(rows) != len(owners) * found.dim:
        raise ValueError("vectors of another length")
    if len(owners) and int(owners.max()) >= passages:
        raise ValueError("vectors of no passage")
    return owners, rows.reshape(len(owners), found.dim)


def write_documents(
    index: Path,
    manifest: DocumentsManifest,
    contents: Contents,
    words: dict[str, StoredField],
    vectors: StoredVectors | None,
) -> DocumentsManifest:
    """Makes these the documents of an index folder, all or nothing; returns the manifest.

    Raises:
        IndexUnsafeError: the folder is not one that hdlgraph may write to.
    """
    folder = make_folder(index)
    files: dict[str, tuple[str, str]] = {}
    parts: dict[str, Any] = {"passages": contents, "words": words}
    if vectors is not None:
        parts["vectors"] = vectors
    for part, value in parts.items():
        data = msgspec.msgpack.encode(value)
        sha256 = hashlib.sha256(data).hexdigest()
        name = file_name(part, sha256)
        files[part] = (name, sha256)
        if not (folder / name).exists() or read_regular(folder / name, LIMIT) != data:
            write_atomic(folder / name, data)
    done = msgspec.structs.replace(manifest, files=files)
    write_manifest(index, done)
    kept = {name for name, _ in files.values()}
    for path in sorted(folder.glob("*.msgpack")):
        if path.name not in kept:
            with suppress(OSError):
                path.unlink()
    return done


def is_intact(index: Path, manifest: DocumentsManifest) -> bool:
    """Returns whether all files that a manifest names are as they were written."""
    try:
        for part in manifest.files:
            _checked(index / FOLDER, manifest, part)
    except (OSError, ValueError):
        return False
    return {"passages", "words"} <= set(manifest.files)


def write_manifest(index: Path, manifest: DocumentsManifest) -> None:
    """Writes the manifest alone, where documents were touched and are the same."""
    data = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    write_atomic(index / FOLDER / MANIFEST, data)


def make_folder(index: Path) -> Path:
    """Returns the folder of the documents, made where it is missing."""
    check_writable(index)
    folder = index / FOLDER
    check_readable(folder)
    folder.mkdir(exist_ok=True)
    return folder


def state_of(index: Path) -> tuple[int, ...]:
    """Returns what distinguishes the manifest from any other, () where there is none."""
    try:
        found = (index / FOLDER / MANIFEST).stat(follow_symlinks=False)
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def _damaged(folder: Path, error: Exception) -> IndexDamagedError:
    return IndexDamagedError(f"documents {folder}: cannot be used ({error}); {REMEDY}")
