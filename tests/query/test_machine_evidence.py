"""What is no state machine, and the lines and conditions of those that are written unusually."""

from __future__ import annotations

import pytest

from hdlgraph.project import Project
from hdlgraph.query.signals.records import StateMachine

NONE = {
    "counter": "if (r) q <= 0; else begin q <= q + 1; if (q == 3) q <= 0; if (q == 2) q <= 1; end",
    "up_down": "case (q) 0: q <= up ? 1 : 0; 1: q <= 2; 2: q <= 0; 3: q <= q - 2'd1; endcase",
    "loaded": "case (q) 0: q <= d; 1: q <= 2; 2: q <= 1; default: q <= 0; endcase",
    "flag": "if (q == 1'b0) q <= 1; else if (q == 1'b1 && up) q <= 0;",
    "register": "if (up) q <= 2; else if (d == 1) q <= 3; else q <= 0;",
    "mux": "case (d) 0: q <= 1; 1: q <= 2; 2: q <= 0; endcase",
    "bits": "case (q) 0: q[1] <= 1; 1: q <= 2; 2: q <= 0; endcase",
    "shifted": "case (q) 0: q <= 1; 1: q <= 2; 2: q <= {q[0], up}; endcase",
    "limits": "if (q == LAST) q <= FIRST; else if (q == FIRST) q <= LAST; else q <= q + up;",
    "turned": "if (LAST == q) q <= FIRST; else if (FIRST == q) q <= q + up; else q <= LAST;",
    "called": "case (q) 0: q <= added(q); 1: q <= 2; 2: q <= 0; endcase",
}
HEAD = """ #(parameter FIRST = 0, LAST = 3) (input c, input r, input up, input [1:0] d);
reg [1:0] q;
function [1:0] added; input [1:0] x; added = x + 2'd1 + up; endfunction
"""
FOUND = """module hot(input c, input rst, input go);
reg [2:0] s, n;
always @* begin n = 3'b0;
  if (s[0]) n = go ? 3'b010 : 3'b001;
  if (s[1]) n[2] = 1'b1;
  if (s[2] && !go) n[0] = 1'b1;
end
always @(posedge c) if (rst) s <= 3'b001; else s <= n;
endmodule
module calls(input c, input rst, input go, input stop);
localparam IDLE = 0, RUN = 1, LAST = 2; reg [1:0] s; wire [1:0] n;
task enter(input [1:0] x); s <= x; endtask
function [1:0] follow(input [1:0] st, input on);
  follow = st;
  if (st == IDLE && on) follow = RUN;
endfunction
assign n = stop ? LAST : follow(s, go || rst);
always @(posedge c)
  if (rst) s <= IDLE;
  else case (s)
    LAST: enter(IDLE);
    default: s <= n;
  endcase
endmodule
module held(input c, input rst, input go);
typedef enum logic [1:0] {IDLE, RUN, LAST} state_t;
typedef struct packed { state_t state; logic busy; } inner_t;
typedef struct packed { inner_t fsm; logic [3:0] count; } all_t;
all_t r, rin;
always_comb begin
  automatic all_t v = r;
  case (r.fsm.state)
    IDLE: if (go) v.fsm.state = RUN;
    RUN: v.fsm.state = LAST;
    default: ;
  endcase
  rin = v;
end
always_ff @(posedge c) if (rst) r <= '{fsm: '{state: IDLE, busy: 0}, count: 0}; else r <= rin;
endmodule
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("evidence") / "all"
    folder.mkdir()
    for name, body in NONE.items():
        text = f"module {name}{HEAD}always @(posedge c)\n{body}\nendmodule\n"
        (folder / f"{name}.v").write_text(text)
    (folder / "found.sv").write_text(FOUND)
    opened = Project(folder)
    opened.index(graphrag="never", embeddings=False, jobs=1)
    return opened


def moves(machine: StateMachine) -> list[tuple[str, str, str, int]]:
    return [(one.source, one.target, one.condition, one.line) for one in machine.transitions]


def line_of(words: str) -> int:
    return next(n for n, text in enumerate(FOUND.splitlines(), 1) if words in text)


@pytest.mark.parametrize("name", NONE)
def test_counters_flags_and_multiplexers_are_none(project: Project, name: str) -> None:
    assert project.machines(name) == []


def test_one_hot_code_in_numbered_bits(project: Project) -> None:
    (machine,) = project.machines("hot")
    assert (machine.register, machine.next, machine.reset) == ("s", "n", "[0]")
    assert [(source, target, condition) for source, target, condition, _ in moves(machine)] == [
        ("[0]", "[0]", "!(go)"),
        ("[0]", "[1]", "go"),
        ("[1]", "[2]", ""),
        ("[2]", "[0]", "!go"),
    ]


def test_states_set_in_routines_have_the_line_that_decides(project: Project) -> None:
    (machine,) = project.machines("calls")
    assert (machine.register, machine.reset) == ("s", "IDLE")
    assert moves(machine) == [
        ("IDLE", "RUN", "!(stop) && (go || rst)", line_of("follow = RUN")),
        ("", "LAST", "stop", line_of("assign n")),
        ("LAST", "IDLE", "", line_of("enter(IDLE)")),
    ]


def test_a_state_in_a_record_within_a_record(project: Project) -> None:
    (machine,) = project.machines("held")
    assert (machine.register, machine.next) == ("r.fsm.state", "rin.fsm.state")
    assert (machine.reset, [name for name, _ in machine.states]) == (
        "IDLE",
        ["IDLE", "RUN", "LAST"],
    )
    assert moves(machine) == [
        ("IDLE", "RUN", "go", line_of("v.fsm.state = RUN")),
        ("RUN", "LAST", "", line_of("v.fsm.state = LAST")),
    ]
