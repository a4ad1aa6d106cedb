from _parsing import design

from hdlgraph.parsers.text.inventory import take_inventory
from hdlgraph.parsers.treesitter.units import read_tree_record


def test_tree_alone_reads_most_facts():
    record = design("fifo_bus.sv", level="tree-sitter", reason="asked")
    fifo = next(u for u in record.units if u.name == "fifo")
    stage = next(i for i in fifo.instances if i.name == "u_stage")
    assert stage.parameters == (("A", "8"), ("B", "Depth"))
    assert [(c.port, c.expr) for c in stage.connections] == [
        ("clk_i", "clk_i"),
        ("d", "in.word"),
        ("p", ""),
        ("q", "{level_q, lanes[Bits]}"),
        ("*", ""),
    ]
    assert [(p.name, p.direction) for p in fifo.ports][:4] == [
        ("clk_i", "input"),
        ("rst_ni", "input"),
        ("in", "interface"),
        ("plain", "interface"),
    ]
    scopes = {i.unit: [s.condition for s in i.scopes] for i in fifo.instances}
    assert scopes["slow_mul"] == ["Slow", "for i = 0; i < Depth"]
    level = next(p for p in fifo.processes if p.label == "p_level")
    assert (level.clocks, level.writes) == ((("posedge", "clk_i"),), ("level_q",))
    assert [(b.target, b.name) for b in record.binds] == [("stage", "u_checks")]
    package = next(u for u in record.units if u.name == "fifo_pkg")
    assert [(t.name, t.members) for t in package.types] == [
        ("level_e", ("Empty", "Filling", "Full")),
        ("pointers_t", ("valid", "wr", "rd")),
    ]


def test_non_ansi_ports():
    text = b"module m (a, b);\n  input [3:0] a;\n  output b;\nendmodule\n"
    record = read_tree_record(take_inventory("m.v", text)).record
    assert [(p.name, p.direction, p.type) for p in record.units[0].ports] == [
        ("a", "input", "[3:0]"),
        ("b", "output", ""),
    ]


def test_lines_are_right_behind_non_ascii_text():
    text = "// ä\nmodule m;\n  leaf u_é ();\n  leaf u_b ();\nendmodule\n".encode()
    record = read_tree_record(take_inventory("m.sv", text)).record
    assert [i.line for i in record.units[0].instances if i.name == "u_b"] == [4]
