"""Linking: what is connected to what, with which certainty."""

import hypothesis.strategies as st
import pytest
from _graphs import design_graph, design_records, edges, module, record
from hypothesis import given, settings

from hdlgraph.index.link.link import link
from hdlgraph.index.link.ranked import distance
from hdlgraph.model import Bind, Connection, Explanation, Instance, Macro, Unit


def connections(instance_line_text: str) -> list[tuple[str, str, str]]:
    return [e for e in edges(design_graph(), "CONNECTS") if e[1].startswith(instance_line_text)]


def test_ordered_ports_are_connected_by_position():
    found = set(connections("link_cell."))
    assert found == {
        ("link_top.clk_i", "link_cell.clk", "clk_i"),
        ("link_top.stage", "link_cell.q", "stage"),
        ("link_top.data_o", "link_cell.d", "data_o"),
    }


def test_ordered_parameter_is_an_override():
    assert ("link_top.u_ordered", "link_cell.W", "Width") in edges(design_graph(), "PARAMETERIZES")


def test_star_connects_only_names_that_both_have():
    graph = design_graph()
    implicit = [
        e
        for e in graph.edges
        if e.kind == "CONNECTS"
        and e.confidence == pytest.approx(0.9 * 0.95, abs=0.1)
        and e.text == "rst_ni"
    ]
    assert implicit
    star = [e for e in edges(graph, "CONNECTS") if e[1] == "link_stage.data_i"]
    assert ("link_top.data_i", "link_stage.data_i", "data_i") in star
    assert ("link_top.data_i", "link_stage.data_i", "{data_i[Width-1:1], 1'b0}") in star


def test_unconnected_port_has_no_edge():
    assert [e for e in edges(design_graph(), "CONNECTS") if e[1] == "link_stage.valid_o"] == []


def test_interface_member_is_no_signal_of_the_parent():
    flag = [e for e in edges(design_graph(), "CONNECTS") if e[1] == "link_user.flag_i"]
    assert ("link_top.i0", "link_user.flag_i", "i0.s") in flag
    assert not [e for e in flag if e[0] == "link_top.s"]
    assert ("link_top.i0", "link_user.bus", "i0") in edges(design_graph(), "CONNECTS")


def test_constant_is_connected_from_the_instance():
    assert ("link_top.u_user", "link_user.tie_i", "1'b1") in edges(design_graph(), "CONNECTS")


def test_generate_and_ifdef_variants_stay_named_alternatives():
    nodes = {node.name: node for node in design_graph().nodes if node.kind == "instance"}
    assert "Fast" in nodes["link_top.gen_fast.u_stage"].detail
    assert nodes["link_top.gen_slow.u_stage"].detail.startswith("gen_slow: ")
    assert "LINK_TRACE" in nodes["link_top.u_trace"].detail
    assert "LINK_TRACE" in nodes["link_top.u_count"].detail


def test_modports_are_nodes():
    names = {node.name: node.detail for node in design_graph().nodes if node.kind == "type"}
    assert names["link_if.user"] == "modport (input s)"


def test_definitions_in_several_files_stay_candidates():
    found = [
        edge
        for edge in design_graph().edges
        if edge.kind == "INSTANTIATES" and edge.target.endswith("#link_cell")
    ]
    assert {edge.resolved for edge in found} == {"candidate"}
    assert {edge.target for edge in found} == {
        "module:lib/generic/link_cell.sv#link_cell",
        "module:lib/vendor/link_cell.sv#link_cell",
    }
    assert all(0 < edge.confidence < 0.6 for edge in found)


def test_nearest_candidate_is_the_surest():
    graph = link(
        [
            record("a/rtl/top.sv", module("top", "cell")),
            record("a/lib/x/cell.sv", module("cell")),
            record("b/cell.sv", module("cell")),
            record("a/dv/cell.sv", module("cell"), role="testbench"),
        ]
    )
    sure = {
        e.target: e.confidence
        for e in graph.edges
        if e.kind == "INSTANTIATES" and e.source == "module:a/rtl/top.sv#top"
    }
    order = sorted(sure, key=sure.__getitem__, reverse=True)
    assert [target.split(":")[1].split("#")[0] for target in order] == [
        "a/lib/x/cell.sv",
        "a/dv/cell.sv",
        "b/cell.sv",
    ]
    assert sum(sure.values()) == pytest.approx(1, abs=0.01)


def test_own_definition_of_a_file_leaves_no_choice():
    both = [record(f"{name}.v", module("top", "leaf"), module("leaf", line=9)) for name in "ab"]
    made = [e for e in link(both).edges if e.kind == "INSTANTIATES"]
    assert len(made) == 4
    assert all(e.resolved == "unique" and e.target.startswith(f"module:{e.path}#") for e in made)


def test_candidate_that_lacks_a_port_comes_last():
    graph = link(
        [
            record("top.sv", module("top", "cell", ports="clk")),
            record("cell.sv", module("cell", ports="ck")),
            record("far/away/cell.sv", module("cell", ports="clk")),
        ]
    )
    assert edges(graph, "CONNECTS") == [("top.clk", "cell.clk", "clk")]
    near = [
        e for e in graph.edges if e.target == "module:cell.sv#cell" and e.kind == "INSTANTIATES"
    ]
    assert {e.confidence for e in near} == {0.01}


def test_undefined_module_is_external_and_listed():
    graph = design_graph()
    found = [e for e in graph.edges if e.target == "module:#VENDOR_PLL"]
    assert {(e.resolved, e.confidence) for e in found} == {("external", 0.3)}
    missing = {(one.kind, one.name) for one in graph.unresolved}
    assert ("module", "VENDOR_PLL") in missing
    assert ("class", "vendor_object") in missing
    assert ("module", "and") not in missing


def test_wrapper_of_a_library_cell_is_a_weak_candidate():
    graph = link(
        [
            record("top.sv", module("top", "prim_flop", ports="clk d")),
            record("lib/f.sv", module("prim_generic_flop", ports="clk d q")),
            record("lib/b.sv", module("prim_generic_flop_en", ports="clk d")),
            record("lib/c.sv", module("prim_other_flop", ports="ck")),
        ]
    )
    weak = [e for e in graph.edges if e.resolved == "candidate" and e.kind == "INSTANTIATES"]
    assert {e.target for e in weak} == {"module:lib/f.sv#prim_generic_flop"}
    assert all(e.confidence <= 0.2 for e in weak)
    assert [one.name for one in graph.unresolved] == ["prim_flop"]


def test_bind_belongs_to_its_target_only():
    graph = design_graph()
    binds = {(source, target) for source, target, _ in edges(graph, "BINDS")}
    assert ("link_stage", "link_checks") in binds
    assert ("link_stage", "dv/link_tb.sv") in binds
    assert ("dv/link_tb.sv", "link_checks") in binds
    assert ("link_user", "link_count") in binds, "a target by its instances: dut.u_user"
    assert not [pair for pair in binds if pair[0] == "link_tb"]
    made = [target for source, target, _ in edges(graph, "INSTANTIATES") if source == "link_tb"]
    assert made == ["link_top"]
    assert ("link_stage.data_i", "link_checks.data", "data_i") in edges(graph, "CONNECTS")


def test_bind_to_nothing_is_listed():
    bound = record("b.sv", module("checks"), binds=(Bind("nowhere", "checks", "u_c", 3),))
    graph = link([bound])
    assert [(one.kind, one.name, one.line) for one in graph.unresolved] == [
        ("module", "nowhere", 3)
    ]


def test_class_included_by_a_package_is_one_node():
    classes = [node.id for node in design_graph().nodes if node.name == "link_item"]
    assert classes == ["class:inc/link_item.svh#link_item"]
    assert ("rtl/link_pkg.sv", "inc/link_item.svh", "link_item.svh") in edges(
        design_graph(), "INCLUDES"
    )


def test_classes_extend_through_typedefs_and_factories_use():
    extends = edges(design_graph(), "EXTENDS")
    assert ("link_maker", "link_item", "link_pkg::link_alias") in extends
    assert ("link_more", "link_item", "link_item") in extends
    assert ("link_maker", "link_more", "link_more::type_id::create") in edges(
        design_graph(), "USES"
    )


def test_imports_and_types():
    assert ("link_top", "link_pkg", "") in edges(design_graph(), "IMPORTS")
    uses = edges(design_graph(), "USES")
    assert ("link_top", "link_pkg.mode_t", "mode_t") in uses
    assert ("link_user", "link_if", "link_if") in uses


@pytest.mark.parametrize(
    ("written", "incdirs", "expected"),
    [
        ("d.svh", (), [("a/d.svh", "unique")]),
        ("../b/d.svh", (), [("b/d.svh", "unique")]),
        ("e.svh", ("c",), [("c/e.svh", "unique")]),
        ("e.svh", (), [("a/x/e.svh", "candidate"), ("c/e.svh", "candidate")]),
        ("x/e.svh", (), [("a/x/e.svh", "unique")]),
        ("../../../etc/passwd", (), [("../../../etc/passwd", "external")]),
    ],
)
def test_includes_resolve_by_folder_incdir_and_distance(written, incdirs, expected):
    others = [record(path) for path in ("a/d.svh", "b/d.svh", "a/x/e.svh", "c/e.svh")]
    graph = link([record("a/top.sv", includes=((written, 1),)), *others], incdirs=incdirs)
    names = {node.id: node.name for node in graph.nodes}
    found = [(names[e.target], e.resolved) for e in graph.edges if e.kind == "INCLUDES"]
    assert found == expected


def test_macro_comes_from_what_the_file_includes():
    macro = (Macro("M", "", "1", 1),)
    graph = link(
        [
            record("a/top.sv", includes=(("b/defs.svh", 1),), macro_uses=(("M", 4), ("N", 5))),
            record("a/other.svh", macros=macro),
            record("b/defs.svh", includes=(("deep.svh", 1),)),
            record("b/deep.svh", macros=macro),
        ]
    )
    uses = [(e.target, e.resolved) for e in graph.edges if e.kind == "USES"]
    assert uses == [("macro:b/deep.svh#M", "unique"), ("macro:#N", "external")]


def test_explanations_become_concepts():
    explained = Explanation(path="a.sv", purpose="Counts.", concepts=("counter",), model="m")
    graph = link([record("a.sv", module("a"))], {"a.sv": explained, "gone.sv": explained})
    assert edges(graph, "IMPLEMENTS", origin="m") == [
        ("a.sv", "counter", ""),
        ("a", "counter", ""),
    ]
    assert edges(graph, "DESCRIBED_BY") == [("a.sv", "a.sv", "")]


def test_same_name_twice_in_a_file_keeps_both():
    graph = link(
        [record("a.sv", module("m"), module("m", line=20)), record("t.sv", module("t", "m"))]
    )
    assert [n.id for n in graph.nodes if n.name == "m"] == ["module:a.sv#m", "module:a.sv#m@20"]
    assert len({e.target for e in graph.edges if e.kind == "INSTANTIATES"}) == 2


def test_ordered_connection_beyond_the_ports_is_passed_over():
    wires = (Connection("", "a", ("a",), 2, 0), Connection("", "b", ("b",), 2, 7))
    top = Unit("module", "top", 1, 9, instances=(Instance("u", "leaf", 2, 3, (), wires),))
    graph = link([record("a.sv", top, module("leaf", ports="p"))])
    assert edges(graph, "CONNECTS") == [("top.u", "leaf.p", "a")]


def test_distance_counts_folders():
    assert distance("a/b/x.sv", "a/b/y.sv") == (False, 0)
    assert distance("a/b/x.sv", "a/c/y.sv") == (False, 2)
    assert distance("a/x.sv", "b/y.sv") == (True, 2)


@given(st.randoms(use_true_random=False))
@settings(max_examples=20, deadline=None)
def test_order_of_the_records_does_not_matter(random):
    shuffled = list(design_records())
    random.shuffle(shuffled)
    again, graph = link(shuffled), design_graph()
    assert list(again.nodes) == list(graph.nodes)
    assert list(again.edges) == list(graph.edges)
    assert list(again.unresolved) == list(graph.unresolved)
