"""Publishes the index of a folder: files that the bucket has not yet, their listing, the pointer.

The pointer goes last and only in place of the one that was there when the builder began. So a
reader never sees half a generation, and of two builders one is told that the other was quicker.
"""

from __future__ import annotations

import hashlib
import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path

import msgspec

from hdlgraph.store.checksums import damage
from hdlgraph.store.folder import TABLES as TABLES_FOLDER
from hdlgraph.store.folder import Generation, Store
from hdlgraph.store.format_version import INDEX_VERSION
from hdlgraph.store.guard import check_readable
from hdlgraph.store.manifest import Manifest, write_manifest
from hdlgraph.store.shared import records
from hdlgraph.store.shared.address import Address
from hdlgraph.store.shared.at_once import at_once
from hdlgraph.store.shared.bucket import Bucket, BucketError, ConflictError, ObjectMissingError
from hdlgraph.store.shared.records import Kept, Listing, Pointer, Published
from hdlgraph.store.shared.sweep import sweep


@dataclass(frozen=True, slots=True)
class Report:
    """What publishing did: the generation's number, files and bytes, and how many were sent.

    `removed` counts the old generations that were removed; `notes` are lines for people.
    """

    number: int
    files: int
    size: int
    sent: int
    sent_bytes: int
    removed: int = 0
    notes: tuple[str, ...] = ()


def begin(bucket: Bucket, address: Address) -> Published:
    """Returns what a bucket has before a build: only in place of this the build is published.

    Raises:
        VersionError: a newer hdlgraph published there.
        BucketError: the place does not answer.
    """
    try:
        pointer, version = records.read_pointer(bucket, address)
    except ObjectMissingError:
        return Published()
    except records.VersionError as error:
        if error.newer:
            raise
        return Published(version=_version(bucket), why=str(error))
    except records.DamagedError as error:
        return Published(version=_version(bucket), why=str(error))
    try:
        return Published(pointer, version, records.read_listing(bucket, pointer, address))
    except (ObjectMissingError, records.DamagedError) as error:
        return Published(pointer, version, None, str(error))


def _version(bucket: Bucket) -> str:
    return bucket.time(records.POINTER)[1]


def publish(bucket: Bucket, address: Address, folder: Path, former: Published) -> Report:
    """Publishes the valid generation of an index folder; returns what was done.

    Args:
        bucket: the place, patient.
        address: its address, for messages.
        folder: the index folder.
        former: what `begin` returned before the index was made.

    Raises:
        ConflictError: another builder has published meanwhile; nothing of it was touched.
        BucketError: the place does not answer or refuses; the former generation stays valid.
        IndexDamagedError: a file of the folder is not as it was written.
    """
    held = Store(folder).hold()
    number = former.pointer.number + 1 if former.pointer else 1
    known = former.listing.files if former.listing else {}
    notes = (f"replaced: {former.why}",) if former.why else ()
    with tempfile.TemporaryDirectory(prefix="hdlgraph-") as made:
        files = _files(folder, held, Path(made))
        listing, sent = _sent(bucket, files, known)
        if former.pointer and former.listing and listing == former.listing:
            return _report(former.pointer.number, listing, 0, 0)
    data = records.encoded(listing)
    sha256 = hashlib.sha256(data).hexdigest()
    pointer = Pointer(INDEX_VERSION, number, sha256, len(data))
    bucket.send(pointer.key, data)
    try:
        version = bucket.swap(records.POINTER, records.encoded(pointer), former.version)
    except ConflictError as error:
        raise ConflictError(
            f"index {address}: another builder published while this index was made, and what it "
            "published stays; run this again if yours is newer (its work is kept)"
        ) from error
    removed = 0
    try:
        removed = sweep(bucket, pointer, listing, version)
    except BucketError as error:
        notes = (*notes, f"old generations were not removed: {error}")
    sizes = [kept.size for kept in sent.values()]
    return _report(number, listing, len(sizes), sum(sizes), removed, notes)


def _report(
    number: int,
    listing: Listing,
    sent: int,
    sent_bytes: int,
    removed: int = 0,
    notes: tuple[str, ...] = (),
) -> Report:
    size = sum(kept.size for kept in listing.files.values())
    return Report(number, len(listing.files), size, sent, sent_bytes, removed, notes)


def _files(folder: Path, held: Generation, made: Path) -> dict[str, Path]:
    """Returns the files to publish by their paths in the listing, sorted.

    The manifest is one of them, without the folder that the repository has on this machine.
    """
    check_readable(folder, held.folder)
    write_manifest(made, published_manifest(held.manifest))
    found = {records.MANIFEST: made / records.MANIFEST}
    for name in held.manifest.checksums:
        found[f"{records.GENERATION}/{name}"] = held.folder / name
    for name in held.manifest.tables:
        found[f"{records.TABLES}/{name}"] = folder / TABLES_FOLDER / name
    for part in (records.DOCUMENTS, records.ELABORATIONS):
        found |= _beside(folder / part)
    return dict(sorted(found.items()))


def published_manifest(manifest: Manifest) -> Manifest:
    """Returns a manifest without what only its builder's machine has."""
    return msgspec.structs.replace(manifest, root="", settings="", generation=1)


def _beside(folder: Path) -> dict[str, Path]:
    """Returns the files of a folder beside the generations that readers need, by their paths."""
    check_readable(folder)
    found = folder.iterdir() if folder.is_dir() else ()
    named = {f"{folder.name}/{path.name}": path for path in found if path.is_file()}
    return {name: path for name, path in named.items() if records.is_path(name)}


def _sent(
    bucket: Bucket, files: dict[str, Path], known: dict[str, Kept]
) -> tuple[Listing, dict[str, Kept]]:
    """Sends the files that the former generation has not; returns the listing and those sent."""
    upload = secrets.token_hex(6)
    there = {(kept.size, kept.sha256): kept for kept in known.values()}
    listed: dict[str, Kept] = {}
    new: dict[tuple[int, str], str] = {}
    for path, file in files.items():
        content = _content(file)
        if content not in there:
            there[content] = Kept(*content, upload)
            new[content] = path
        listed[path] = there[content]
    sent = {path: there[content] for content, path in new.items()}
    at_once(lambda one: bucket.send(one[1].key, files[one[0]]), sent.items())
    return Listing(listed), sent


def _content(file: Path) -> tuple[int, str]:
    """Returns the bytes and the checksum of a file."""
    try:
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            return stream.tell(), digest
    except OSError as error:
        raise damage(file.parent, file.name, f"cannot be read ({error.strerror})") from error
