"""Outlines of facts: told without decoding these, and none where the note of them is damaged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from hdlgraph.index.discover.source_file import SourceFile
from hdlgraph.index.parse import outlines
from hdlgraph.index.parse.late import noted, whole
from hdlgraph.index.parse.outlines import Outlines
from hdlgraph.index.parse.syntax import counts_of
from hdlgraph.model import FileRecord
from hdlgraph.store.cache import Cache
from hdlgraph.store.design.facts import read_facts


@pytest.fixture
def facts(soc_words: Path) -> Sequence[FileRecord]:
    return read_facts(next((soc_words / ".hdlgraph").glob("gen-*")))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cache]:
    monkeypatch.setattr(outlines, "BLOCK", 4)
    cache = Cache(tmp_path / "cache.sqlite")
    yield cache
    cache.close()


def key(path: str) -> str:
    return f"key of {path}"


def sources_of(facts: Sequence[FileRecord]) -> dict[str, SourceFile]:
    return {one.path: SourceFile(one.path, one.size, 0, one.sha256, one.role) for one in facts}


def note(store: Cache, facts: Sequence[FileRecord]) -> None:
    encode = msgspec.msgpack.encode
    store.put_many("facts", {key(one.path): encode(whole(one)) for one in facts})
    Outlines(store, len(facts)).note(key, sources_of(facts), facts)


def read(store: Cache, facts: Sequence[FileRecord]) -> list[FileRecord]:
    """Returns the facts, checked to be those that were kept."""
    sources = {key(path): source for path, source in sources_of(facts).items()}
    kept = Outlines(store, len(facts)).read(sources, sources.__getitem__)
    found = [kept[key(one.path)] for one in facts]
    encode = msgspec.msgpack.encode
    for one, wanted in zip(found, facts, strict=True):
        again = msgspec.structs.replace(one)
        assert (again.size, again.n_lines, again.degraded) == (
            *(wanted.size, wanted.n_lines),
            wanted.degraded,
        )
        assert counts_of(again) == counts_of(wanted)
        assert encode(whole(again)) == encode(wanted)
    return found


def test_facts_are_not_decoded_where_their_outline_is_noted(store, facts):
    assert not any(map(noted, facts))
    note(store, facts)
    assert all(map(noted, read(store, facts)))
    # One more in front moves the others into other places, and blocks.
    first = msgspec.structs.replace(facts[0], path="a first.v")
    store.put_many("facts", {key(first.path): msgspec.msgpack.encode(first)})
    found = read(store, [first, *facts])
    assert [noted(one) is not None for one in found] == [False, *[True] * len(facts)]
    note(store, [first, *facts])
    assert all(map(noted, read(store, [first, *facts])))


def test_the_blocks_of_files_that_stay_are_not_written_again(store, facts, monkeypatch):
    note(store, facts)
    written, put = [], store.put_many
    monkeypatch.setattr(
        store,
        "put_many",
        lambda name, values: written.append((name, [*values])) or put(name, values),
    )
    found = read(store, facts)
    Outlines(store, len(facts)).note(key, sources_of(facts), found)
    assert written == []
    Outlines(store, len(facts)).note(
        lambda path: key(path) + " new" * (path == facts[5].path), sources_of(facts), found
    )
    assert written == [("outlines", ["1"])]


def test_facts_of_another_file_have_no_outline(store, facts):
    others = [msgspec.structs.replace(facts[0], role="other"), *facts[1:]]
    store.put_many("facts", {key(one.path): msgspec.msgpack.encode(one) for one in facts})
    Outlines(store, len(facts)).note(key, sources_of(others), facts)
    assert [noted(one) is None for one in read(store, facts)] == [True, *[False] * (len(facts) - 1)]


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\xff" * 9, msgspec.msgpack.encode([["a"], []])])
def test_damaged_outlines_cost_time_alone(store, facts, data):
    note(store, facts)
    store.put_many("outlines", {"0": data})
    found = read(store, facts)
    assert not any(map(noted, found[:4]))
    assert all(map(noted, found[4:]))
    note(store, found)
    assert all(map(noted, read(store, facts)))
