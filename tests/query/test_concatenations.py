"""An assignment of concatenations gives each part its own, where the widths are known."""

from __future__ import annotations

import pytest

from hdlgraph.project import Project

DESIGN = """\
module both (
  input logic clk, d, input logic [3:0] w, output logic q, output [3:0] z, output logic [3:0] v
);
  logic meta, meta2;
  logic arr [2];
  always_ff @(posedge clk) {q, meta} <= {meta, d};
  assign {z, late} = {w, d};
  wire late;
  always_comb {v, meta2} = {d, w};
  always_comb {arr[0], arr[1]} = {d, q};
endmodule
module old (z, w, d, e);
  output [1:0] z;
  output e;
  input [1:0] w;
  input d;
  assign {e, z} = {d, w};
endmodule
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("both")
    (root / "both.sv").write_text(DESIGN)
    (root / "sync.sv").write_text("""\
module sync (input logic clk, d, output logic q);
  logic meta;
  always_ff @(posedge clk) {q, meta} <= {meta, d};
endmodule
module over (input logic a_clk, b_clk, i, output logic o);
  logic from;
  always_ff @(posedge a_clk) from <= i;
  sync u_sync (.clk(b_clk), .d(from), .q(o));
endmodule
""")
    found = Project(root)
    found.index(graphrag="never", embeddings=False, jobs=1)
    return found


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("both.q", {"meta"}),
        ("both.meta", {"d"}),
        ("both.z", {"w"}),
        ("both.late", {"d"}),
        ("both.v", {"d", "w"}),  # of other widths
        ("both.arr", {"d", "q"}),
        ("old.z", {"w"}),
        ("old.e", {"d"}),
    ],
)
def test_each_part_has_its_own_source(project: Project, name: str, others: set[str]) -> None:
    (net, *_) = project.trace(name, ("drivers",), 1)["drivers"]["nets"]
    assert {other for step in net["steps"] for other in step["others"]} == others


def test_a_synchroniser_in_one_assignment_is_one(project: Project) -> None:
    (one,) = project.crossings("over")["crossings"]
    assert one["kind"] == "synchroniser"


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("machines")
    (root / "m.sv").write_text("""\
typedef enum logic [1:0] {A, B, C} st_t;
module two (input logic clk, rst);
  st_t s, s2;
  always_ff @(posedge clk)
    if (rst) {s, s2} <= {A, B};
    else case (s)
      A: {s, s2} <= {B, A};
      B: s <= C;
      C: s <= A;
    endcase
endmodule
module cases (input logic clk, x);
  st_t s, n;
  always_ff @(posedge clk) s <= n;
  always_comb begin
    n = s;
    case (s) A: n = B; B: n = C; C: n = A; endcase
    case (x)
      1'b1: n = C;
    endcase
  end
endmodule
module inv (input logic [1:0] in, output logic [1:0] out);
  assign out = ~in;
endmodule
module none (input logic go, output logic [1:0] o);
  logic [1:0] s, n;
  inv u_inv (.in(n), .out(s));
  always_comb begin
    n = A;
    case (s) A: n = B; B: if (go) n = C; endcase
  end
  assign o = s;
endmodule
""")
    found = Project(root)
    found.index(graphrag="never", embeddings=False, jobs=1)
    return found


def test_registers_that_are_assigned_together_have_their_own_states(machines: Project) -> None:
    (one,) = [m for m in machines.fsm("two")["machines"] if m["register"] == "s"]
    moves = {(move["source"], move["target"]) for move in one["transitions"]}
    assert moves == {("A", "B"), ("B", "C"), ("C", "A")}
    assert one["reset"] == "A"


def test_arms_of_a_case_on_another_value_may_take_its_place(machines: Project) -> None:
    (one,) = machines.fsm("cases")["machines"]
    (first,) = [move for move in one["transitions"] if move["source"] == "A"]
    assert tuple(first["unless"]) == (19,)


def test_a_unit_without_a_clock_holds_no_state(machines: Project) -> None:
    assert machines.fsm("none")["machines"] == []
