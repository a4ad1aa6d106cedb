"""Descriptions of registers are read and linked to RTL, and broken ones told."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from hdlgraph.errors import IndexDamagedError, IndexVersionError
from hdlgraph.index.registers.hjson import HjsonError, read_hjson
from hdlgraph.index.registers.reggen import BrokenRegistersError, number, read_reggen
from hdlgraph.project import Project
from hdlgraph.store.design.registers import RegisterBlock, read_registers, write_registers

DESIGN = Path(__file__).parent.parent / "designs" / "registers" / "pulse"


def plain(node: object) -> object:
    value = getattr(node, "value", node)
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{a: 1, b: true}", {"a": "1", "b": "true"}),
        ("a: some text, with commas # and no comment\nb: 2", {
            "a": "some text, with commas # and no comment", "b": "2"}),
        ('{"a b": "x\\n\\u0041", c: \'y\'}', {"a b": "x\nA", "c": "y"}),
        ("{a: '''\n  two\n  lines\n'''\n}", {"a": "two\n  lines"}),
        ("// c\n/* d */ # e\n[1, 2, // f\n 3,]", ["1", "2", "3"]),
        ("{a: 0x1F // hex\n b: 1e-3}", {"a": "0x1F", "b": "1e-3"}),
        ("", {}),
        ("{a:{b:[]}}", {"a": {"b": []}}),
    ],
)  # fmt: skip
def test_hjson(text: str, value: object) -> None:
    assert plain(read_hjson(text)) == value


def test_values_have_their_lines() -> None:
    tree = read_hjson("{\n  a: 1\n  b: [\n    {c: '''\n x\n'''},\n    {c: 2}]\n}\n")
    assert [one.line for one in (tree, tree.get("a"), tree.get("b"))] == [1, 2, 3]
    assert [one.get("c").line for one in tree.get("b").items()] == [4, 7]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{a: 1", "line 1: the file ends inside an object"),
        ("{\na 1}", "line 2: a name and a colon are missing"),
        ("{\n\na: '''x}", "line 3: a text in ''' does not end"),
        ('{a: "x}', "line 1: a text in quotes does not end"),
        ("{a: }", "line 1: a value is missing"),
        ("[1] 2", "line 1: something stands behind the end"),
        ("[" * 1000, "line 1: more than 40 objects or lists"),
        ("[" + "1," * 300_000 + "]", "line 1: more than 200000 values"),
    ],
)
def test_broken_hjson_is_told_with_its_line(text: str, words: str) -> None:
    with pytest.raises(HjsonError) as raised:
        read_hjson(text)
    assert str(raised.value).startswith(words)


@pytest.mark.parametrize("part", ["/*", "{a:", "'''", '{a:"\\', ", #\n", "a:\n", "/", "{'", "a "])
def test_hjson_takes_time_in_proportion(part: str) -> None:
    began = time.process_time()
    with pytest.raises(HjsonError):
        read_hjson("{" + part * (400_000 // len(part)))
    assert time.process_time() - began < 3


def test_numbers() -> None:
    texts = ("0x10", "12", "8'hFF", "0b11", "4'b1010", "x", "", "8'd", "1e9")
    assert [number(one, -1) for one in texts] == [16, 12, 255, 3, 10, -1, -1, -1, -1]


def read(text: str) -> RegisterBlock:
    (block,) = read_reggen("a.hjson", read_hjson(text))
    return block


def test_offsets_are_counted_as_the_generator_counts_them() -> None:
    block = read((DESIGN / "data" / "pulse.hjson").read_text())
    assert [(one.name, one.kind, one.offset, one.copies) for one in block.registers] == [
        ("INTR_STATE", "register", 0, 1),
        ("INTR_ENABLE", "register", 4, 1),
        ("INTR_TEST", "register", 8, 1),
        ("CTRL", "register", 0xC, 1),
        ("STATUS", "register", 0x10, 1),
        ("LIMIT", "array", 0x14, 3),
        ("SPARE", "register", 0x40, 1),
        ("LOG", "window", 0x80, 1),
    ]
    control, status = block.registers[3:5]
    assert [(f.name, f.lsb, f.width, f.reset, f.line) for f in control.fields] == [
        ("EN", 0, 1, "0", 13),
        ("STEP", 8, 8, "0x4", 14),
    ]
    assert control.text == "Control."
    assert [(f.access, f.hardware) for f in status.fields] == [("ro", "hwo"), ("ro", "none")]


def test_fields_of_an_array_share_registers_and_unknown_numbers_end_the_count() -> None:
    packed = """{name: "a", registers: [
      {multireg: {name: "M", count: "40", fields: [{bits: "0", name: "E"}]}}
      {multireg: {name: "N", count: "Unknown", fields: [{bits: "W-1:0", name: "E"}]}}
      {name: "X", fields: []}
    ]}"""
    block = read(packed)
    assert [(one.offset, one.copies) for one in block.registers] == [(0, 2), (8, 0), (-1, 1)]
    assert (block.registers[1].fields[0].lsb, block.registers[1].fields[0].width) == (-1, 0)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("1", "a register is no object"),
        ('{swaccess: "rw"}', "a register has no name"),
        ('{skipto: "far"}', "skipto is no number"),
        ('{reserved: "0xffffffffff"},' * 9000, "beyond the largest offset"),
        ('{window: {name: "W"}}', "a window without a size"),
        ('{name: "R", fields: [1]}', "a field is no object"),
        ('{multireg: {name: "M", count: "90000", fields: [{bits: "31:0"}]}}', "more than 20000"),
    ],
)
def test_broken_registers_are_told(entry: str, words: str) -> None:
    with pytest.raises(BrokenRegistersError, match=words):
        read('{name: "a", registers: [' + entry + "]}")


def test_large_numbers_can_be_stored(tmp_path: Path) -> None:
    wide = '{name: "I", width: "999999999999999999"},' * 20
    block = read(
        '{name: "a", regwidth: "999999999999999999", interrupt_list: ['
        + wide
        + '], registers: [{name: "X"}]}'
    )
    write_registers(tmp_path, [block])
    assert read_registers(tmp_path) == [block]


def test_other_hjson_has_no_registers() -> None:
    for text in ("{}", "[]", '{name: "x"}', '{name: "x", registers: "all"}', "{registers: []}"):
        assert read_reggen("a.hjson", read_hjson(text)) == []


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("design") / "pulse"
    shutil.copytree(DESIGN, root)
    (root / "data" / "bad.hjson").write_text('{name: "bad",\n registers: [\n')
    (root / "data" / "bad.tpl.hjson").write_text('{name: "${bad}", registers: [')
    found = Project(root)
    report = found.index(embeddings=False, graphrag="never", jobs=1)
    assert [one for one in report.notes if "registers" in one] == [
        "data/bad.hjson: registers not read: line 3: the file ends inside a list"
    ]
    return found


def lines(project: Project, name: str) -> list[tuple[str, int, str, str, bool]]:
    (block,) = project.registers(name)["blocks"]
    (register,) = block["registers"]
    (field,) = register["fields"]
    return [
        (one["unit"], one["line"], one["how"], one["name"], one["whole"]) for one in field["rtl"]
    ]


def test_fields_are_linked_to_cells_and_uses(project: Project) -> None:
    assert lines(project, "pulse.CTRL.EN") == [
        ("pulse_reg_top", 7, "implements", "u_ctrl_en", False),
        ("pulse", 12, "reads", "reg2hw.ctrl.en.q", False),
    ]
    assert lines(project, "STATUS.LEVEL") == [
        ("pulse_reg_top", 10, "implements", "u_status_level", False),
        ("pulse", 14, "writes", "hw2reg.status.level.d", False),
        ("pulse", 15, "reads", "hw2reg.status.level.d", False),
    ]
    assert lines(project, "version") == [
        ("pulse_reg_top", 11, "implements", "status_version_qs", False)
    ]
    assert lines(project, "intr_enable.late") == [
        ("pulse", 19, "reads", "reg2hw.intr_enable", True)
    ]


def test_arrays_structs_of_one_register_and_single_fields_are_linked(project: Project) -> None:
    assert lines(project, "limit.limit") == [
        ("pulse_reg_top", 12, "implements", "u_limit_0", False),
        ("pulse_reg_top", 13, "implements", "u_limit_1", False),
        ("pulse", 17, "reads", "reg2hw.limit[i]", False),
        ("pulse_lane", 26, "reads", "limit.q", False),
    ]
    assert lines(project, "spare.bit") == [("pulse_reg_top", 14, "implements", "u_spare", False)]
    (block,) = project.registers("limit")["blocks"]
    assert [one["name"] for one in block["registers"][0]["rtl"]] == ["PULSE_LIMIT_0_OFFSET"]


def test_a_changed_description_is_read_again(tmp_path: Path) -> None:
    root = tmp_path / "pulse"
    shutil.copytree(DESIGN, root)
    project = Project(root)
    project.index(embeddings=False, graphrag="never", jobs=1)
    place = root / "data" / "pulse.hjson"
    place.write_text(place.read_text().replace('"EN"', '"ENABLE"'))
    project.index(embeddings=False, graphrag="never", jobs=1)
    (block,) = project.registers("ctrl")["blocks"]
    assert [one["name"] for one in block["registers"][0]["fields"]] == ["ENABLE", "STEP"]


def test_of_copies_the_nearest_counts(tmp_path: Path) -> None:
    for top in ("a", "b"):
        shutil.copytree(DESIGN, tmp_path / top)
    project = Project(tmp_path)
    project.index(embeddings=False, graphrag="never", jobs=1)
    one, other = project.registers("pulse.CTRL.EN")["blocks"]
    for block in (one, other):
        (field,) = block["registers"][0]["fields"]
        folder = block["path"].partition("/")[0]
        assert {line["path"].partition("/")[0] for line in field["rtl"]} == {folder}


def test_what_lies_by_a_copy_speaks_of_that_copy_alone(tmp_path: Path) -> None:
    for top in ("a", "b"):
        shutil.copytree(DESIGN, tmp_path / top)
    (tmp_path / "b" / "rtl" / "watch.sv").write_text(
        "module watch import pulse_reg_pkg::*; (input pulse_reg2hw_t reg2hw, output logic on);\n"
        "  assign on = reg2hw.ctrl.en.q;\nendmodule\n"
    )
    project = Project(tmp_path)
    project.index(embeddings=False, graphrag="never", jobs=1)
    units = {
        block["path"].partition("/")[0]: {
            line["unit"] for line in block["registers"][0]["fields"][0]["rtl"]
        }
        for block in project.registers("pulse.CTRL.EN")["blocks"]
    }
    assert units == {"a": {"pulse_reg_top", "pulse"}, "b": {"pulse_reg_top", "pulse", "watch"}}


def test_a_value_of_the_type_of_a_register_is_no_use_of_it(tmp_path: Path) -> None:
    shutil.copytree(DESIGN, tmp_path / "pulse")
    (tmp_path / "pulse" / "rtl" / "fixed.sv").write_text(
        "module fixed import pulse_reg_pkg::*; (output pulse_reg2hw_ctrl_reg_t other);\n"
        "  pulse_reg2hw_t own;\n"
        "  assign own.ctrl.en.q = 1'b1;\n"
        "  assign other.en.q                     = own.ctrl.en.q;\nendmodule\n"
        "module holder import pulse_reg_pkg::*; (input clk, output pulse_reg2hw_t regs);\n"
        "  always_ff @(posedge clk) regs.ctrl.en.q <= ~regs.ctrl.en.q;\nendmodule\n"
    )
    project = Project(tmp_path / "pulse")
    project.index(embeddings=False, graphrag="never", jobs=1)
    found = [one for one in lines(project, "pulse.CTRL.EN") if one[0] in ("fixed", "holder")]
    # `holder` gives out the values of the whole block: it is where they are held.
    assert found == [
        ("holder", 7, "implements", "regs.ctrl.en.q", False),
        ("fixed", 4, "reads", "own.ctrl.en.q", False),
    ]


def test_damage_is_told(tmp_path: Path) -> None:
    assert read_registers(tmp_path) == []
    write_registers(tmp_path, [RegisterBlock("a", "hjson", "a.hjson", 1)])
    assert [one.name for one in read_registers(tmp_path)] == ["a"]
    place = tmp_path / "registers" / "blocks.msgpack"
    for data in (b"", b"\x91\x91\xa1a", place.read_bytes().replace(b"\x01\x90", b"\xff\x90")):
        place.write_bytes(data)
        with pytest.raises(IndexVersionError, match="blocks"):
            read_registers(tmp_path)


def test_a_table_that_was_changed_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "pulse"
    shutil.copytree(DESIGN, root)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    (place,) = root.glob(".hdlgraph/gen-*/registers/blocks.msgpack")
    place.write_bytes(place.read_bytes().replace(b"CTRL", b"KTRL"))
    with pytest.raises(IndexDamagedError):
        Project(root).registers()
