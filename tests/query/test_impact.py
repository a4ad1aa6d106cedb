"""What may be affected when something changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from _graphs import design_graph, module, record
from _random_graphs import graphs
from _texts import indexed
from hypothesis import given, settings

from hdlgraph.errors import UsageError
from hdlgraph.graph.graph import Graph
from hdlgraph.index.link.link import link
from hdlgraph.model import Unit
from hdlgraph.project import Project
from hdlgraph.query.design.impact import impact

USES = (
    *("INSTANTIATES", "BINDS", "IMPORTS", "INCLUDES", "EXTENDS", "USES", "CONNECTS"),
    *("PARAMETERIZES", "IMPLEMENTS", "NEW_KIND"),
)
UNITS = ("module", "package", "class", "interface")
HOLDERS = (*UNITS, "file", "concept")


def levels(found: dict) -> list[list[str]]:
    return [[user["name"] for user in level["users"]] for level in found["levels"]]


def chain() -> Graph:
    """A leaf below a block below a top, and a testbench around it."""
    return link(
        [
            record("leaf.sv", module("leaf", ports="clk")),
            record("block.sv", module("block", "leaf", ports="clk")),
            record("top.sv", module("top", "block", ports="clk")),
            record("tb.sv", module("tb", "top", ports="clk"), role="testbench"),
            record("alone.sv", module("alone")),
        ]
    )


def test_users_come_by_distance_with_the_edge_that_leads_there():
    found = impact(chain(), "leaf")
    assert levels(found) == [["block"], ["top"], ["tb"]]
    assert (found["total"], found["deeper"]) == (3, False)
    (tb,) = found["levels"][2]["users"]
    assert (tb["path"], tb["role"], tb["kind"]) == ("tb.sv", "testbench", "module")
    via = tb["via"]
    assert (via["kind"], via["words"], via["name"]) == ("INSTANTIATES", "instantiates", "top")
    assert via["location"] == "tb.sv:2"


def test_depth_and_limit_are_said():
    found = impact(chain(), "leaf", depth=1)
    assert (levels(found), found["deeper"]) == ([["block"]], True)
    found = impact(chain(), "leaf", limit=2)
    assert levels(found) == [["block"], ["top"], []]
    assert (found["total"], [level["count"] for level in found["levels"]]) == (3, [1, 1, 1])


def test_a_port_affects_its_unit_and_those_who_connect_to_it():
    found = impact(chain(), "leaf.clk", depth=1)
    assert sorted(levels(found)[0]) == ["block", "leaf"]


def test_nothing_is_affected_by_what_nobody_uses():
    assert impact(chain(), "alone")["levels"] == []


def test_a_file_is_all_that_it_defines_and_what_includes_it():
    found = impact(design_graph(), "link_defs.svh", depth=1)
    ways = {user["name"]: user["via"]["words"] for user in found["levels"][0]["users"]}
    assert ways["rtl/link_top.sv"] == "includes"
    assert ways["link_top"] == "defined by"


def test_a_part_of_a_package_does_not_affect_its_other_parts():
    def owner(name: str, *, parent: str = "", extends: str = "") -> Unit:
        kind = "package" if name == "pkg" else "class"
        return Unit(kind=kind, name=name, line=1, end_line=9, parent=parent, extends=extends)

    parts = [owner("pkg"), owner("changed", parent="pkg"), owner("other", parent="pkg")]
    graph = link(
        [
            record("pkg.sv", *parts),
            record("one.sv", owner("one", extends="changed")),
            record("two.sv", owner("two", extends="other")),
        ]
    )
    found = impact(graph, "changed")
    assert "one" in levels(found)[0]
    assert "pkg" in levels(found)[0]
    assert not {"other", "two"} & {name for level in levels(found) for name in level}


def test_what_is_bound_to_a_changed_unit_affects_nothing_else():
    found = impact(design_graph(), "link_stage")
    ways = {u["name"]: u["via"]["words"] for level in found["levels"] for u in level["users"]}
    assert ways["link_checks"] == "bound into"
    of_checks = impact(design_graph(), "link_checks", depth=1)
    assert "link_stage" in levels(of_checks)[0]


def test_unknown_names_are_wrong_use():
    with pytest.raises(UsageError, match="did you mean link_top"):
        impact(design_graph(), "link_topp")


def brute_force(graph: Graph, start: int) -> dict[int, int]:
    """Returns the distance of all that is affected, by applying the rules until none does more.

    A state is (row, "whole"), (row, "itself") or (row, "only"): with its parts, without them,
    and without its users too.
    """
    kinds = graph.nodes.column("kind")
    ends = list(zip(*(graph.edges.column(c) for c in ("kind", "source", "target")), strict=True))
    parent: dict[int, int] = {}
    for kind, source, target in ends:
        if kind == "DEFINES":
            parent.setdefault(target, source)

    def holder(row: int) -> int:
        while kinds[row] not in HOLDERS and row in parent:
            row = parent[row]
        return row

    def follow(state: tuple[int, str]):
        row, how = state
        if how == "whole":
            yield (row, "itself"), 0
            for kind, source, target in ends:
                if kind == "DEFINES" and source == row:
                    yield (target, "whole"), 0
        if how == "itself":
            yield (row, "only"), 0
            for kind, source, target in ends:
                if target == row and kind in USES:
                    yield (holder(source), "whole"), 1
                if target == row and kind == "DEFINES" and kinds[source] in UNITS:
                    yield (source, "itself"), 1
                if source == row and kind == "BINDS":
                    yield (target, "only"), 1
                if kind == "INCLUDES" and parent.get(row) == target and kinds[target] == "file":
                    yield (source, "whole"), 1

    best = {(start, "whole"): 0}
    changed = True
    while changed:
        changed = False
        for state, distance in list(best.items()):
            for other, more in follow(state):
                if distance + more < best.get(other, 10**9):
                    best[other] = distance + more
                    changed = True
    return {row: distance for (row, how), distance in best.items() if how == "only" and distance}


@given(graphs())
@settings(max_examples=40, deadline=None)
def test_distances_are_those_of_a_brute_force_search(graph: Graph):
    kinds, paths = graph.nodes.column("kind"), graph.nodes.column("path")
    for start, name in enumerate(graph.nodes.column("id")):
        found = impact(graph, name, depth=50)
        got = {
            user["id"]: level["distance"] for level in found["levels"] for user in level["users"]
        }
        ids = graph.nodes.column("id")
        expected = {
            ids[row]: distance
            for row, distance in brute_force(graph, start).items()
            if kinds[row] in HOLDERS and (paths[row] or kinds[row] == "concept")
        }
        assert got == expected
        assert found["total"] == len(expected)
        assert not found["deeper"]


def test_a_macro_hides_no_parameter_of_its_name():
    from hdlgraph.model import Macro, Parameter

    box = module("box", parameters=(Parameter("Depth", "parameter", "int", "`Depth", 3),))
    graph = link([record("rtl/box.sv", box, macros=(Macro("Depth", "", "4", 1),))])
    assert [one["name"] for one in impact(graph, "Depth")["levels"][0]["users"]] == ["box"]


def test_units_of_one_name_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.sv").write_text("module twin; endmodule\n")
    (tmp_path / "b.sv").write_text("\nmodule twin; endmodule\nmodule sole; twin u(); endmodule\n")
    project = Project(tmp_path)
    project.index()
    for told in (project.who("twin"), project.fsm("twin")):
        assert "2 units are called 'twin'" in told["notes"][0]
        assert "a.sv:1, b.sv:2; name one by its id, as module:a.sv#twin" in told["notes"][0]
    for name in ("sole", "module:a.sv#twin"):
        assert not project.who(name)["notes"]
        assert not project.fsm(name)["notes"]


NAMES = {
    "cfg_pkg.sv": """\
package cfg_pkg;
  parameter int ENTRIES = 8;
  localparam int ID = $clog2(ENTRIES);
  parameter int OTHER = 4;
  typedef enum logic {GO, HALT} op_t;
  typedef struct packed {
    logic [ID-1:0] id;
  } entry_t;
  function automatic logic stops(op_t op);
    return op == HALT;
  endfunction
endpackage
""",
    "queue.sv": "module queue import cfg_pkg::*; (input logic a);\n"
    "  logic [ENTRIES-1:0] q;\nendmodule\n",
    "issue.sv": "module issue import cfg_pkg::*; (input entry_t e);\nendmodule\n",
    "decoder.sv": "module decoder import cfg_pkg::*; (input logic a, output logic b);\n"
    "  assign b = a == GO;\nendmodule\n",
    "commit.sv": "module commit import cfg_pkg::*; (input logic a, output logic b);\n"
    "  assign b = stops(a);\nendmodule\n",
    "unrelated.sv": "module unrelated import cfg_pkg::*; (input logic [OTHER-1:0] a);\n"
    "`ifdef ENTRIES\n`endif\nendmodule\n",
    "top.sv": "module top;\n  queue u_queue (.a());\n  issue u_issue (.e());\nendmodule\n",
    "far_pkg.sv": "package far_pkg;\n  parameter int WIDE = 2 * cfg_pkg::ENTRIES;\nendpackage\n",
    "far.sv": "module far;\n  logic [far_pkg::WIDE-1:0] a;\nendmodule\n",
}


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("names")
    return indexed(root, NAMES)


def told(found: dict) -> list[list[tuple[str, str]]]:
    return [
        [(user["name"], f"{user['via']['words']} {user['via']['name']}") for user in one["users"]]
        for one in found["levels"]
    ]


def test_a_parameter_of_a_package_affects_what_names_it(names: Project) -> None:
    assert told(names.impact("cfg_pkg.ENTRIES")) == [
        [
            ("cfg_pkg", "defines cfg_pkg.ENTRIES"),
            ("cfg_pkg.ID", "uses cfg_pkg.ENTRIES"),
            ("far_pkg.WIDE", "uses cfg_pkg.ENTRIES"),
            ("queue", "uses cfg_pkg.ENTRIES"),
        ],
        [
            ("cfg_pkg.entry_t", "uses cfg_pkg.ID"),
            ("far", "uses far_pkg.WIDE"),
            ("top", "instantiates queue"),
        ],
        [("issue", "uses cfg_pkg.entry_t")],
    ]


def test_types_their_values_and_routines_affect_what_names_them(names: Project) -> None:
    own = ("cfg_pkg", "defines cfg_pkg.op_t")
    assert told(names.impact("op_t", depth=2)) == [
        [own, ("cfg_pkg.stops", "uses cfg_pkg.op_t"), ("decoder", "uses cfg_pkg.op_t")],
        [("commit", "calls cfg_pkg.stops")],
    ]
    assert told(names.impact("GO", depth=2)) == [[own, ("decoder", "uses cfg_pkg.op_t.GO")]]
    assert told(names.impact("HALT", depth=2)) == [
        [own, ("cfg_pkg.stops", "uses cfg_pkg.op_t.HALT")],
        [("commit", "calls cfg_pkg.stops")],
    ]
    assert ("unrelated", "imports cfg_pkg") in told(names.impact("cfg_pkg"))[0]


def test_a_bind_is_told_once_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.sv").write_text(
        "module dut(input d); endmodule\nmodule seen(input d); endmodule\n"
        "module top(input d); dut u(.d); endmodule\n"
    )
    (tmp_path / "b.sv").write_text(
        "bind dut seen u_seen(.*);\nmodule tb; top t(); bind top.u seen u_more(.*); endmodule\n"
    )
    (tmp_path / "c.sv").write_text("bind absent seen u_absent(.*);\n")
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)

    def reached(name: str) -> list[tuple[str, str, str]]:
        (level,) = project.impact(name, depth=1)["levels"]
        return [(u["name"], u["via"]["words"], u["via"]["location"]) for u in level["users"]]

    assert reached("dut") == [
        ("seen", "bound into", "b.sv:1"), ("top", "instantiates", "a.sv:3"),
    ]  # fmt: skip
    assert reached("seen") == [
        ("dut", "binds", "b.sv:1"), ("c.sv", "binds", "c.sv:1"),
    ]  # fmt: skip


def test_what_joins_a_port_is_no_user_of_its_unit_and_the_design_comes_first(
    tmp_path: Path,
) -> None:
    """An interface whose net joins a port does not depend on it, nor do its other users."""
    (tmp_path / "dut.sv").write_text("module dut(input d); endmodule\n")
    (tmp_path / "a_tb.sv").write_text("module a_tb; link_if l(); dut u(.d(l.h2d)); endmodule\n")
    (tmp_path / "link_if.sv").write_text("interface link_if; logic h2d; endmodule\n".replace(
        "endmodule", "endinterface"
    ))  # fmt: skip
    (tmp_path / "other_tb.sv").write_text("module other_tb; link_if l(); endmodule\n")
    (tmp_path / "soc.sv").write_text("module soc(input d); dut u(.d(d)); endmodule\n")
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    assert levels(project.impact("dut")) == [["soc", "a_tb"]]
    assert levels(project.impact("dut.d")) == [["dut", "soc", "a_tb"]]


def test_lines_that_use_a_parameter_or_macro_are_told(tmp_path: Path) -> None:
    (tmp_path / "leaf.sv").write_text(
        "module leaf #(parameter W = 1) (input [W-1:0] d);\nif (W > 2) begin : g\nend\nendmodule\n"
    )
    (tmp_path / "top.sv").write_text(
        "`define DEEP 4\n"
        "module top #(parameter WIDTH = `DEEP) (input [WIDTH-1:0] d);\n"
        "leaf #(.W(WIDTH)) u(.d(d));\nendmodule\n"
        "module around(input [7:0] d);\ntop #(.WIDTH(8)) t(.d(d));\nendmodule\n"
    )
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    found = project.impact("top.WIDTH")
    places = [(one["words"], one["location"]) for one in found["uses"]]
    assert ("parameterizes", "top.sv:6") in places
    assert ("has W (depends on it) in its type", "leaf.sv:1") in places
    assert ("is there by W (depends on it)", "leaf.sv:2") in places
    assert {location for _, location in places} >= {"top.sv:2", "top.sv:3"}
    assert found["uses_total"] == len(found["uses"])
    assert [one["location"] for one in project.impact("DEEP")["uses"]] == ["top.sv:2"]
    assert "uses" not in project.impact("leaf")


def test_what_depends_on_a_parameter_is_not_called_that_parameter(tmp_path: Path) -> None:
    (tmp_path / "ring.sv").write_text(
        "module ring #(parameter DEPTH = 4, parameter logic [DEPTH-1:0] START = 1)\n"
        "  (input clk, input [DEPTH-1:0] d);\n"
        "  localparam ABITS = $clog2(DEPTH);\n"
        "  logic [ABITS-1:0] head;\n"
        "  logic [1:0] tail;\n"
        "  always_ff @(posedge clk) head <= START;\n"
        "endmodule\n"
    )
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    words = {one["line"]: one["words"] for one in project.impact("ring.DEPTH")["uses"]}
    assert words[4] == "has ABITS (depends on it) in its type"
    assert words[6] == "reads START (depends on it)"
    assert 5 not in words
    found = project.parameter_impact("ring.DEPTH", "default")["written"]
    assert [(one["name"], one["through"]) for one in found["parameters"]] == [("ABITS", "")]
    assert [(one["name"], one["through"]) for one in found["widths"]] == [
        ("d", ""), ("head", "ABITS"), ("START", "")
    ]  # fmt: skip
