"""What is read out of the text of verification code."""

from __future__ import annotations

import pytest

from hdlgraph.index.verification.foreign import functions, programs
from hdlgraph.index.verification.scan import scan
from hdlgraph.index.verification.statements import key_of
from hdlgraph.store.design.verification import Act, CodeFile


def read(text: str) -> CodeFile:
    return scan(text.encode())


def acts(body: str, kind: str = "") -> list[Act]:
    found = read(
        f"class c extends uvm_env;\n  function void f();\n{body}\n  endfunction\nendclass\n"
    )
    return [act for act in found.acts if not kind or act.kind == kind]


def test_a_class_with_its_parameters_bases_and_variables():
    (one,) = read(
        "class my_env #(type CFG_T = base_cfg, int N = 2) extends base #(.CFG_T(CFG_T), .X(3));\n"
        "  `uvm_component_param_utils(my_env #(CFG_T, N))\n"
        "  CFG_T cfg;\n"
        "  rand my_agent #(.W(8)) a, b[2];\n"
        "  local static virtual my_if vif;\n"
        "  constraint c_c { x inside {[1:2]}; }\n"
        "  function new(string name); int inner; endfunction\n"
        "  typedef my_agent #(4) small_t;\n"
        "  covergroup g; coverpoint x; endgroup\n"
        "endclass : my_env\n"
    ).classes
    assert (one.name, one.line, one.end_line) == ("my_env", 1, 10)
    assert one.parameters == (("CFG_T", "base_cfg"), ("N", "2"))
    assert one.extends == "base #(.CFG_T(CFG_T), .X(3))"
    assert [(m.name, m.type, m.line, m.many) for m in one.members] == [
        ("cfg", "CFG_T", 3, False),
        ("a", "my_agent #(.W(8))", 4, False),
        ("b", "my_agent #(.W(8))", 4, True),
        ("vif", "my_if", 5, False),
    ]
    assert one.aliases == (("small_t", "my_agent #(4)"),)


def test_a_typedef_and_a_macro_of_a_class_are_no_class():
    assert read("typedef class later;\n`define X class x_``N``_c; endclass\n").classes == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a = T::type_id::create("a", this);', ("a", "T", "a")),
        ('a[i] = p::T #(.W(8))::type_id::create($sformatf("a%0d", i), this);', None),
        ('T a = T :: type_id ::\n create("a");', ("a", "T", "a")),
        ('$cast(a, T::type_id::create("b"))', ("a", "T", "b")),
        ('return T::type_id::create("x");', ("", "T", "x")),
        ('a <= T::type_id::create("x");', ("", "T", "x")),
    ],
)
def test_creation_by_the_factory(text: str, expected: tuple[str, str, str] | None):
    (act,) = acts(text, "create")
    assert (act.left, act.right, act.detail) == (expected or ("a[i]", "p::T #(.W(8))", "a*"))
    assert (act.owner, act.routine) == ("c", "f")


def test_comments_and_strings_do_nothing():
    text = '// a = T::type_id::create("a");\n/* a.connect(b); */ $display("x.start(y)");'
    assert acts(text) == []


@pytest.mark.parametrize(
    ("text", "left", "right", "detail"),
    [
        ("A::type_id::set_type_override(B::get_type());", "A", "B", ""),
        ('A::type_id::set_inst_override(B::get_type(), "e.*");', "A", "B", "e.*"),
        ("set_type_override_by_type(A::get_type(), B::get_type(), 1);", "A", "B", ""),
        ("set_type_override_by_type(.x(1), .y(2));", ".x(1)", ".y(2)", ""),
        ('set_inst_override_by_type("e.a", A::get_type(), B::get_type());', "A", "B", "e.a"),
        ('set_type_override_by_name("A", "B");', "A", "B", ""),
        ('factory.set_inst_override_by_name("A", "B", "e.a");', "A", "B", "e.a"),
    ],
)
def test_overrides_of_the_factory(text: str, left: str, right: str, detail: str):
    (act,) = acts(text, "override")
    assert (act.left, act.right, act.detail) == (left, right, detail)


def test_ports_are_connected():
    text = "a.m[i].port.connect(\n  s.fifo.analysis_export);\n a.p.connect(.provider(b.e));"
    found = [(act.left, act.right, act.line) for act in acts(text, "connect")]
    assert found == [("a.m[i].port", "s.fifo.analysis_export", 3), ("a.p", "b.e", 5)]


def test_sequences_are_started():
    text = (
        "my_seq s;\n s.start(p_sequencer.x);\n `uvm_do_on_with(t, q, {a == 1;})\n `uvm_do(item)\n"
        ' uvm_config_db#(uvm_object_wrapper)::set(this, "a.b", "default_sequence", z::get_type());'
    )
    found = [(act.left, act.right, act.detail, act.local) for act in acts(text, "start")]
    assert found == [
        ("s", "p_sequencer.x", "", "my_seq"),
        ("t", "q", "", ""),
        ("item", "", "", ""),
        ("z", "", "a.b", ""),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'uvm_config_db#(virtual i #(A, B))::set(null, "*.e", "k", x);',
            ("set", "k", "virtual i #(A, B)", "*.e", "x"),
        ),
        ('uvm_config_db #(int) ::get(this, "", "k", v);', ("get", "k", "int", "", "v")),
        ('uvm_resource_db#(bit)::set("s", "k", 1);', ("set", "k", "bit", "s", "1")),
        ('uvm_resource_db#(bit)::read_by_name("s", "k", v);', ("get", "k", "bit", "s", "v")),
        ('uvm_config_int::set(this, "a", "k", 3);', ("set", "k", "uvm_bitstream_t", "a", "3")),
        ('set_config_int("a", "k", 3);', ("set", "k", "uvm_bitstream_t", "a", "3")),
        ('get_config_object("k", o);', ("get", "k", "uvm_object", "", "o")),
    ],
)
def test_keys_of_the_configuration_database(text: str, expected: tuple[str, ...]):
    (act,) = acts(text)
    assert (act.kind, act.left, act.right, act.detail, act.local) == expected


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('"a_b"', "a_b"),
        ('$sformatf("a_%0d_b", i)', "a_*_b"),
        ('{"a_", name, "_b"}', "a_*_b"),
        ("name", "*"),
    ],
)
def test_keys_that_are_partly_known(text: str, key: str):
    assert key_of(text) == key


def test_a_routine_outside_of_its_class():
    found = read("function void c::build();\n x = T::type_id::create();\nendfunction\n")
    assert [(act.owner, act.routine) for act in found.acts] == [("c", "build")]


def test_imports_and_exports_of_dpi():
    text = (
        'import "DPI-C" function int f(input int a);\nimport "DPI-C"\n  context c_g = task g();\n'
        'export "DPI-C" function h;\nimport p::*;\nmodule m; endmodule\n'
    )
    found = [(act.kind, act.left, act.right, act.line) for act in read(text).acts]
    assert found == [("import", "f", "f", 1), ("import", "g", "c_g", 2), ("export", "h", "h", 4)]


def test_functions_of_c_are_bodies_or_declarations_and_no_calls():
    text = (
        '// int f(int a) {\nconst char *s = "int f(int a) {";\nint f(int a);\n'
        "unsigned char *g(void) const\n{\n  return f(1);\n}\nvoid h() { if (f(2)) f(3); }\n"
        'extern "C" int f(int a) {\n  return 0;\n}\n'
    )
    found = functions("a.c", text.encode(), {"f", "g", "k"})
    assert [(one.name, one.line, one.is_body) for one in found] == [("g", 4, True), ("f", 9, True)]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.cc", '#include "Vtop.h"\n#include "Vtop__Dpi.h"\n', [("verilator", "top", 1, "")]),
        ("Makefile", "TOPLEVEL := top\nMODULE=t\n# cocotb\n", [("cocotb", "top", 1, "t")]),
        ("Makefile", "TOPLEVEL = top\n", []),
        ("t.py", "import cocotb\nrunner.build(hdl_toplevel='top')\n", [("cocotb", "top", 2, "")]),
        (
            "a.core",
            "CAPI=2:\ntargets:\n  sim:\n    toplevel: [tb]\n  lint:\n    toplevel: top\n",
            [("core", "tb", 4, "sim")],
        ),
    ],
)
def test_programs_that_exercise_a_unit(
    path: str, text: str, expected: list[tuple[str, str, int, str]]
):
    found = [(one.kind, one.unit, one.line, one.name) for one in programs(path, text)]
    assert found == expected


@pytest.mark.parametrize(
    "text",
    [
        "class a; " + "x = (" * 3000,
        "class a extends b #(" + "(" * 3000,
        "class a;\n" + "T::type_id::create(" * 2000,
        "class a;\n" + "a.b[" * 5000 + ".connect(x)",
        "class " * 5000,
        "uvm_config_db#(" * 3000,
        "constraint c {" * 3000 + "class a; endclass",
        "class a; constraint c {" * 1500,
        "function void " * 5000 + "class a;",
        "typedef " * 8000 + "class a;",
        "`m(" * 3000 + " class a; endclass",
        "class a; `m(" * 2000,
    ],
)
def test_broken_text_takes_no_long_time(text: str):
    import time

    begun = time.process_time()
    read(text)
    functions("a.c", text.encode(), {"create"})
    assert time.process_time() - begun < 2
