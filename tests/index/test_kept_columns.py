"""Counts over all files: after edits they are what a count of all files gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
import pytest

from hdlgraph.index.explain.by_rules.evidence.repeats import Repeats
from hdlgraph.index.explain.repeated import RepeatedComments
from hdlgraph.index.kept import columns, unchanged
from hdlgraph.index.kept.columns import Columns
from hdlgraph.index.kept.derived import Derived, contents_of
from hdlgraph.index.kept.functions import keeping
from hdlgraph.model import Comment, FileRecord
from hdlgraph.store.cache import Cache

SAID = [f"This text number {name} is of many files." for name in "one two three four five".split()]
FILES = 40


@pytest.fixture(autouse=True)
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unchanged, "SHARE", 256)


def record(path: str, texts: tuple[str, ...]) -> FileRecord:
    comments = tuple(Comment(2 * at + 1, 2 * at + 1, text) for at, text in enumerate(texts))
    return FileRecord(path, "", "rtl", "verilog", 1, 20, "ascii", comments=comments)


def records_of(state: dict[str, tuple[str, ...]]) -> list[FileRecord]:
    return [record(path, state[path]) for path in sorted(state)]


def found(records: list[FileRecord]) -> tuple[object, ...]:
    repeats, repeated = Repeats(records), RepeatedComments(records, 4)
    told = [repeats.repeated(one) for one in records]
    return repeats.state, told, repeated.stamp, repeated.lines()


def after(cache: Cache, records: list[FileRecord]) -> tuple[object, ...]:
    keys = {one.path: f"{one.path} {[each.text for each in one.comments]}" for one in records}
    with keeping(Derived(cache, "derived", records, keys)):
        return found(records)


def edited(chosen: Random, state: dict[str, tuple[str, ...]]) -> None:
    """Changes the comments of a file or two; sometimes there is a file more, or less."""
    for path in chosen.sample(sorted(state), chosen.randrange(1, 3)):
        texts = chosen.choices([*SAID, f"Only {path} says this in words."], k=chosen.randrange(5))
        state[path] = tuple(texts)
    if chosen.random() < 0.2:
        del state[chosen.choice(sorted(state))]
    if chosen.random() < 0.2:
        state[f"c/new{chosen.randrange(100)}.v"] = (chosen.choice(SAID),)


@pytest.mark.parametrize("seed", range(4))
def test_after_edits_the_counts_are_those_of_all_files(seed: int, tmp_path: Path) -> None:
    chosen = Random(seed)
    cache = Cache(tmp_path / "cache.sqlite")
    state = {
        f"{'abc'[n % 3]}/file{n:02}.v": tuple(chosen.sample(SAID, chosen.randrange(4)))
        for n in range(FILES)
    }
    for _ in range(12):
        records = records_of(state)
        assert after(cache, records) == found(records)
        edited(chosen, state)
    cache.close()


def test_after_an_edit_the_numbers_of_few_segments_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path / "cache.sqlite")
    state = dict.fromkeys((f"a/file{n:02}.v" for n in range(FILES)), (SAID[0],))
    read: list[int] = []
    whole = Columns.part

    def part(self: Columns, number: int) -> object:
        read.append(number)
        return whole(self, number)

    monkeypatch.setattr(Columns, "part", part)

    def run() -> set[int]:
        read.clear()
        records = records_of(state)
        keys = {one.path: f"{one.path} {one.comments}" for one in records}
        with keeping(Derived(cache, "derived", records, keys)):
            assert len(unchanged.cut(records)) > 4
            assert Repeats(records).state
            assert RepeatedComments(records, 4).stamp
        return set(read)

    assert len(run()) > 4
    assert run() == set()
    state["a/file03.v"] = (SAID[0], SAID[0])  # the same once more is no other number
    assert len(run()) == 1
    cache.close()


def no_numbers(value: Any) -> Any:
    return [b"", b"", b""]


def too_many(value: Any) -> Any:
    return [np.full(3, 9, np.int64).tobytes(), *value[1:]]


def one_part(value: Any) -> Any:
    return value[:1]


@pytest.mark.parametrize("change", [no_numbers, too_many, one_part])
def test_numbers_of_somebody_else_are_made_again(
    tmp_path: Path, change: Callable[[Any], Any]
) -> None:
    cache = Cache(tmp_path / "cache.sqlite")
    state = {f"a/file{n:02}.v": (SAID[n % 3],) for n in range(FILES)}
    after(cache, records_of(state))
    namespace = contents_of("derived")
    query = "SELECT key, value FROM kv WHERE namespace = ?"
    changed = {}
    for key, value in cache._db.execute(query, (namespace,)).fetchall():
        told = msgspec.msgpack.decode(value)
        if isinstance(told, list) and len(told) == 3 and all(type(one) is bytes for one in told):
            changed[key] = msgspec.msgpack.encode(change(told))
    assert len(changed) > 8
    cache.put_many(namespace, changed)
    state["a/file05.v"] = (SAID[4],)
    records = records_of(state)
    assert after(cache, records) == found(records)
    cache.close()


def test_more_touched_numbers_than_are_looked_for_are_counted_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "MOST", 1)
    cache = Cache(tmp_path / "cache.sqlite")
    state = dict.fromkeys((f"a/file{n:02}.v" for n in range(FILES)), tuple(SAID))
    after(cache, records_of(state))
    state["a/file05.v"] = ()
    records = records_of(state)
    assert after(cache, records) == found(records)
    cache.close()
