"""Files that hold a slice for each source file: after edits they are what a first run writes."""

import random
from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from hdlgraph.store.cache import Cache
from hdlgraph.store.manifest import Manifest
from hdlgraph.store.packed.slices import KEY, NAMESPACE, Slices, Slicing


def manifest(number: int, state: str = "") -> Manifest:
    checksums = {"facts.msgpack": (number, state)}
    return Manifest(generation=number, version="1", root="/r", inputs="", checksums=checksums)


def items(path: str, version: int) -> list[bytes]:
    chosen = random.Random(f"{path} {version}")
    return [msgspec.msgpack.encode([path, version, n]) for n in range(chosen.randrange(4))]


def keys_of(versions: Iterable[int]) -> bytes:
    return b"".join((version + 1).to_bytes(4, "little") for version in versions)


def write(slicing: Slicing, state: dict[str, int]) -> tuple[list[str], Slices]:
    """Writes two files of a state (path -> version); returns the paths that were made."""
    made: list[str] = []
    paths = sorted(state)

    def make(number: int) -> list[bytes]:
        made.append(paths[number])
        return items(paths[number], state[paths[number]])

    slices = slicing.group("all", paths, keys_of(state[path] for path in paths))
    slices.write("array", make)
    once = list(made)
    slices.write("plain", make, is_array=False)
    return once, slices


@pytest.mark.parametrize("seed", range(6))
def test_after_edits_the_bytes_are_those_of_a_first_run(seed: int, tmp_path: Path) -> None:
    chosen = random.Random(seed)
    state = {f"{n:02}.v": 0 for n in range(20)}
    cache = Cache(tmp_path / "cache.sqlite")
    former = None
    for number in range(1, 8):
        folder, fresh = tmp_path / f"gen-{number}", tmp_path / f"fresh-{number}"
        folder.mkdir()
        fresh.mkdir()
        before = dict(state) if former else {}
        for path in chosen.sample(sorted(state), chosen.randrange(4)):
            state[path] = number
        if chosen.random() < 0.5:
            state.pop(chosen.choice(sorted(state)))
            state[f"{chosen.randrange(100):02}a.v"] = number
        slicing = Slicing(folder, cache, former)
        made, slices = write(slicing, state)
        assert made == [path for path in sorted(state) if before.get(path) != state[path]]
        write(Slicing(fresh), state)
        for name in ("array", "plain"):
            assert (folder / name).read_bytes() == (fresh / name).read_bytes()
        wanted = [one for path in sorted(state) for one in items(path, state[path])]
        assert msgspec.msgpack.decode((folder / "array").read_bytes(), type=list[msgspec.Raw]) == [
            msgspec.Raw(one) for one in wanted
        ]
        assert slices.counts("array").tolist() == [
            len(items(path, state[path])) for path in sorted(state)
        ]
        slicing.note(manifest(number))
        former = folder, manifest(number)
    cache.close()


def test_what_was_written_is_told_by_stretches(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache.sqlite")
    paths = ["a", "b", "c"]
    (tmp_path / "one").mkdir()
    slicing = Slicing(tmp_path / "one", cache)
    slices = slicing.group("all", paths, keys_of([1, 1, 1]))
    first = slices.write("x", lambda number: [b"\x01", b"\x02\x03"][: number + 1], is_array=False)
    assert [one.lengths.tolist() for one in first] == [[1, 1, 2, 1, 2]]
    slicing.note(manifest(1))
    (tmp_path / "two").mkdir()
    slicing = Slicing(tmp_path / "two", cache, (tmp_path / "one", manifest(1)))
    slices = slicing.group("all", paths, keys_of([1, 2, 1]))
    second = slices.write("x", lambda number: [b"\x04\x05\x06"], is_array=False)
    assert [(one.lengths.tolist(), one.first, one.end) for one in second] == [
        ([], 0, 1), ([3], 0, 0), ([], 3, 5)
    ]  # fmt: skip
    assert (tmp_path / "two" / "x").read_bytes() == b"\x01\x04\x05\x06\x01\x02\x03"
    cache.close()


def another_generation(cache: Cache, folder: Path) -> Manifest:
    return manifest(1, "other")


def no_note(cache: Cache, folder: Path) -> Manifest:
    cache.put_many(NAMESPACE, {KEY: b"\xc1"})
    return manifest(1)


def shorter_file(cache: Cache, folder: Path) -> Manifest:
    for name in ("array", "plain"):
        (folder / name).write_bytes((folder / name).read_bytes()[:-1])
    return manifest(1)


def no_file(cache: Cache, folder: Path) -> Manifest:
    for name in ("array", "plain"):
        (folder / name).unlink()
    return manifest(1)


def sizes_without_end(cache: Cache, folder: Path) -> Manifest:
    blob = cache.get_many(NAMESPACE, [KEY])[KEY]
    generation, paths, groups = msgspec.msgpack.decode(blob)
    for group in groups.values():
        sizes = np.frombuffer(group[2]["array"], np.uint32).copy()
        sizes[:4] = (2**32 - 1, 2**32 - 100, 1, 100)
        group[2] = dict.fromkeys(group[2], sizes.tobytes())
    cache.put_many(NAMESPACE, {KEY: msgspec.msgpack.encode((generation, paths, groups))})
    return manifest(1)


def keys_of_other_files(cache: Cache, folder: Path) -> Manifest:
    blob = cache.get_many(NAMESPACE, [KEY])[KEY]
    generation, paths, groups = msgspec.msgpack.decode(blob)
    for group in groups.values():
        group[1] = group[1][:-1]
    cache.put_many(NAMESPACE, {KEY: msgspec.msgpack.encode((generation, paths, groups))})
    return manifest(1)


def no_paths(cache: Cache, folder: Path) -> Manifest:
    blob = cache.get_many(NAMESPACE, [KEY])[KEY]
    generation, _, groups = msgspec.msgpack.decode(blob)
    cache.put_many(NAMESPACE, {KEY: msgspec.msgpack.encode((generation, [], groups))})
    return manifest(1)


@pytest.mark.parametrize(
    "harm",
    [
        another_generation,
        no_note,
        shorter_file,
        no_file,
        sizes_without_end,
        keys_of_other_files,
        no_paths,
    ],
)
def test_slices_that_cannot_be_told_are_made(harm, tmp_path: Path) -> None:
    state = {f"{n}.v": 0 for n in range(8)}
    cache = Cache(tmp_path / "cache.sqlite")
    folder, new = tmp_path / "gen-1", tmp_path / "gen-2"
    folder.mkdir()
    new.mkdir()
    slicing = Slicing(folder, cache)
    write(slicing, state)
    slicing.note(manifest(1))
    wanted = {name: (folder / name).read_bytes() for name in ("array", "plain")}
    former = folder, harm(cache, folder)
    made, _ = write(Slicing(new, cache, former), state)
    assert made == sorted(state)
    assert {name: (new / name).read_bytes() for name in wanted} == wanted
    cache.close()
