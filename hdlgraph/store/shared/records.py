"""The pointer and the listings of a shared index, and the checks that their values must pass.

    pointer.json                              names the valid listing by its checksum
    generations/NUMBER-SHA256.json            the files of one generation
    objects/SH/SHA256-UPLOAD                  one file, by the checksum of its content

UPLOAD names the run that wrote an object: no object is ever written twice, so that removing an old
one can never take a new one of the same content. Whoever may write to a bucket chose what lies in
it: each object counts only with the checksum that its listing says, the listing with that of the
pointer, and no name leads out of the reader's own folder.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from hdlgraph.safety.printable import is_plain
from hdlgraph.store.format_version import INDEX_VERSION
from hdlgraph.store.shared.bucket import Bucket, BucketError, FolderMissingError, ObjectMissingError

T = TypeVar("T")
SCHEMA = 1
"""Version of this layout."""
POINTER = "pointer.json"
GENERATIONS, OBJECTS = "generations", "objects"
MANIFEST, GENERATION, TABLES = "manifest.json", "generation", "graphrag"
DOCUMENTS, ELABORATIONS = "documents", "elaborations"
FOLDERS = (GENERATION, TABLES, DOCUMENTS, ELABORATIONS)
"""What a path of a listing begins with, if it is not that of the manifest."""
POINTER_BYTES = 10_000
LISTING_BYTES = 64_000_000
FILES = 100_000
"""Most files of a generation."""
BYTES = 200_000_000_000
"""Most bytes of a generation."""
DEPTH = 12
_HASH = re.compile(r"[0-9a-f]{64}")
_UPLOAD = re.compile(r"[0-9a-f]{12}")
_BESIDE = re.compile(r"[A-Za-z0-9][\w.-]{0,99}\.(?:msgpack|json)", re.A)
_LISTING_KEY = re.compile(rf"{GENERATIONS}/(\d{{8,12}})-([0-9a-f]{{64}})\.json")
_OBJECT_KEY = re.compile(rf"{OBJECTS}/[0-9a-f]{{2}}/([0-9a-f]{{64}})-[0-9a-f]{{12}}")


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """One file of a generation: bytes, checksum of its content, and the run that sent it."""

    size: int
    sha256: str
    upload: str

    @property
    def key(self) -> str:
        """Returns the key of its object."""
        return f"{OBJECTS}/{self.sha256[:2]}/{self.sha256}-{self.upload}"


class Listing(msgspec.Struct, frozen=True):
    """The files of one generation, by path; see `FOLDERS`."""

    files: dict[str, Kept]
    schema: int = SCHEMA


class Pointer(msgspec.Struct, frozen=True):
    """Which generation is valid.

    `format` is the version of the index in it, `number` counts the generations, `listing` and
    `size` are the checksum and the bytes of its listing.
    """

    format: int
    number: int
    listing: str
    size: int
    schema: int = SCHEMA

    @property
    def key(self) -> str:
        """Returns the key of the listing."""
        return listing_key(self.number, self.listing)


class VersionError(BucketError):
    """Another version of hdlgraph published what is there.

    Args:
        message: for people.
        newer: whether that version is the newer one.
    """

    def __init__(self, message: str, newer: bool) -> None:
        super().__init__(message)
        self.newer = newer


class DamagedError(BucketError):
    """What is there is not what its checksum says, or none of ours."""


@dataclass(frozen=True, slots=True)
class Published:
    """What a bucket has: the pointer, the version of its object, and the listing.

    `pointer` is None where nothing was published, or where that is damaged (`why` says how).
    """

    pointer: Pointer | None = None
    version: str = ""
    listing: Listing | None = None
    why: str = ""


def listing_key(number: int, sha256: str) -> str:
    """Returns the key of a listing."""
    return f"{GENERATIONS}/{number:08d}-{sha256}.json"


def listing_of_key(key: str) -> tuple[int, str] | None:
    """Returns the number and the checksum of the listing of that key, None for other objects."""
    found = _LISTING_KEY.fullmatch(key)
    return (int(found[1]), found[2]) if found else None


def is_object_key(key: str) -> bool:
    """Returns whether a key is that of a file of some generation."""
    return _OBJECT_KEY.fullmatch(key) is not None


def encoded(record: Pointer | Listing) -> bytes:
    """Returns a record as it is stored: the same bytes for the same record."""
    return msgspec.json.encode(record, order="sorted") + b"\n"


def read_pointer(bucket: Bucket, address: object) -> tuple[Pointer, str]:
    """Returns the pointer of a bucket and the version of its object.

    Raises:
        ObjectMissingError: nothing was published there.
        VersionError: another version of hdlgraph published it.
        DamagedError: it is none.
        BucketError: the place does not answer.
    """
    try:
        data, version = bucket.read(POINTER, POINTER_BYTES)
    except FolderMissingError:
        raise
    except ObjectMissingError:
        raise ObjectMissingError(
            f"index {address}: nothing was published there; do it with `hdlgraph index REPO "
            f"--index {address}`"
        ) from None
    pointer = _decoded(data, Pointer, f"index {address}: its pointer")
    if pointer.schema != SCHEMA or pointer.format != INDEX_VERSION:
        newer = (pointer.schema, pointer.format) > (SCHEMA, INDEX_VERSION)
        remedy = "update hdlgraph" if newer else "publish it again with this version"
        raise VersionError(
            f"index {address}: has version {pointer.format}, this hdlgraph reads version "
            f"{INDEX_VERSION}; {remedy}",
            newer,
        )
    fits = _HASH.fullmatch(pointer.listing) and 0 < pointer.number < 10**12
    if not fits or not 0 < pointer.size <= LISTING_BYTES:
        raise DamagedError(f"index {address}: its pointer is damaged; publish it again")
    return pointer, version


def read_listing(bucket: Bucket, pointer: Pointer, address: object) -> Listing:
    """Returns the listing that a pointer names.

    Raises:
        ObjectMissingError: it is gone.
        DamagedError: it has another checksum, or says what no listing says.
        BucketError: the place does not answer.
    """
    what = f"index {address}: the listing of generation {pointer.number}"
    data, _ = bucket.read(pointer.key, pointer.size)
    if hashlib.sha256(data).hexdigest() != pointer.listing:
        raise DamagedError(f"{what} is not what the pointer names; publish it again")
    listing = _decoded(data, Listing, what)
    if len(listing.files) > FILES:
        raise DamagedError(f"{what} has more than {FILES:,} files")
    if sum(max(one.size, 0) for one in listing.files.values()) > BYTES:
        raise DamagedError(f"{what} has more than {BYTES:,} bytes")
    for path, kept in listing.files.items():
        fits = _HASH.fullmatch(kept.sha256) and _UPLOAD.fullmatch(kept.upload) and kept.size >= 0
        if not fits or not is_path(path):
            raise DamagedError(f"{what} has an entry that is none; publish it again")
    if MANIFEST not in listing.files:
        raise DamagedError(f"{what} has no manifest; publish it again")
    return listing


def is_path(path: str) -> bool:
    """Returns whether a path of a listing names a file of an index folder, and no other place."""
    if path == MANIFEST:
        return True
    parts = path.split("/")
    inside = not {"", ".", ".."} & set(parts) and "\\" not in path and is_plain(path)
    if not inside or len(path) > 1_000 or parts[0] not in FOLDERS or not 1 < len(parts) <= DEPTH:
        return False
    if parts[0] in (DOCUMENTS, ELABORATIONS):  # no databases, which only a builder needs
        return len(parts) == 2 and _BESIDE.fullmatch(parts[1]) is not None
    return True


def _decoded(data: bytes, kind: type[T], what: str) -> T:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise DamagedError(
            f"{what} is damaged ({type(error).__name__}); publish it again"
        ) from error
