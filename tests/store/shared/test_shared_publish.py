from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from _places import TEXTS, Team, follower, make, object_of

from hdlgraph.store.folder import Store, make_folder
from hdlgraph.store.lock import index_lock
from hdlgraph.store.manifest import read_manifest
from hdlgraph.store.shared import records
from hdlgraph.store.shared.address import read_address
from hdlgraph.store.shared.bucket import ConflictError
from hdlgraph.store.shared.fetch import taken
from hdlgraph.store.shared.publish import begin, publish


def test_what_is_published_is_read(team: Team) -> None:
    done = team.publish()
    assert (done.number, done.files) == (1, 4)
    assert done.sent == 3  # two files of one content are one object
    assert team.fetch() == TEXTS
    held = Store(team.place.index).hold()
    assert held.manifest.files.keys() == {"rtl/a.sv"}
    assert held.manifest.root == ""  # no folder of the builder's machine
    assert taken(team.place) == team.pointer().listing


def test_one_edit_sends_one_file_and_the_manifest(team: Team) -> None:
    team.publish()
    team.fetch()
    former = Store(team.place.index).hold()
    done = team.publish(facts__x="new", **{"facts.msgpack": "other"})
    assert done.sent == 3
    again = team.publish()
    assert (again.number, again.sent) == (2, 0)
    assert team.fetch() == {**TEXTS, "facts.msgpack": "other", "facts/x": "new"}
    same = Store(team.place.index).hold().folder / "lexical" / "words.npy"
    # The reader fetched nothing that it had: its generations share the file.
    assert same.samefile(former.folder / "lexical" / "words.npy")


def test_the_same_index_is_not_published_twice(team: Team) -> None:
    team.publish()
    former = begin(team.bucket, team.address)
    again = publish(team.bucket, team.address, team.builds, former)
    assert (again.number, again.sent) == (1, 0)
    assert team.pointer().number == 1


def test_of_two_builders_one_is_told(team: Team, tmp_path: Path) -> None:
    team.publish()
    slow = begin(team.bucket, team.address)
    team.publish(**{"facts.msgpack": "of the quick one"})
    make(tmp_path / "slow", {"facts.msgpack": "of the slow one"})
    with pytest.raises(ConflictError, match=r"another builder published while .* run this again"):
        publish(team.bucket, team.address, tmp_path / "slow", slow)
    assert team.fetch()["facts.msgpack"] == "of the quick one"


def test_of_two_first_builders_one_is_told(team: Team, tmp_path: Path) -> None:
    slow = begin(team.bucket, team.address)
    team.publish()
    make(tmp_path / "slow", {"facts.msgpack": "of the slow one"})
    with pytest.raises(ConflictError, match="another builder published"):
        publish(team.bucket, team.address, tmp_path / "slow", slow)
    assert team.fetch() == TEXTS


def test_half_a_generation_is_seen_by_nobody(team: Team) -> None:
    team.publish()
    team.fetch()
    # A builder was killed before the pointer: files and a listing that nothing names.
    team.bucket.send(f"objects/ab/{'ab' * 32}-{'0' * 12}", b"half")
    team.bucket.send(records.listing_key(2, "cd" * 32), b"{}")
    reader = follower(team)
    reader.ready()
    assert reader.notes == ()
    assert team.read() == TEXTS
    assert team.publish(**{"facts.msgpack": "next"}).number == 2
    assert team.fetch()["facts.msgpack"] == "next"


def test_a_damaged_cache_is_fetched_again(folder_team: Team) -> None:
    folder_team.publish()
    folder_team.fetch()
    held = Store(folder_team.place.index).hold()
    (held.folder / "facts.msgpack").write_text("cut")
    follower(folder_team).ready()
    assert folder_team.read() == TEXTS


def test_documents_come_along_and_caches_do_not(folder_team: Team) -> None:
    make(folder_team.builds, TEXTS)
    for name in ("manifest.json", "passages-0.msgpack", "cache.sqlite"):
        (folder_team.builds / "documents").mkdir(exist_ok=True)
        (folder_team.builds / "documents" / name).write_text(name)
    (folder_team.builds / "answers.sqlite").write_text("paid")
    publish(
        folder_team.bucket,
        folder_team.address,
        folder_team.builds,
        begin(folder_team.bucket, folder_team.address),
    )
    folder_team.fetch()
    got = {path.name for path in (folder_team.place.index / "documents").iterdir()}
    assert got == {"manifest.json", "passages-0.msgpack"}
    assert not any("sqlite" in path for path in folder_team.listing().files)


def age(team: Team, key: str, hours: float) -> None:
    """Makes an object of a shared folder older by the server's clock."""
    path = Path(team.address.prefix) / key
    now = path.stat().st_mtime
    os.utime(path, (now - hours * 3600,) * 2)


def keys(team: Team) -> set[str]:
    return {one.key for one in team.bucket.list()}


def test_old_generations_go_and_young_ones_stay(folder_team: Team) -> None:
    team = folder_team
    team.publish()
    first, first_facts = team.pointer().key, object_of(team, "generation/facts.msgpack")
    words = object_of(team, "generation/lexical/words.npy")
    team.publish(**{"facts.msgpack": "second"})
    second, second_facts = team.pointer().key, object_of(team, "generation/facts.msgpack")
    for key in (first, first_facts, words, second, second_facts):
        age(team, key, 48)
    done = team.publish(**{"facts.msgpack": "third"})
    # The first was replaced two days ago, the second has just been.
    assert done.removed == 1
    there = keys(team)
    assert first not in there
    assert first_facts not in there
    assert {second, second_facts, words, team.pointer().key} <= there
    assert team.fetch()["facts.msgpack"] == "third"


def test_what_another_builder_sends_now_stays(folder_team: Team) -> None:
    team = folder_team
    team.publish()
    half = f"objects/ab/{'ab' * 32}-{'0' * 12}"
    team.bucket.send(half, b"of a builder that is at work")
    team.bucket.send("notes.txt", b"not ours")
    age(team, "notes.txt", 1000)
    team.publish(**{"facts.msgpack": "second"})
    assert {half, "notes.txt"} <= keys(team)
    age(team, half, 48)
    team.publish(**{"facts.msgpack": "third"})
    assert half not in keys(team)
    assert "notes.txt" in keys(team)


@pytest.mark.parametrize("hours", [-100_000, 100_000])
def test_no_clock_of_a_client_counts(
    folder_team: Team, hours: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    team = folder_team
    team.publish()
    first = team.pointer().key
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + hours * 3600)
    team.publish(**{"facts.msgpack": "second"})
    assert first in keys(team)
    follower(team).ready()
    assert team.read()["facts.msgpack"] == "second"


@pytest.mark.parametrize("hours", [-1000, 1000])
def test_a_server_whose_clock_jumped_loses_nothing_that_is_valid(
    folder_team: Team, hours: float
) -> None:
    team = folder_team
    team.publish()
    for one in list(team.bucket.list()):
        age(team, one.key, hours)
    team.publish(**{"facts.msgpack": "second"})
    for one in list(team.bucket.list()):
        if hours < 0:
            age(team, one.key, hours)
    team.publish(**{"facts.msgpack": "third"})
    assert team.fetch() == {**TEXTS, "facts.msgpack": "third"}


def test_readers_of_two_buckets_have_two_caches(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = read_address(team.given + "2")
    assert team.place != Team(str(other), team.base).place
    if team.given.startswith("s3"):
        here = team.place
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
        assert team.place != here
    team.place.make()
    assert team.place.base.stat().st_mode & 0o077 == 0


def test_the_manifest_that_is_read_is_checked_as_any(team: Team) -> None:
    team.publish()
    team.fetch()
    assert read_manifest(team.place.index).generation == 1


def test_two_readers_of_one_user_fetch_once(team: Team) -> None:
    team.publish()
    team.place.make()
    reader = follower(team)
    waiting = threading.Thread(target=reader.ready, name="stub reader")
    with index_lock(make_folder_of(team)):
        waiting.start()
        waiting.join(0.5)
        assert waiting.is_alive()  # it has nothing to answer from
    waiting.join(60)
    assert team.read() == TEXTS
    team.publish(**{"facts.msgpack": "second"})
    with index_lock(team.place.index):
        follower(team).ready()  # this one has: it does not wait
    assert team.read() == TEXTS
    follower(team).ready()
    assert team.read()["facts.msgpack"] == "second"


def make_folder_of(team: Team) -> Path:
    """Makes the index folder of a reader, as the first that fetches does."""
    make_folder(team.place.index)
    return team.place.index
