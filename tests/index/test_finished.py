"""Of a file that is linked nothing more is held than what the next run takes from the cache."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from hdlgraph.index.fork import no_collection
from hdlgraph.index.kept.derived import Derived
from hdlgraph.index.kept.functions import finish, keeping, kept
from hdlgraph.index.kept.handed import Handed
from hdlgraph.index.link.link import link_with_notes
from hdlgraph.index.link.nodes import FileEntry, UnitEntry
from hdlgraph.index.link.parts import linked as module
from hdlgraph.index.link.parts.declared import declared
from hdlgraph.model import FileRecord
from hdlgraph.store.design.facts import read_facts

RECORDS = [FileRecord(f"{name}.v", "00", "rtl", "verilog", 1, 1, "utf-8") for name in "ab"]
KEYS = {one.path: f"key of {one.path}" for one in RECORDS}
MADE: list[str] = []


@kept
def capital(record: FileRecord) -> str:
    MADE.append(record.path)
    return record.path.upper()


@kept
def length(record: FileRecord) -> int:
    return len(record.path)


def left(handed: Handed) -> dict[str, dict[str, object]]:
    """Returns what a run left for the next one: namespace -> key -> values."""
    found: dict[str, dict[str, object]] = {}
    for namespace, values in handed.to_return().batches():
        decoded = {key: msgspec.msgpack.decode(value) for key, value in values.items()}
        assert not found.setdefault(namespace, {}).keys() & decoded.keys()
        found[namespace] |= decoded
    return found


def test_what_is_kept_of_a_finished_record_is_written_once(tmp_path: Path) -> None:
    handed, one = Handed({}, tmp_path / "new"), RECORDS[0]
    with keeping(Derived(handed, "own", RECORDS, KEYS)):
        assert [capital(record) for record in RECORDS] == ["A.V", "B.V"]
        assert length(one) == 3
        finish(one)
        finish(one)
        MADE.clear()
        assert capital(one) == "A.V"
        assert capital(RECORDS[1]) == "B.V"
        assert MADE == ["a.v"]  # of a finished one nothing is held
    found = left(handed)["own"]
    assert {key: len(values) for key, values in found.items()} == {  # type: ignore[arg-type]
        "key of a.v": 2,
        "key of b.v": 1,
    }


def test_linking_keeps_the_same_of_files_that_it_finishes_one_by_one(
    soc_words: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = read_facts(next((soc_words / ".hdlgraph").glob("gen-*")))

    def linked(records: Sequence[FileRecord], name: str) -> dict[str, dict[str, object]]:
        handed = Handed({}, tmp_path / name)
        keys = {one.path: one.path for one in records}
        with keeping(Derived(handed, "linked", records, keys)):
            link_with_notes(records)
        return left(handed)

    found = linked(records, "one by one")
    monkeypatch.setattr(module, "finish", lambda record: None)
    assert found == linked(records, "at the end")
    assert len(found["linked"]) == len(records)
    assert any("instance_names" in name for one in found["linked"].values() for name in one)  # type: ignore[attr-defined]


def test_entries_of_files_hold_nothing_once_they_are_linked(soc_words: Path) -> None:
    records = read_facts(next((soc_words / ".hdlgraph").glob("gen-*")))
    entries = [FileEntry(0, record) for record in records]
    for entry in entries:
        entry.units = [UnitEntry(0, unit, entry) for unit in entry.record.units]
        entry.fill()
    unit = next(one for entry in entries for one in entry.units if one.instances)
    names, ports = dict(unit.names), dict(unit.ports)
    held = UnitEntry.__dict__
    unit.close()
    assert ports == held["ports"].__get__(unit)
    for name in ("names", "instances"):
        with pytest.raises(AttributeError):
            held[name].__get__(unit)
    assert unit.names == names  # asked for again
    unit.file.clear()
    with pytest.raises(AttributeError):
        held["ports"].__get__(unit)
    assert unit.ports == ports


def test_declaring_leaves_no_cycle_behind(soc_words: Path) -> None:
    records = read_facts(next((soc_words / ".hdlgraph").glob("gen-*")))
    declared(records[0])
    gc.collect()
    with no_collection():
        for record in records:
            declared(record)
        assert gc.collect() == 0
