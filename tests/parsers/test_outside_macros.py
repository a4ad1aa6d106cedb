"""Macros that a file uses and does not include: which it may take, and what it reads then."""

from pathlib import Path

from _parsing import unit

from hdlgraph.index.parse.one_file import Extractor
from hdlgraph.model import FileRecord
from hdlgraph.parsers.includes import IncludeIndex
from hdlgraph.parsers.macros.scan import scan_macros
from hdlgraph.parsers.macros.table import MacroTable

DEFINES = """
`define WIDTH 8
`define KEEP(name, w = `WIDTH) \\
  logic [w-1:0] name``_d, name``_q; \\
  keeper #(.W(w)) name``_reg (.clk_i, .d_i(name``_d), .q_o(name``_q));
`define BUS_PORTS input logic req_i, output logic gnt_o
`define CELL fast_cell
// `define GONE u_gone g ();
"""
TOP = """module top (input clk_i, `BUS_PORTS, input [`WIDTH-1:0] a_i);
  `KEEP(count)
  `CELL u_cell (.clk_i);
  assign count_d = a_i;
  `GONE
endmodule
"""


def borrowed(files: dict[str, str], path: str, headers: tuple[str, ...] = ()) -> dict[str, str]:
    table = MacroTable({name: scan_macros(text.encode()) for name, text in files.items()})
    if not table.wanted(path):
        return {}
    return {one.name: one.path for one in table.borrowed(path, headers)}


def read(folder: Path, files: dict[str, str], path: str) -> FileRecord:
    for name, text in files.items():
        (folder / name).write_text(text)
    table = MacroTable({name: scan_macros(text.encode()) for name, text in files.items()})
    lent = {path: table.borrowed(path, ())}
    return Extractor(folder, IncludeIndex(files), borrowed=lent).extract(path, "", "rtl")


def test_instances_ports_and_signals_of_macros_of_other_files_are_read(tmp_path):
    record = read(tmp_path, {"defs.svh": DEFINES, "top.sv": TOP}, "top.sv")
    top = unit(record, "top")
    found = {one.name: (one.unit, one.line) for one in top.instances}
    assert found == {"count_reg": ("keeper", 2), "u_cell": ("fast_cell", 3)}
    ports = [one.port for one in top.instances[0].connections]
    assert ports == ["clk_i", "d_i", "q_o"]
    assert [one.name for one in top.ports] == ["clk_i", "req_i", "gnt_o", "a_i"]
    assert {"count_d", "count_q"} <= {one.name for one in top.signals}
    names = {"BUS_PORTS", "CELL", "KEEP", "WIDTH"}
    assert dict(record.borrowed) == dict.fromkeys(names, "defs.svh")


def test_macros_are_taken_only_where_they_stand_for_more_than_a_value(tmp_path):
    text = "module top;\n  wire [`WIDTH-1:0] a = `CELL;\nendmodule\n"
    record = read(tmp_path, {"defs.svh": DEFINES, "top.sv": text}, "top.sv")
    assert record.borrowed == ()


def test_macros_that_files_define_in_two_ways_are_not_taken():
    files = {"defs.svh": DEFINES, "top.sv": TOP}
    taken = {"BUS_PORTS", "CELL", "KEEP", "WIDTH"}
    assert set(borrowed(files, "top.sv")) == taken
    same = {**files, "copy/defs.svh": DEFINES.replace("\\\n  ", "\\\n      ")}
    assert set(borrowed(same, "top.sv")) == taken
    other = {**files, "b.svh": "`define CELL slow_cell\n"}
    assert set(borrowed(other, "top.sv")) == taken - {"CELL"}
    gone = {**files, "b.sv": "`undef CELL\n"}
    assert set(borrowed(gone, "top.sv")) == taken - {"CELL"}
    asked = {**files, "top.sv": TOP + "`ifdef CELL\n`endif\n"}
    assert set(borrowed(asked, "top.sv")) == taken - {"CELL"}
    # What a macro needs must be known too: WIDTH is not.
    needed = {**files, "b.svh": "`define WIDTH 16\n"}
    assert set(borrowed(needed, "top.sv")) == {"BUS_PORTS", "CELL"}


def test_what_a_file_includes_is_not_taken_from_others():
    files = {"defs.svh": DEFINES, "top.sv": TOP}
    assert borrowed(files, "top.sv", ("defs.svh",)) == {}
    part = {"defs.svh": DEFINES, "mine.svh": "`define CELL mine\n", "top.sv": TOP}
    assert borrowed(part, "top.sv", ("mine.svh",)).keys() == {"BUS_PORTS", "KEEP", "WIDTH"}


def test_fragments_and_classes_take_no_macros():
    files = {"defs.svh": DEFINES, "c.svh": "class c;\n  `KEEP(x)\nendclass\n"}
    assert borrowed(files, "c.svh") == {}


def test_circles_of_macros_end():
    text = "`define A `B x;\n`define B `A y;\n"
    assert set(borrowed({"d.svh": text, "t.sv": "module t;\n`A\nendmodule\n"}, "t.sv")) == {
        "A",
        "B",
    }


def test_macros_whose_names_are_pasted_come_along(tmp_path):
    defines = (
        "`define get_a_bits(x) (x)\n"
        "`define COPY(name) \\\n"
        "  assign name``_q = `get_``name``_bits(name``_d); /* more \\\n  */ \\\n  // Nothing.\n"
    )
    text = "module top (input a_d, output a_q);\n  `COPY(a)\nendmodule\n"
    record = read(tmp_path, {"defs.svh": defines, "top.sv": text}, "top.sv")
    assert [name for name, _ in record.borrowed] == ["COPY", "get_a_bits"]
    assert record.diagnostics == ()
