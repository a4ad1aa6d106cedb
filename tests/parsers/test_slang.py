import pytest
from _parsing import design, record_of, unit

from hdlgraph.model import Layer, layers_of


@pytest.fixture(scope="module")
def fifo():
    return design("fifo_bus.sv")


def test_units_with_kind_parent_and_comment(fifo):
    assert [(u.kind, u.name, u.parent, u.comment) for u in fifo.units] == [
        ("interface", "word_bus", "", "Words with a valid-ready handshake."),
        ("package", "fifo_pkg", "", ""),
        ("class", "item", "fifo_pkg", ""),
        ("module", "fifo", "", "Keeps up to Depth words in order."),
    ]
    assert unit(fifo, "item").extends == "base_item"


def test_header_and_comments_have_no_licence(fifo):
    assert fifo.header.startswith("A handshake bus and a small FIFO behind it.\n\nWords")
    assert not any("Licensed" in comment.text for comment in fifo.comments)


def test_included_text_stays_out_of_the_includer(fifo):
    assert "in_header" not in {u.name for u in fifo.units}
    assert fifo.includes == (("fifo_defs.svh", 6),)


def test_ports_inherit_direction_and_type(fifo):
    ports = [(p.name, p.direction, p.type, p.comment) for p in unit(fifo, "fifo").ports]
    assert ports == [
        ("clk_i", "input", "logic", "the only clock"),
        ("rst_ni", "input", "logic", ""),
        ("in", "interface", "word_bus.sink", ""),
        ("plain", "interface", "word_bus", ""),
        ("state_o", "output", "other_pkg::st_e", ""),
        ("lanes", "input", "[3:0] [2]", ""),
        ("a", "output", "logic [Bits-1:0]", ""),
        ("b", "output", "logic [Bits-1:0]", ""),
    ]


def test_parameters(fifo):
    found = [(p.name, p.kind, p.type, p.default) for p in unit(fifo, "fifo").parameters]
    assert found == [
        ("Depth", "parameter", "int", "4"),
        ("Slow", "parameter", "bit", "1'b0"),
        ("Bits", "localparam", "int", "$clog2(Depth)"),
        ("T", "type", "type", "logic"),
    ]


def test_connections_as_written(fifo):
    stage = next(i for i in unit(fifo, "fifo").instances if i.name == "u_stage")
    assert stage.parameters == (("A", "8"), ("B", "Depth"))
    assert stage.comment == "buffers the word for one cycle"
    assert [(c.port, c.expr, c.signals) for c in stage.connections] == [
        ("clk_i", "clk_i", ("clk_i",)),
        ("d", "in.word", ("in",)),
        ("p", "", ()),
        ("q", "{level_q, lanes[Bits]}", ("level_q", "lanes")),
        ("*", "", ()),
    ]


def test_ordered_and_empty_connections(fifo):
    ordered = next(i for i in unit(fifo, "fifo").instances if i.name == "u_ordered")
    assert ordered.parameters == (("#0", "8"), ("#1", "Depth"))
    assert [(c.position, c.expr) for c in ordered.connections] == [
        (0, "clk_i"),
        (1, ""),
        (2, "level_q"),
    ]


def test_members_of_instances_are_no_signals(fifo):
    hier = next(i for i in unit(fifo, "fifo").instances if i.name == "u_hier")
    assert hier.connections[0].signals == ()


def test_generate_scopes_with_conditions(fifo):
    scopes = {
        (i.unit): [(s.label, s.condition) for s in i.scopes]
        for i in unit(fifo, "fifo").instances
        if i.name in ("u_mul", "u_case")
    }
    assert scopes == {
        "slow_mul": [("g_slow", "Slow"), ("g_lane", "for i = 0; i < Depth")],
        "fast_mul": [("g_fast", "!(Slow) && Depth > 2")],
        "no_mul": [("g_none", "!(Slow) && !(Depth > 2)")],
        "single": [("g_one", "case (Depth) 1")],
        "several": [("", "case (Depth) default")],
    }


def test_processes(fifo):
    level, copy, add = unit(fifo, "fifo").processes
    assert (level.kind, level.label, level.comment) == ("always_ff", "p_level", "level register")
    assert level.clocks == (("posedge", "clk_i"),)
    assert level.resets == ("rst_ni",)
    assert (level.reads, level.writes) == (("rst_ni", "level_d"), ("level_q",))
    assert (copy.clocks, copy.resets) == ((("posedge", "clk_i"),), ("rst_ni",))
    assert (add.kind, add.reads, add.writes) == ("assign", ("a", "lanes"), ("b",))


def test_types_modports_routines(fifo):
    types = {t.name: (t.kind, t.members, t.comment) for t in unit(fifo, "fifo_pkg").types}
    assert types == {
        "level_e": ("enum", ("Empty", "Filling", "Full"), "What the controller does next."),
        "pointers_t": ("struct", ("valid", "wr", "rd"), ""),
    }
    assert [(m.name, m.ports) for m in unit(fifo, "word_bus").modports] == [
        (
            "source",
            (("output", "word"), ("output", "valid"), ("input", "ready"), ("import", "send")),
        ),
        ("sink", (("input", "word"), ("input", "valid"), ("output", "ready"))),
    ]
    assert [(r.name, r.kind) for r in unit(fifo, "item").routines] == [
        ("show", "function"),
        ("play", "task"),
    ]


def test_assertions_with_sequences(fifo):
    names = {a.name: a.kind for a in unit(fifo, "fifo").assertions}
    assert names["TakenOnce"] == "assert"
    assert fifo.messages[-1].text == "a word was offered but never taken"
    assert not [d for d in fifo.diagnostics if d.severity == "error"]


def test_imports_factory_and_bind(fifo):
    fifo_unit = unit(fifo, "fifo")
    assert [name for name, _ in fifo_unit.imports] == ["fifo_pkg", "other_pkg", "unknown_pkg"]
    assert [name for name, _ in fifo_unit.factory] == ["item"]
    assert [(b.target, b.unit, b.name) for b in fifo.binds] == [
        ("stage", "stage_checks", "u_checks")
    ]
    assert "stage_checks" not in {i.unit for i in fifo_unit.instances}


def test_both_ifdef_branches_are_seen(fifo):
    found = {i.unit: i for i in unit(fifo, "fifo").instances}
    assert found["silence"].scopes[0].condition == "!FIFO_TRACE"
    assert found["tracer"].scopes[0].condition == "FIFO_TRACE"
    assert layers_of(found["tracer"].witnesses) == (Layer.SLANG, Layer.TREE_SITTER, Layer.REGEX)
    assert found["tracer"].confidence == found["silence"].confidence


def test_include_resolves_macros_from_a_folder_far_away(tmp_path):
    record = record_of(
        tmp_path,
        '`include "defs.svh"\nmodule top; `MAKE(u_a) endmodule\n',
        "rtl/top.sv",
        {"inc/defs.svh": "`define MAKE(n) leaf n (.clk(c));\n"},
    )
    (instance,) = record.units[0].instances
    assert (instance.unit, instance.name, instance.line) == ("leaf", "u_a", 2)


@pytest.mark.parametrize(
    "body",
    [
        '`uvm_info("id", $sformatf("x %0d", 3), UVM_LOW)\n leaf u_a ();',
        "logic [`WIDTH-1:0] x;\n leaf u_a ();",
        "leaf #(.A(32'h`ADDR)) u_a (.p(`VALUE));",
        'initial if (1) `FATAL("no") else `INFO("yes")\n leaf u_a ();',
        "always_comb case (x) 1: `DO(x) default: `DO(y) endcase\n leaf u_a ();",
        "always_comb case (x) `ONE, `TWO: y = 1; endcase\n leaf u_a ();",
        "localparam int P = Q ? 1 : `LOG(Q)-2;\n leaf u_a ();",
        "logic [`RANGE] x;\n leaf u_a ();",
        "`REGISTER(a, b)\n `REGISTER(c, d)\n leaf u_a ();",
    ],
)
def test_unknown_macros_do_not_hide_what_follows(tmp_path, body):
    record = record_of(tmp_path, f"module top;\n{body}\nendmodule\n")
    assert [i.name for i in record.units[0].instances] == ["u_a"]
    assert not [d for d in record.diagnostics if d.severity == "error"]


def test_non_ascii_text_keeps_lines_and_names(tmp_path):
    record = record_of(
        tmp_path, "// Größe € 木\nmodule top; // ä\n  leaf u_ä1 ();\n  leaf u_b ();\nendmodule\n"
    )
    assert ("u_b", 4) in [(i.name, i.line) for i in record.units[0].instances]
    assert record.header == "Größe € 木"


def test_a_file_outside_of_the_root_is_never_read(tmp_path):
    (tmp_path / "secret.svh").write_text("`define SECRET leaf u_secret ();\n")
    text = (
        f'`include "{tmp_path}/secret.svh"\n`include "../secret.svh"\n'
        f'`define P "{tmp_path}/secret.svh"\n`include `P\n'
        "module top; `SECRET endmodule\n"
    )
    record = record_of(tmp_path / "root", text)
    assert record.units[0].instances == ()


def test_one_driver_of_macro_does_not_leak_into_next_file(tmp_path):
    from hdlgraph.index.parse.one_file import Extractor
    from hdlgraph.parsers.includes import IncludeIndex

    (tmp_path / "a.sv").write_text("`define X leaf u_x ();\nmodule a; `X endmodule\n")
    (tmp_path / "b.sv").write_text("module b; `X endmodule\n")
    extractor = Extractor(tmp_path, IncludeIndex(["a.sv", "b.sv"]))
    assert extractor.extract("a.sv", "", "rtl").units[0].instances
    assert not extractor.extract("b.sv", "", "rtl").units[0].instances
