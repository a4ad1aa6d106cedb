"""SystemRDL files are read without running anything of theirs, and linked to RTL."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from hdlgraph.index.registers import rdl, write
from hdlgraph.index.registers.rdl import RdlError, read_rdl
from hdlgraph.project import Project

DESIGN = Path(__file__).parent.parent / "designs" / "registers" / "lamp"
TEXT = (DESIGN / "lamp.rdl").read_text()

pytestmark = pytest.mark.skipif(not rdl.is_installed(), reason="needs hdlgraph[registers]")


def test_registers_and_fields() -> None:
    (block,) = read_rdl("lamp.rdl", TEXT)
    assert (block.name, block.format, block.path, block.line) == (
        "lamp", "systemrdl", "lamp.rdl", 7)  # fmt: skip
    assert [(r.name, r.kind, r.offset, r.copies, r.size, r.line) for r in block.registers] == [
        ("CTRL", "register", 0, 1, 4, 14),
        ("LANE.duty", "array", 0x10, 4, 4, 5),
        ("LOG", "window", 0x100, 1, 64, 16),
    ]
    assert block.registers[0].text == "Control"
    assert [(f.name, f.lsb, f.width, f.access, f.hardware, f.reset, f.line)
            for f in block.registers[0].fields] == [
        ("on", 0, 1, "rw", "r", "0x0", 10),
        ("hot", 4, 1, "r", "w", "", 11),
        ("seen", 5, 1, "rw woclr", "rw", "0x0", 12),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("addrmap a {\n reg x y;\n};", "line 2: "),
        ("addrmap a { <% system('touch x'); %> };", "has Perl in it, which is not run"),
        ('/* a */\n`include "/etc/hostname"\n', "line 2: includes another file"),
        # Of memory or of time, whichever is used up first.
        (
            "addrmap a { reg { field {} b[2 ** (2 ** 40)]; } c; };",
            ("its process was ended", "takes more than"),
        ),
        ("(" * 500, "line 1: "),
    ],
)
def test_what_is_broken_or_unsafe_is_refused(text: str, words: str | tuple[str, ...]) -> None:
    began = time.monotonic()
    with pytest.raises(RdlError) as raised:
        read_rdl("a.rdl", text, seconds=2)
    assert str(raised.value).startswith(words)
    assert time.monotonic() - began < 10


def test_the_process_opens_no_file_and_starts_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where Perl and includes got as far as the compiler."""
    monkeypatch.setattr(rdl, "_INCLUDE", rdl.re.compile("(?!)"))
    monkeypatch.setattr(rdl, "_PERL", "\0")
    with pytest.raises(RdlError, match="opens no file"):
        read_rdl("a.rdl", f'`include "{Path(__file__)}"\naddrmap a {{}};')
    with pytest.raises(RdlError, match=r"Too many open files|Perl|perl"):
        read_rdl("a.rdl", "addrmap a { <% print 'reg {} r;'; %> };")


def test_text_without_an_address_map_has_no_registers() -> None:
    assert read_rdl("a.rdl", "") == []
    assert read_rdl("a.rdl", "// `include in a comment\nreg one { field {} a; };") == []


def test_fields_are_linked_to_the_structs_of_the_generated_module(tmp_path: Path) -> None:
    root = tmp_path / "lamp"
    shutil.copytree(DESIGN, root)
    (root / "bad.rdl").write_text("addrmap {")
    project = Project(root)
    report = project.index(embeddings=False, graphrag="never", jobs=1)
    assert [one.partition(": line")[0] for one in report.notes if "registers" in one] == [
        "bad.rdl: registers not read"
    ]
    found = {
        f"{register['name']}.{field['name']}": [
            (one["unit"], one["line"], one["how"]) for one in field["rtl"]
        ]
        for register in project.registers("lamp")["blocks"][0]["registers"]
        for field in register["fields"]
    }
    assert found == {
        "CTRL.on": [
            ("lamp", 9, "implements"),
            ("lamp", 10, "implements"),
            ("lamp", 10, "implements"),
        ],
        "CTRL.hot": [("lamp_core", 17, "writes")],
        "CTRL.seen": [],
        "LANE.duty.amount": [("lamp_core", 19, "reads")],
    }
    assert project.registers("lane.duty.amount")["blocks"][0]["n_linked"] == 1


def test_without_the_compiler_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.rdl", "b.rdl"):
        (tmp_path / name).write_text(TEXT)
    monkeypatch.setattr(write, "is_installed", lambda: False)
    assert write.read_blocks(tmp_path, ["a.rdl", "b.rdl"]) == (
        [],
        ["2 SystemRDL files: registers not read; install `hdlgraph[registers]` for them"],
    )
