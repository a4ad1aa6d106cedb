"""IP-XACT components are read without entities, and linked to signals of their names."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hdlgraph.index.registers.ipxact import read_ipxact
from hdlgraph.index.registers.xml_tree import XmlError
from hdlgraph.project import Project
from hdlgraph.store.design.registers import read_registers, write_registers

DESIGN = Path(__file__).parent.parent / "designs" / "registers" / "fan"
DATA = (DESIGN / "fan.ipxact").read_bytes()
HEAD = b'<component xmlns="http://www.accellera.org/XMLSchema/IPXACT/1685-2014">'


def test_registers_and_fields() -> None:
    (block,) = read_ipxact("fan.ipxact", DATA)
    assert (block.name, block.format, block.path, block.line) == ("fan", "ip-xact", "fan.ipxact", 3)
    speed, angle = block.registers
    assert (speed.name, speed.kind, speed.offset, speed.size, speed.access, speed.line) == (
        "SPEED", "register", 0x104, 4, "rw", 11)  # fmt: skip
    assert speed.text == "How fast"
    assert [(f.name, f.lsb, f.width, f.access, f.reset, f.line) for f in speed.fields] == [
        ("RPM", 0, 12, "rw", "'h20", 17),
        ("STUCK", 31, 1, "ro clear", "", 23),
    ]
    assert (angle.name, angle.kind, angle.offset, angle.copies, angle.size) == (
        "BLADE.ANGLE", "array", 0x118, 3, 0)  # fmt: skip


def test_the_former_form_and_a_value_of_the_whole_register() -> None:
    text = DATA.replace(b"ipxact:", b"spirit:").replace(b":ipxact=", b":spirit=")
    text = text.replace(b"www.accellera.org/XMLSchema", b"www.spiritconsortium.org/XMLSchema")
    whole = b"<spirit:reset><spirit:value>0x80000007</spirit:value></spirit:reset>"
    text = text.replace(b"<spirit:size>32", whole + b"<spirit:size>32")
    (block,) = read_ipxact("fan.xml", text)
    assert [field.reset for field in block.registers[0].fields] == ["'h20", "0x1"]


def test_an_offset_beyond_the_largest_is_unknown(tmp_path: Path) -> None:
    blocks = read_ipxact("fan.ipxact", DATA.replace(b"'h100", b"'hFFFFFFFFFFFFFFFF"))
    write_registers(tmp_path, blocks)
    assert [one.offset for one in blocks[0].registers] == [-1, -1]
    assert read_registers(tmp_path) == blocks


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'<!DOCTYPE a [<!ENTITY b "c">]>' + HEAD, "document types and entities are not read"),
        (b'<!DOCTYPE a SYSTEM "file:///etc/passwd">' + HEAD, "document types"),
        (HEAD + b"\n<name>", "line 2: no element found"),
        (HEAD + b"<a>" * 100, "60 inside each other"),
        (HEAD + b"<a/>" * 200_001, "more than 200000 elements"),
        (b'<?xml version="1.0" encoding="x-none"?>' + HEAD, "unknown encoding"),
    ],
)
def test_broken_files_are_refused(data: bytes, words: str) -> None:
    with pytest.raises(XmlError, match=words):
        read_ipxact("a.ipxact", data)


def test_other_xml_has_no_registers() -> None:
    for data in (
        b"",
        b"<a>",
        b'<b xmlns="http://www.accellera.org/XMLSchema/x"/>',
        HEAD + b"</component>",
    ):
        assert read_ipxact("component.xml", data) == []


def test_fields_are_linked_to_signals_of_their_names(tmp_path: Path) -> None:
    root = tmp_path / "fan"
    shutil.copytree(DESIGN, root)
    (root / "component.xml").write_bytes(HEAD + b"<name>")
    project = Project(root)
    report = project.index(embeddings=False, graphrag="never", jobs=1)
    assert [one for one in report.notes if "registers" in one] == [
        "component.xml: registers not read: line 1: no element found"
    ]
    (block,) = project.registers("fan")["blocks"]
    speed, angle = block["registers"]
    names = [[line["name"] for line in field["rtl"]] for field in speed["fields"]]
    assert names == [["speed_rpm_o", "reg_speed_rpm"], ["speed_stuck_i"]]
    assert [line["name"] for line in angle["rtl"]] == ["blade_angle_q"]
