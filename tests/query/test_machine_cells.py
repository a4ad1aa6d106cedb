"""State machines whose register is an instance of a unit that is a register, whatever its names."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.project import Project
from hdlgraph.query.signals.records import StateMachine

CELLS = """module keeper #(parameter W = 8, parameter type T = logic [W-1:0])
  (input k, load, en, input T a, input T first, output T b);
  always_ff @(posedge k) if (load) b <= first; else if (en) b <= a;
endmodule
module cleared #(parameter W = 8) (input k, zero, input [W-1:0] a, output logic [W-1:0] b);
  always_ff @(posedge k) if (zero) b <= '0; else b <= a;
endmodule
module around #(parameter W = 8) (input k, zero, input [W-1:0] a, output logic [W-1:0] b);
  cleared #(W) inner(k, zero, a, b);
endmodule
module chooser(input pick, input [1:0] a, input [1:0] first, output logic [1:0] b);
  always_comb if (pick) b = first; else b = a;
endmodule
"""
MOVES = """always_comb case (now)
    IDLE: if (go) then_ = RUN; else then_ = IDLE;
    RUN: then_ = DONE;
    default: then_ = IDLE;
  endcase
endmodule
"""
HEAD = """(input c, rst, go, output busy);
  typedef enum logic [1:0] {IDLE, RUN, DONE} kind_t;
  kind_t now, then_;
  assign busy = now != IDLE;
"""
INSTANCES = {
    "loaded": "keeper #(.T(kind_t)) held(c, rst | go, 1'b1, then_, IDLE, now);",
    "by_name": "keeper #(.T(kind_t)) held(.k(c), .load(rst), .en(1'b1), .a(then_), .first(RUN), "
    ".b(now));",
    "cleared_in": "cleared #(2) held(c, rst, then_, now);",
    "in_another": "around #(2) held(c, rst, then_, now);",
    "no_register": "chooser held(rst, then_, IDLE, now);",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    units = [f"module {name}{HEAD}{cell}\n{MOVES}" for name, cell in INSTANCES.items()]
    repo: Path = tmp_path_factory.mktemp("cells")
    return indexed(repo, {"cells.sv": CELLS, "units.sv": "".join(units)})


def only(project: Project, unit: str) -> StateMachine:
    (found,) = project.machines(unit)
    return found


@pytest.mark.parametrize(
    ("unit", "reset"),
    [("loaded", "IDLE"), ("by_name", "RUN"), ("cleared_in", ""), ("in_another", "")],
)
def test_the_state_of_an_instance_of_a_register(project: Project, unit: str, reset: str) -> None:
    found = only(project, unit)
    assert (found.register, found.next, found.clock) == ("now", "then_", "c")
    assert found.reset == reset
    moves = {(one.source, one.target) for one in found.transitions}
    assert moves >= {("IDLE", "RUN"), ("RUN", "DONE"), ("default", "IDLE"), ("IDLE", "IDLE")}


def test_an_instance_that_only_chooses_holds_no_state(project: Project) -> None:
    assert project.machines("no_register") == []
