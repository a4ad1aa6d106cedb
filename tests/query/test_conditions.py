"""Conditions that are told together mean what the source says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdlgraph.parsers.text.conditions import all_of, bare
from hdlgraph.project import Project


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ((), ""),
        (("a || b",), "a || b"),
        (("a || b", "c"), "(a || b) && c"),
        (("a", "", "b ? c : d"), "a && (b ? c : d)"),
        (("(a || b)", "c"), "(a || b) && c"),
        (("(a) || (b)", "c"), "((a) || (b)) && c"),
        (("f(a || b)", "x[i ? 1 : 0]"), "f(a || b) && x[i ? 1 : 0]"),
        (("a -> b", "c"), "(a -> b) && c"),
    ],
)
def test_what_binds_less_than_and_is_bracketed(parts: tuple[str, ...], told: str) -> None:
    assert all_of(parts) == told
    assert all_of(parts, "and") == told.replace("&&", "and")


VALUES = {"a": (0, 1), "b": (0, 1), "c": (0, 1)}
NAMES = st.sampled_from(sorted(VALUES))
EXPRESSIONS = st.recursive(
    NAMES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from((" and ", " or ")), inner).map("".join),
        inner.map(lambda text: f"({text})"),
    ),
    max_leaves=6,
)


@given(st.lists(EXPRESSIONS, min_size=1, max_size=4))
def test_together_they_hold_where_each_holds(parts: list[str]) -> None:
    written = [part.replace(" and ", " && ").replace(" or ", " || ") for part in parts]
    told = all_of(written).replace("&&", "and").replace("||", "or")
    for number in range(8):
        values = {"a": number & 1, "b": number >> 1 & 1, "c": number >> 2 & 1}
        want = all(eval(part, {}, values) for part in parts)  # of three names
        assert bool(eval(told, {}, values)) == want


def test_only_brackets_around_all_of_it_are_taken_off() -> None:
    assert bare("((a) && (b))") == "(a) && (b)"
    assert bare("(a) && (b)") == "(a) && (b)"


def test_transitions_and_drivers_tell_their_conditions_as_the_source_means_them(
    tmp_path: Path,
) -> None:
    (tmp_path / "m.sv").write_text("""\
module m (input logic clk, input logic rst_n, input logic a, input logic b, input logic c,
          output logic q);
  typedef enum logic [1:0] {IDLE, RUN, DONE} state_e;
  state_e state_q, state_d;
  always_comb begin
    state_d = state_q;
    case (state_q)
      IDLE: if (a || b) if (c) state_d = RUN;
      RUN: if (a) state_d = (b || c) ? DONE : IDLE;
      default: state_d = IDLE;
    endcase
  end
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) state_q <= IDLE; else state_q <= state_d;
  always_ff @(posedge clk) if (a || b) if (c) q <= a;
endmodule
""")
    project = Project(tmp_path)
    project.index(embeddings=False, graphrag="never", jobs=1)
    (machine,) = project.fsm("m")["machines"]
    told = {(one["source"], one["target"]): one["condition"] for one in machine["transitions"]}
    assert told["IDLE", "RUN"] == "(a || b) && c"
    assert told["RUN", "DONE"] == "a && (b || c)"
    assert told["RUN", "IDLE"] == "a && !(b || c)"
    (net, *_) = project.trace("m.q", ("drivers",))["drivers"]["nets"]
    assert [one["condition"] for one in net["steps"]] == ["(a || b) && c"]


def test_a_state_that_is_one_way_of_several_does_not_decide(tmp_path: Path) -> None:
    (tmp_path / "m.sv").write_text("""\
module m (input logic clk, input logic a, input logic [3:0] n);
  typedef enum logic [1:0] {IDLE, RUN, DONE} state_e;
  state_e state_q, state_d;
  always_comb begin
    state_d = state_q;
    case (state_q)
      IDLE, RUN: if (a | (state_q == RUN)) state_d = DONE;
      DONE: if (n == 3) state_d = IDLE;
      default: ;
    endcase
    if (state_q == DONE && n == 4) state_d = RUN;
    if (!(state_q == DONE) && n == 5) state_d = IDLE;
  end
  always_ff @(posedge clk) state_q <= state_d;
endmodule
""")
    project = Project(tmp_path)
    project.index(embeddings=False, graphrag="never", jobs=1)
    (machine,) = project.fsm("m")["machines"]
    told = {(one["source"], one["target"], one["condition"]) for one in machine["transitions"]}
    assert told == {
        ("IDLE", "DONE", "a"),
        ("RUN", "DONE", ""),
        ("DONE", "IDLE", "n == 3"),
        ("DONE", "RUN", "n == 4"),
        ("", "IDLE", "!(state_q == DONE) && n == 5"),
    }


def test_later_assignments_that_take_the_place_of_one_are_told(tmp_path: Path) -> None:
    (tmp_path / "m.sv").write_text("""\
module m (input logic clk, input logic a, input logic b, input logic c);
  typedef enum logic [1:0] {IDLE, RUN, HALT} state_e;
  state_e state_q, state_d;
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      IDLE: begin
        if (a) state_d = RUN;
        else state_d = HALT;
        if (b) state_d = HALT;
      end
      RUN: state_d = IDLE;
      default: ;
    endcase
    if (state_q == RUN && c) state_d = HALT;
  end
  always_ff @(posedge clk) state_q <= state_d;
endmodule
""")
    project = Project(tmp_path)
    project.index(embeddings=False, graphrag="never", jobs=1)
    (machine,) = project.fsm("m")["machines"]
    told = {(one["source"], one["line"]): one["unless"] for one in machine["transitions"]}
    assert told == {
        ("IDLE", 8): (10,),
        ("IDLE", 9): (),
        ("IDLE", 10): (),
        ("RUN", 12): (15,),
        ("RUN", 15): (),
    }
