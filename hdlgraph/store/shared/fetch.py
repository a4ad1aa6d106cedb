"""Takes a generation of a shared index into the reader's own index folder.

Every file is checked while it comes, against the size and the checksum that the manifest says; the
folder's former generation stays the valid one until all of them are there.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from hdlgraph.errors import HdlgraphError, IndexLockedError, UsageError
from hdlgraph.safety.safe_files import create_file, open_regular, write_atomic
from hdlgraph.store.checksums import LEASE, damaged
from hdlgraph.store.folder import TABLES as TABLES_FOLDER
from hdlgraph.store.folder import Run, Store
from hdlgraph.store.full_disk import full_disk_explained
from hdlgraph.store.manifest import LIMIT, Manifest, read_manifest
from hdlgraph.store.shared import records
from hdlgraph.store.shared.address import Address, Place
from hdlgraph.store.shared.at_once import at_once
from hdlgraph.store.shared.bucket import Bucket
from hdlgraph.store.shared.records import DamagedError, Kept, Listing, Pointer

WAIT_S, STEP_S = 600.0, 0.2
"""Seconds that a reader without any generation waits for another process that fetches one."""
SPARE = 100_000_000
"""Bytes that stay free on the disk."""


def fetch(bucket: Bucket, address: Address, place: Place, pointer: Pointer) -> None:
    """Makes the generation that a pointer names the valid one of the reader's index folder.

    Where another process of the user is fetching, its work is waited for if there is no former
    generation, and left alone otherwise.

    Raises:
        ObjectMissingError: a file of it is gone: another generation may have taken its place.
        DamagedError: a file is not what its checksum says.
        BucketError: the place does not answer.
        HdlgraphError: the disk is full.
    """
    store, began = Store(place.index), time.monotonic()
    while True:
        try:
            with store.write() as run:
                if not _is_there(run, pointer, place):
                    _take(bucket, address, place, pointer, run)
            return
        except IndexLockedError:
            if _is_usable(store) or time.monotonic() - began > WAIT_S:
                return
            time.sleep(STEP_S)


def taken(place: Place) -> str:
    """Returns the checksum of the listing that the reader's folder was made from, "" for none."""
    try:
        with open_regular(place.index / records.POINTER, follow=False) as stream:
            return msgspec.json.decode(stream.read(records.POINTER_BYTES), type=Pointer).listing
    except (OSError, HdlgraphError, msgspec.MsgspecError, UnicodeError):
        return ""


def _is_there(run: Run, pointer: Pointer, place: Place) -> bool:
    """Returns whether another process has just taken the same generation."""
    return run.former is not None and taken(place) == pointer.listing


def _is_usable(store: Store) -> bool:
    try:
        store.hold().close()
    except (UsageError, OSError):
        return False
    return True


def _take(bucket: Bucket, address: Address, place: Place, pointer: Pointer, run: Run) -> None:
    """Fetches what is missing and commits the generation."""
    listing = records.read_listing(bucket, pointer, address)
    manifest = _manifest(bucket, address, place, listing)
    files = _wanted(address, listing, manifest)
    folder = run.begin()
    missing = _linked(run, files, folder)
    with full_disk_explained(place.index):
        _check_space(address, place, missing)
        contents = {kept.sha256: kept for kept in missing.values()}
        at_once(partial(_incoming, bucket, address, place), contents.values())
        for path, kept in missing.items():
            _put(place, kept, path, folder)
        _drop_others(place, files)
        run.commit(msgspec.structs.replace(manifest, generation=run.number))
        write_atomic(place.index / records.POINTER, records.encoded(pointer))
    shutil.rmtree(place.incoming, ignore_errors=True)


def _manifest(bucket: Bucket, address: Address, place: Place, listing: Listing) -> Manifest:
    """Returns the manifest of a listing, checked as that of any index folder.

    Raises:
        UsageError: it is damaged, or of another version.
    """
    kept = listing.files[records.MANIFEST]
    if kept.size > LIMIT:
        raise DamagedError(f"index {address}: its manifest has more than {LIMIT:,} bytes")
    file = _incoming(bucket, address, place, kept)
    folder = place.incoming / "manifest"
    folder.mkdir(mode=0o700, exist_ok=True)
    shutil.copyfile(file, folder / records.MANIFEST)
    try:
        return read_manifest(folder)
    except UsageError as error:
        raise DamagedError(f"index {address}: its manifest cannot be used: {error}") from error


def _wanted(address: Address, listing: Listing, manifest: Manifest) -> dict[str, Kept]:
    """Returns the files to take by their paths: those that the manifest has checksums of.

    Raises:
        DamagedError: the listing has not all of them, or others than the manifest says.
    """
    wanted: dict[str, Kept] = {}
    for part, sums in (
        (records.GENERATION, manifest.checksums),
        (records.TABLES, manifest.tables),
    ):
        for name, (size, sha256) in sums.items():
            path = f"{part}/{name}"
            kept = listing.files.get(path)
            if kept is None or (kept.size, kept.sha256) != (size, sha256) or name == LEASE:
                raise DamagedError(
                    f"index {address}: its listing does not fit its manifest ({path}); publish it "
                    "again"
                )
            wanted[path] = kept
    beside = (f"{records.DOCUMENTS}/", f"{records.ELABORATIONS}/")
    wanted |= {path: kept for path, kept in listing.files.items() if path.startswith(beside)}
    # The manifest of the documents comes when what it names is there.
    last = f"{records.DOCUMENTS}/{records.MANIFEST}"
    return dict(sorted(wanted.items(), key=lambda item: (item[0] == last, item[0])))


def _linked(run: Run, files: Mapping[str, Kept], folder: Path) -> dict[str, Kept]:
    """Takes over from the former generation what is the same; returns the files still missing.

    The content of the former generation was checked when the run began.
    """
    missing: dict[str, Kept] = {}
    former = run.store.generation(run.former) if run.former else None
    sums = run.former.checksums if run.former else {}
    for path, kept in files.items():
        part, _, name = path.partition("/")
        same = former is not None and sums.get(name) == (kept.size, kept.sha256)
        if part != records.GENERATION or not same or former is None:
            missing[path] = kept
            continue
        if not run.take({name: name}):  # a file system without second names
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(former / name, target)
    return missing


def _check_space(address: Address, place: Place, missing: Mapping[str, Kept]) -> None:
    """Raises HdlgraphError where the disk has no room for what is missing."""
    needed = sum({kept.sha256: kept.size for kept in missing.values()}.values())
    free = shutil.disk_usage(place.base).free
    if needed + SPARE > free:
        raise HdlgraphError(
            f"index {address}: {needed / 1e6:,.0f} MB are to be fetched and {place.base} has "
            f"{free / 1e6:,.0f} MB free; free some, or name another folder with XDG_CACHE_HOME"
        )


def _incoming(bucket: Bucket, address: Address, place: Place, kept: Kept) -> Path:
    """Returns a checked file of that content, fetched where an earlier try has not done it.

    Raises:
        ObjectMissingError: there is no such object.
        DamagedError: its content is another.
    """
    target = place.incoming / kept.sha256
    if not damaged(place.incoming, {kept.sha256: (kept.size, kept.sha256)}):
        return target
    place.incoming.mkdir(mode=0o700, exist_ok=True)
    part = place.incoming / f"{kept.sha256}.part"
    digest, size = hashlib.sha256(), 0
    with create_file(part) as stream:
        for piece in bucket.stream(kept.key, kept.size):
            size += len(piece)
            if size > kept.size:
                break
            digest.update(piece)
            stream.write(piece)
    if size != kept.size or digest.hexdigest() != kept.sha256:
        part.unlink()
        what = "another content" if size == kept.size else f"not {kept.size:,} bytes"
        raise DamagedError(
            f"index {address}: object {kept.key} has {what}; it was truncated or exchanged after "
            "it was published, publish the index again"
        )
    part.replace(target)
    return target


def _put(place: Place, kept: Kept, path: str, generation: Path) -> None:
    """Puts a fetched file where it belongs in the index folder, all or nothing."""
    part, _, name = path.partition("/")
    fetched = place.incoming / kept.sha256
    if part == records.GENERATION:
        target = generation / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):
            os.link(fetched, target)
            return
    else:
        target = place.index / (TABLES_FOLDER if part == records.TABLES else part) / name
        target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_name(f"{target.name}.new")
    new.unlink(missing_ok=True)
    shutil.copyfile(fetched, new, follow_symlinks=False)
    new.replace(target)


def _drop_others(place: Place, files: Mapping[str, Kept]) -> None:
    """Removes tables, documents and elaborations that the new generation has not."""
    for part in (TABLES_FOLDER, records.DOCUMENTS):
        folder = place.index / part
        if folder.is_dir():
            for path in sorted(folder.rglob("*"), reverse=True):
                name = f"{part}/{path.relative_to(folder).as_posix()}"
                if path.is_dir() and not path.is_symlink():
                    if not any(path.iterdir()):
                        path.rmdir()
                elif name not in files:
                    path.unlink()
