"""Records of many files hold each text once, and say the same as before."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hdlgraph.index.parse.shared import Shared
from hdlgraph.model import FileRecord
from hdlgraph.model.file import Comment
from hdlgraph.model.unit import Connection, Instance, Port, Unit
from hdlgraph.store.design.facts import write_facts


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
        write_facts(tmp_path, [plain] * count)
        whole = msgspec.msgpack.encode([plain] * count)
        assert (tmp_path / "facts.msgpack").read_bytes() == whole
