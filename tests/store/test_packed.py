"""Many values of the cache in one file: what is found, what wins, and what damage does."""

from __future__ import annotations

import pickle
import sqlite3
from pathlib import Path

import pytest

from hdlgraph.store import cache as module
from hdlgraph.store.cache import SPARE, Cache, packed_file
from hdlgraph.store.packed.values import Packed, write_packed

MANY = {f"key {n}": b"value %d " % n * (n % 7) for n in range(600)}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A cache of which a run has packed the facts."""
    path = tmp_path / "cache.sqlite"
    cache = Cache(path)
    cache.put_many("facts", MANY)
    cache.pack()
    cache.close()
    return path


def rows(path: Path) -> int:
    with sqlite3.connect(path) as db:
        return int(db.execute("SELECT COUNT(*) FROM kv").fetchone()[0])


def test_packed_values_are_found_as_before(place: Path) -> None:
    assert packed_file(place, "facts").is_file()
    assert rows(place) == 0
    cache = Cache(place)
    assert cache.get_many("facts", [*MANY, "unknown"]) == MANY
    assert cache.known("facts", ["key 1", "unknown"]) == {"key 1"}
    assert cache.get_many("tokens", MANY) == {}
    cache.close()


def test_a_newer_value_wins_and_is_packed_with_the_others(place: Path) -> None:
    newer = {key: b"newer" for key in list(MANY)[100:500]}
    cache = Cache(place)
    cache.put_many("facts", {"key 3": b"newer"})
    cache.pack()
    assert rows(place) == 1  # too few to write all anew
    assert cache.get_many("facts", MANY) == {**MANY, "key 3": b"newer"}
    cache.put_many("facts", newer)
    cache.pack()
    assert rows(place) == 0
    assert cache.get_many("facts", MANY) == {**MANY, "key 3": b"newer", **newer}
    cache.close()


def test_many_first_values_are_packed_at_once_and_later_ones_stay_rows(tmp_path: Path) -> None:
    place = tmp_path / "cache.sqlite"
    cache = Cache(place)
    cache.fill("linked", iter(MANY.items()))
    assert rows(place) == 0
    assert cache.get_many("linked", MANY) == MANY
    cache.fill("linked", iter([("key 1", b"newer"), ("other", b"1")]))
    assert rows(place) == 2
    assert cache.get_many("linked", ["key 1", "key 2", "other"]) == {
        "key 1": b"newer", "key 2": MANY["key 2"], "other": b"1",
    }  # fmt: skip
    cache.prune()
    assert cache.get_many("linked", MANY) == {**MANY, "key 1": b"newer"}
    cache.close()


def test_few_first_values_and_those_of_other_namespaces_are_rows(tmp_path: Path) -> None:
    place = tmp_path / "cache.sqlite"
    cache = Cache(place)
    few = dict(list(MANY.items())[: module.LEAST])
    cache.fill("linked", iter(few.items()))
    cache.fill("tokens", iter(MANY.items()))
    assert rows(place) == len(few) + len(MANY)
    assert cache.get_many("linked", MANY) == few
    assert cache.get_many("tokens", MANY) == MANY
    cache.close()


def test_few_values_stay_rows(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache.sqlite")
    cache.put_many("facts", dict(list(MANY.items())[: module.LEAST]))
    cache.pack()
    cache.close()
    assert [one.name for one in tmp_path.iterdir()] == ["cache.sqlite"]


def test_unused_values_are_dropped_beyond_the_spare_ones(place: Path) -> None:
    cache = Cache(place)
    cache.put_many("facts", {f"next {n}": b"x" for n in range(SPARE)})
    cache.pack()
    assert cache.get_many("facts", MANY) == MANY
    cache.close()
    cache = Cache(place)
    cache.put_many("facts", {f"last {n}": b"x" for n in range(SPARE)})
    cache.pack()
    assert cache.get_many("facts", MANY) == {}
    cache.close()


@pytest.mark.parametrize("at", [0, 40, -8, -12, -20, -3000])
def test_a_damaged_file_lacks_values_and_gives_no_wrong_one(place: Path, at: int) -> None:
    file = packed_file(place, "facts")
    data = bytearray(file.read_bytes())
    data[at] ^= 0x40
    file.write_bytes(data)
    found = Cache(place).get_many("facts", MANY)
    assert len(found) < len(MANY)
    assert all(MANY[key] == value for key, value in found.items())


@pytest.mark.parametrize("size", [0, 7, 30, 4000])
def test_a_cut_file_holds_nothing(place: Path, size: int) -> None:
    file = packed_file(place, "facts")
    file.write_bytes(file.read_bytes()[:size])
    assert Cache(place).get_many("facts", MANY) == {}


def test_a_head_that_leads_out_of_the_file_is_none(tmp_path: Path) -> None:
    import zlib

    import msgspec

    from hdlgraph.store.packed.values import MAGIC

    for ends in ([8], [-1], [4, 2], [1, 1]):
        numbers = b"".join(one.to_bytes(8, "little", signed=True) for one in ends)
        head = msgspec.msgpack.encode((["a"] * len(ends), numbers, bytes(4 * len(ends))))
        tail = len(head).to_bytes(8, "little") + zlib.crc32(head).to_bytes(4, "little") + MAGIC
        (tmp_path / "x").write_bytes(b"four" + head + tail)
        assert len(Packed(tmp_path / "x")) == 0, ends


def test_a_link_in_its_place_is_not_followed(place: Path, tmp_path: Path) -> None:
    file = packed_file(place, "facts")
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert Cache(place).get_many("facts", MANY) == {}


def test_a_cache_that_is_deleted_takes_its_packed_values_along(place: Path) -> None:
    Cache(place).delete()
    assert not packed_file(place, "facts").exists()


def test_views_can_be_sent_to_another_process(place: Path) -> None:
    views = Cache(place).views("facts", ["key 1", "key 2", "unknown"])
    sent = pickle.loads(pickle.dumps(views))
    assert sent == {key: MANY[key] for key in ("key 1", "key 2")}


def test_a_writer_that_fails_leaves_the_former_file(place: Path) -> None:
    file = packed_file(place, "facts")
    before = file.read_bytes()

    def broken():
        yield "a", b"1"
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_packed(file, broken())
    assert file.read_bytes() == before
    assert sorted(one.name for one in place.parent.iterdir()) == [file.name, place.name]
