from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from _places import TEXTS, Team, follower, object_of

from hdlgraph.errors import HdlgraphError
from hdlgraph.store.format_version import INDEX_VERSION
from hdlgraph.store.shared import records
from hdlgraph.store.shared.bucket import BucketError, ObjectMissingError
from hdlgraph.store.shared.fetch import fetch
from hdlgraph.store.shared.records import DamagedError, Kept, Listing, VersionError


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"wor", r"not 5 bytes"),
        (b"word!", "another content"),
        (b"words and more", "not 5 bytes|another content"),
    ],
)
def test_a_truncated_or_exchanged_object_is_refused(team: Team, data: bytes, why: str) -> None:
    team.publish()
    team.fetch()
    team.publish(**{"lexical__words.npy": "w0rds", "facts.msgpack": "second"})
    team.bucket.send(object_of(team, "generation/lexical/words.npy"), data)
    reader = follower(team)
    reader.ready()
    (note,) = reader.notes
    if data != b"words and more" or team.given.startswith("file"):
        assert re.search(rf"objects/\S+ has ({why})", note)
        assert note.endswith("the generation that was fetched before answers")
    assert team.read() == TEXTS


def test_a_reader_without_a_generation_is_told_what_is_damaged(team: Team) -> None:
    team.publish()
    team.bucket.send(object_of(team, "generation/facts.msgpack"), b"fact!")
    with pytest.raises(DamagedError, match="truncated or exchanged after it was published"):
        follower(team).ready()
    assert not (team.place.index / "manifest.json").exists()


def test_a_missing_object_leaves_the_former_generation(team: Team) -> None:
    team.publish()
    team.fetch()
    team.publish(**{"facts.msgpack": "second"})
    team.bucket.remove([object_of(team, "generation/facts.msgpack")])
    reader = follower(team)
    reader.ready()
    assert "generation 2 is not whole; publish it again" in reader.notes[0]
    assert team.read() == TEXTS


def test_a_generation_that_is_replaced_while_it_is_fetched(team: Team) -> None:
    team.publish()
    pointer = team.pointer()
    team.publish(**{"facts.msgpack": "second"})
    team.bucket.remove([pointer.key])
    team.place.make()
    with pytest.raises(ObjectMissingError):
        fetch(team.bucket, team.address, team.place, pointer)
    follower(team).ready()  # looks at the pointer again
    assert team.read()["facts.msgpack"] == "second"


def test_another_listing_than_the_pointer_names(team: Team) -> None:
    team.publish()
    data = records.encoded(Listing({}))
    pointer = team.pointer()
    team.bucket.send(pointer.key, data + b" " * (pointer.size - len(data)))
    with pytest.raises(DamagedError, match="is not what the pointer names"):
        follower(team).ready()


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"format": 6}', b"\xff" * 100])
def test_a_pointer_that_is_none(team: Team, data: bytes) -> None:
    team.publish()
    team.fetch()
    team.bucket.send(records.POINTER, data)
    reader = follower(team)
    reader.ready()
    assert "its pointer is damaged" in reader.notes[0]
    assert team.read() == TEXTS
    done = team.publish(**{"facts.msgpack": "after"})  # a builder repairs it
    assert "replaced: " in done.notes[0]
    assert "its pointer is damaged" in done.notes[0]
    assert team.fetch()["facts.msgpack"] == "after"


def test_a_pointer_or_listing_without_end(folder_team: Team) -> None:
    folder_team.publish()
    folder_team.bucket.send(records.POINTER, b" " * 20_000)
    with pytest.raises(BucketError, match="more than 10000 bytes"):
        follower(folder_team).ready()


@pytest.mark.parametrize(
    "path",
    [
        *("../x", "/etc/passwd", "generation/../../x", "generation//x", "generation", "lock"),
        *(
            "generation/a\\..\\b",
            "generation/a\nb",
            "documents/a/b.json",
            "cache.sqlite",
            ".gitignore",
        ),
        *("documents/cache.sqlite", "elaborations/.x.json", "documents/a.json.new"),
    ],
)
def test_names_do_not_lead_out_of_the_cache(folder_team: Team, path: str) -> None:
    folder_team.publish()
    listing = folder_team.listing()
    listing.files[path] = listing.files["generation/facts.msgpack"]
    folder_team.swap(listing)
    with pytest.raises(DamagedError, match="has an entry that is none"):
        follower(folder_team).ready()


@pytest.mark.parametrize(
    "kept",
    [
        Kept(5, "../../" + "0" * 58, "0" * 12),
        Kept(5, "0" * 64, "../../pointe"),
        Kept(-1, "0" * 64, "0" * 12),
        Kept(10**15, "0" * 64, "0" * 12),
    ],
)
def test_entries_are_no_keys_of_other_objects(folder_team: Team, kept: Kept) -> None:
    folder_team.publish()
    listing = folder_team.listing()
    listing.files["generation/facts.msgpack"] = kept
    folder_team.swap(listing)
    with pytest.raises(DamagedError, match=r"an entry that is none|more than [\d,]+ bytes"):
        follower(folder_team).ready()


def test_a_listing_that_does_not_fit_its_manifest(folder_team: Team) -> None:
    folder_team.publish()
    listing = folder_team.listing()
    del listing.files["generation/facts.msgpack"]
    folder_team.swap(listing)
    with pytest.raises(DamagedError, match=r"does not fit its manifest \(generation/facts.msgpack"):
        follower(folder_team).ready()


def test_an_exchanged_manifest_is_read_as_a_strangers(folder_team: Team) -> None:
    folder_team.publish()
    listing = folder_team.listing()
    listing.files["manifest.json"] = listing.files["generation/facts.msgpack"]
    folder_team.swap(listing)
    with pytest.raises(DamagedError, match="its manifest cannot be used"):
        follower(folder_team).ready()


def test_links_of_a_shared_folder_are_not_followed_out(folder_team: Team, tmp_path: Path) -> None:
    folder_team.publish()
    (tmp_path / "secret").write_text("facts")
    place = Path(folder_team.address.prefix) / object_of(folder_team, "generation/facts.msgpack")
    place.unlink()
    place.symlink_to(tmp_path / "secret")
    with pytest.raises(BucketError, match="leads out of"):
        follower(folder_team).ready()


def test_a_reader_of_another_version(team: Team) -> None:
    team.publish()
    team.fetch()
    pointer, version = records.read_pointer(team.bucket, team.address)
    newer = msgspec.structs.replace(pointer, format=pointer.format + 1)
    team.bucket.swap(records.POINTER, records.encoded(newer), version)
    reader = follower(team)
    reader.ready()
    assert re.search(
        rf"has version {INDEX_VERSION + 1}, this hdlgraph reads version {INDEX_VERSION}; update",
        reader.notes[0],
    )
    assert team.read() == TEXTS
    with pytest.raises(VersionError, match="update hdlgraph"):  # nor does it publish over it
        team.publish()


def test_an_index_of_a_former_version_is_published_anew(team: Team) -> None:
    team.publish()
    pointer, version = records.read_pointer(team.bucket, team.address)
    older = msgspec.structs.replace(pointer, format=pointer.format - 1)
    team.bucket.swap(records.POINTER, records.encoded(older), version)
    with pytest.raises(VersionError, match="publish it again with this version"):
        follower(team).ready()
    assert f"has version {INDEX_VERSION - 1}" in team.publish().notes[0]
    assert team.fetch() == TEXTS


def test_nothing_was_published(team: Team) -> None:
    with pytest.raises(HdlgraphError, match=r"nothing was published there|no such folder"):
        follower(team).ready()


def test_a_fetch_that_was_broken_off_goes_on(folder_team: Team) -> None:
    folder_team.publish()
    files, root = folder_team.listing().files, Path(folder_team.address.prefix)
    facts, words = (files[f"generation/{name}"] for name in ("facts.msgpack", "lexical/words.npy"))
    (root / words.key).rename(folder_team.base / "aside")
    with pytest.raises(BucketError, match="is not whole"):
        follower(folder_team).ready()
    assert (folder_team.place.incoming / facts.sha256).read_text() == "facts"
    # What came is not asked for again.
    folder_team.bucket.remove([facts.key])
    (folder_team.base / "aside").rename(root / words.key)
    follower(folder_team).ready()
    assert folder_team.read() == TEXTS
    assert not folder_team.place.incoming.exists()
