"""Late records are the facts of files like any others; a list is decoded when it is looked at."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from hdlgraph.errors import IndexDamagedError
from hdlgraph.index.parse import late
from hdlgraph.index.parse.late import LateFileRecord, LateUnit, read_late
from hdlgraph.index.parse.syntax import counted, counts_of
from hdlgraph.model import FileRecord, Unit
from hdlgraph.store.design.facts import read_facts

ENCODE = msgspec.msgpack.encode


@pytest.fixture
def facts(soc_words: Path) -> Sequence[FileRecord]:
    records = read_facts(next((soc_words / ".hdlgraph").glob("gen-*")))
    assert len(records) > 10
    return records


def lists_in(value: object) -> object:
    """Reads every field of a record, and of all records in it."""
    if isinstance(value, msgspec.Struct):
        return [lists_in(getattr(value, name)) for name in value.__struct_fields__]
    return [lists_in(one) for one in value] if isinstance(value, tuple) else value


def test_they_say_the_same_before_and_after_they_are_looked_at(facts: Sequence[FileRecord]) -> None:
    for record in facts:
        one = read_late(ENCODE(record))
        assert isinstance(one, FileRecord)
        assert ENCODE(one) == ENCODE(record)
        assert lists_in(one) == lists_in(record)
        assert ENCODE(one) == ENCODE(record)


def test_a_list_is_decoded_once_and_only_when_it_is_looked_at(facts: Sequence[FileRecord]) -> None:
    blob = ENCODE(next(one for one in facts if one.units))
    read = read_late(blob)
    held = FileRecord.__dict__["units"].__get__
    assert type(held(read)) is msgspec.Raw
    units = read.units
    assert read.units is units is held(read)
    assert all(isinstance(one, Unit) and isinstance(one, LateUnit) for one in units)
    assert type(Unit.__dict__["ports"].__get__(units[0])) is msgspec.Raw


def test_they_can_be_changed_and_sent_to_another_process(facts: Sequence[FileRecord]) -> None:
    record = next(one for one in facts if one.units)
    read = read_late(ENCODE(record))
    plain = msgspec.structs.replace(read, flows=(), units=read.units[:1])
    wanted = msgspec.structs.replace(record, flows=(), units=record.units[:1])
    for one in (plain, pickle.loads(pickle.dumps(plain))):
        assert isinstance(one, LateFileRecord)
        assert ENCODE(one) == ENCODE(wanted)
        assert lists_in(one) == lists_in(wanted)


def test_only_so_many_bytes_of_lists_are_decoded_at_a_time(
    facts: Sequence[FileRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = [ENCODE(record) for record in facts]
    most = max(map(len, blobs)) // 2
    decoded = late._Decoded(most)
    monkeypatch.setattr(late, "_decoded", decoded)
    read = [read_late(blob) for blob in blobs]
    for again in range(2):
        for one, record in zip(read, facts, strict=True):
            units = one.units
            assert lists_in(one) == lists_in(record)
            assert decoded.size <= most, again
            # A unit that a stage holds stays the one that the file has.
            assert one.units is units
    ports = Unit.__dict__["ports"].__get__
    late.forget()
    assert decoded.size == 0
    held = [ports(unit) for one in read for unit in one.units]
    assert {type(one) for one in held if one != ()} == {msgspec.Raw}
    assert [ENCODE(one) for one in read] == blobs


def test_facts_of_fewer_fields_have_none_of_the_others() -> None:
    read = read_late(ENCODE(["a.v", "00", "rtl", "verilog", 1, 1, "utf-8"]))
    assert (read.path, read.header, read.units, read.said) == ("a.v", "", (), ())


def test_facts_that_nobody_wrote_are_an_error_with_its_remedy() -> None:
    read = read_late(ENCODE(["a.v", "00", "rtl", "verilog", 1, 1, "utf-8", "", [1, 2]]))
    first = next(name for name in type(read).__struct_fields__[8:])
    with pytest.raises(IndexDamagedError, match=r"facts of a\.v .*hdlgraph index --fresh"):
        getattr(read, first)


def unread_of(record: FileRecord) -> FileRecord:
    told = [getattr(record, name) for name in late.OUTLINE]
    return late.unread(ENCODE(record), told, *counts_of(record))


def test_an_outline_is_told_without_the_facts(facts: Sequence[FileRecord]) -> None:
    for record in facts:
        one = unread_of(record)
        assert [getattr(one, name) for name in late.OUTLINE] == [
            getattr(record, name) for name in late.OUTLINE
        ]
        assert counts_of(one) == counts_of(record)
        assert late.noted(one)
    assert counted(map(unread_of, facts)) == counted(facts)
    assert counted(facts)["units"] > 10


@pytest.mark.parametrize(
    "first", sorted(set(FileRecord.__struct_fields__).difference(late.OUTLINE))
)
def test_the_facts_are_there_when_any_field_is_read(
    facts: Sequence[FileRecord], first: str
) -> None:
    for record in facts:
        one = unread_of(record)
        assert lists_in(getattr(one, first)) == lists_in(getattr(record, first))
        assert late.noted(one) is None
        assert ENCODE(one) == ENCODE(record)
        assert lists_in(one) == lists_in(record)


def test_what_was_replaced_stays_when_the_facts_are_decoded(facts: Sequence[FileRecord]) -> None:
    record = next(one for one in facts if one.units)
    one = msgspec.structs.replace(unread_of(record), flows=(), said=(), header="other")
    assert late.noted(one)
    wanted = msgspec.structs.replace(record, flows=(), said=(), header="other")
    for again in (one, pickle.loads(pickle.dumps(one))):
        assert lists_in(again) == lists_in(wanted)
        assert ENCODE(again) == ENCODE(wanted)


def test_an_outline_alone_is_never_encoded(facts: Sequence[FileRecord]) -> None:
    with pytest.raises(TypeError):
        ENCODE(unread_of(facts[0]))
    records = late.Opened([unread_of(record) for record in facts])
    assert [ENCODE(one) for one in records] == [ENCODE(one) for one in facts]
    assert len(records[1:3]) == 2
    assert ENCODE(records[1:3]) == ENCODE(list(facts[1:3]))


def test_facts_behind_an_outline_that_nobody_wrote_are_an_error() -> None:
    one = late.unread(ENCODE([7]), ["a.v", "00", "rtl", 1, 1, ""], 0, 0)
    with pytest.raises(IndexDamagedError, match=r"facts of a\.v .*hdlgraph index --fresh"):
        one.units
