"""Little indexes to publish: generations of a few files, made without reading any design."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from hdlgraph.store.folder import Store
from hdlgraph.store.manifest import FileEntry, Manifest
from hdlgraph.store.shared import records
from hdlgraph.store.shared.address import Address, Place, place_of, read_address
from hdlgraph.store.shared.bucket import Bucket
from hdlgraph.store.shared.fetch import fetch
from hdlgraph.store.shared.follow import Follower
from hdlgraph.store.shared.open_bucket import open_bucket
from hdlgraph.store.shared.publish import Report, begin, publish

TEXTS = {"facts.msgpack": "facts", "lexical/words.npy": "words", "lexical/paths.json": "words"}


def make(folder: Path, texts: dict[str, str]) -> Store:
    """Makes a new generation of files in an index folder."""
    store = Store(folder)
    with store.write() as run:
        made = run.begin()
        for name, text in texts.items():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            (made / name).write_text(text)
        files = {"rtl/a.sv": FileEntry("0" * 64, 1, 1, "rtl")}
        run.commit(
            Manifest(generation=run.number, version="0", root="/builds/x", inputs="x", files=files)
        )
    return store


@dataclass
class Team:
    """A builder, and readers of one shared index."""

    given: str
    base: Path
    texts: dict[str, str] = field(default_factory=lambda: dict(TEXTS))

    @property
    def address(self) -> Address:
        return read_address(self.given)

    @property
    def bucket(self) -> Bucket:
        return open_bucket(self.address, patient=True)

    @property
    def builds(self) -> Path:
        return self.base / "builds"

    @property
    def place(self) -> Place:
        return place_of(self.address)

    def publish(self, **changed: str) -> Report:
        """Publishes a generation in which some files have another text."""
        self.texts |= {name.replace("__", "/"): text for name, text in changed.items()}
        former = begin(self.bucket, self.address)
        make(self.builds, self.texts)
        return publish(self.bucket, self.address, self.builds, former)

    def pointer(self) -> records.Pointer:
        return records.read_pointer(self.bucket, self.address)[0]

    def listing(self) -> records.Listing:
        return records.read_listing(self.bucket, self.pointer(), self.address)

    def fetch(self) -> dict[str, str]:
        """Fetches what the pointer names; returns the texts that a reader has then."""
        self.place.make()
        fetch(self.bucket, self.address, self.place, self.pointer())
        return self.read()

    def read(self) -> dict[str, str]:
        """Returns the texts of the generation that a reader has."""
        held = Store(self.place.index).hold()
        held.check(*held.manifest.checksums)
        return {name: (held.folder / name).read_text() for name in held.manifest.checksums}

    def swap(self, listing: records.Listing) -> None:
        """Publishes a listing as it is, as somebody who may write to the bucket would."""
        import hashlib

        data = records.encoded(listing)
        pointer, version = records.read_pointer(self.bucket, self.address)
        number, sha256 = pointer.number + 1, hashlib.sha256(data).hexdigest()
        fresh = records.Pointer(pointer.format, number, sha256, len(data))
        self.bucket.send(fresh.key, data)
        self.bucket.swap(records.POINTER, records.encoded(fresh), version)


def follower(team: Team) -> Follower:
    """A reader in a new process."""
    return Follower(team.given)


def object_of(team: Team, path: str) -> str:
    return team.listing().files[path].key
