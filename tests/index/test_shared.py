"""Records of many files hold each text once, and say the same as before."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from hdlgraph.index.discover.files import SourceFile
from hdlgraph.index.kept.memory import remembering
from hdlgraph.index.parse.cache import FactKeys, OnDone, collect_facts
from hdlgraph.index.parse.late import whole
from hdlgraph.index.parse.shared import Shared
from hdlgraph.model import FileRecord
from hdlgraph.model.file import Comment
from hdlgraph.model.unit import Connection, Instance, Port, Unit
from hdlgraph.store.cache import Cache
from hdlgraph.store.design.facts import read_facts, write_facts
from hdlgraph.store.packed.slices import Slices


def a_file(path: str) -> FileRecord:
    bound = Connection("clk_i", "clk_i & go", ("clk_i", "go"), 1041)
    inner = Instance("u_a", "leaf", 1040, 1050, (("WIDTH", "8"),), (bound,), confidence=0.5)
    ports = (Port("clk_i", "input", "logic", 1001),)
    unit = Unit("top", "module", 1000, 1100, ports=ports, instances=(inner,))
    return FileRecord(
        path, "00", "rtl", "verilog", 1234, 1200, "utf-8", units=(unit,),
        macro_uses=(("WIDTH", 1003),), comments=(Comment(1002, 1003, "clk_i"),),
        flows=(("top", 1000, b"flow"),),
    )  # fmt: skip


def test_records_share_texts_numbers_and_tuples_and_say_the_same() -> None:
    encode, decode = msgspec.msgpack.encode, msgspec.msgpack.Decoder(FileRecord).decode
    blobs = [encode(a_file(path)) for path in ("a.v", "b.v")]
    shared = Shared()
    one, other = (shared.share(decode(blob)) for blob in blobs)
    assert [encode(one), encode(other)] == blobs
    ports = [record.units[0].ports[0] for record in (one, other)]
    bound = [record.units[0].instances[0].connections[0] for record in (one, other)]
    assert ports[0].name is ports[1].name is bound[0].port is one.comments[0].text
    assert ports[0].line is ports[1].line
    assert bound[0].signals is bound[1].signals
    assert one.macro_uses[0][0] is other.units[0].instances[0].parameters[0][0]


def test_facts_are_written_as_one_array_whatever_their_number(tmp_path: Path) -> None:
    plain = msgspec.structs.replace(a_file("a.v"), units=(), flows=())
    for count in (0, 15, 16, 65_535, 65_536):
        write_facts(Slices(tmp_path, [plain.path] * count), [plain] * count)
        assert read_facts(tmp_path) == [plain] * count


def collected(folder: Path, content: Sequence[str]) -> list[FileRecord]:
    """Returns the facts of files of some contents, those of known ones from a cache."""
    sources = [
        SourceFile(path=f"{at:02}.v", sha256=one, size=1, mtime_ns=0, role="rtl")
        for at, one in enumerate(content)
    ]
    keys = FactKeys(sources, {}, (), "how")

    def parse(
        missing: Sequence[SourceFile], on_done: OnDone, meanwhile: Callable[[], object]
    ) -> list[FileRecord]:
        meanwhile()
        found = [msgspec.structs.replace(a_file(s.path), sha256=s.sha256) for s in missing]
        for one in found:
            on_done(one, True)
        return found

    cache = Cache(folder / "cache.sqlite")
    try:
        return collect_facts(keys, cache, parse, lambda done: None)
    finally:
        cache.close()


def type_of(record: FileRecord) -> str:
    return record.units[0].ports[0].type


def test_facts_after_an_edit_are_as_they_were_decoded_and_say_the_same(tmp_path: Path) -> None:
    old = ["old"] * 16

    def encode(record: FileRecord) -> bytes:
        return msgspec.msgpack.encode(whole(record))

    first = collected(tmp_path, old)
    edited = collected(tmp_path, ["new", *old[1:]])
    assert [encode(one) for one in edited[1:]] == [encode(one) for one in first[1:]]
    assert type_of(edited[1]) is not type_of(edited[2])
    resumed = collected(tmp_path, ["newer"] * 8 + old[8:])
    assert type_of(resumed[0]) is type_of(resumed[14]) is type_of(resumed[15])
    with remembering():  # a process that stays holds them for long
        watched = collected(tmp_path, ["newest", *old[1:]])
    assert type_of(watched[0]) is type_of(watched[14]) is type_of(watched[15])


def test_damaged_facts_are_read_again_once_the_others_are_known(tmp_path: Path) -> None:
    old = ["old"] * 16
    first = collected(tmp_path, old)
    with sqlite3.connect(tmp_path / "cache.sqlite") as db:
        db.execute("UPDATE kv SET value = x'00' WHERE rowid IN (SELECT min(rowid) FROM kv)")
    assert [one.path for one in collected(tmp_path, old)] == [one.path for one in first]
    again = collected(tmp_path, ["new", *old[1:]])
    assert [one.sha256 for one in again] == ["new", *old[1:]]
