"""What is no state machine, and the lines and conditions of those that are written unusually."""

from __future__ import annotations

import pytest
from _texts import indexed

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
    return indexed(folder, {"found.sv": FOUND})


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


OTHERS = """module nets(input c, input rst, input we, input go);
wire [2:0] WAIT = 3'b001,
           WRITE = 3'b010, READ = 3'b100;
reg [2:0] s;
always @(posedge c)
  if (rst) s <= WAIT;
  else case (s)
    WAIT: if (go) s <= we ? WRITE : READ;
    WRITE, READ: s <= WAIT;
  endcase
endmodule
module powers(input c, input rst, input go, output ack);
localparam IDLE = 0, RUN = 1; reg [1:0] state, next_state;
always @* begin next_state = state;
  unique case (1'b1)
    state[IDLE]: if (go) next_state = 2**RUN;
    state[RUN]: next_state = 1 << IDLE;
  endcase
end
assign ack = state[RUN];
always @(posedge c) if (rst) state <= 2**IDLE; else state <= next_state;
endmodule
module many(input c, input taken, input [3:0] at);
localparam [1:0] WEAK = 2'b 01, STRONG = 2'b 10, NOT = 2'b 00;
reg [1:0] state [15:0];
always @(posedge c) case (state[at])
  NOT: if (taken) state[at] <= WEAK;
  WEAK: state[at] <= taken ? STRONG : NOT;
  STRONG: if (!taken) state[at] <= WEAK;
endcase
endmodule
module read_only(input c, input rst, input go, input done, output ready);
typedef enum logic {EMPTY, FULL} t; t state_r, state_n;
assign ready = (state_r == EMPTY) && !rst;
always_comb if (ready & go) state_n = FULL; else if (done) state_n = EMPTY; else state_n = state_r;
always_ff @(posedge c) if (rst) state_r <= EMPTY; else state_r <= state_n;
endmodule
module together(input c, input rst, input go, input stop);
localparam IDLE = 0, RUN = 1, LAST = 2; reg [1:0] s, n;
always @* casez ({s, go, stop})
  {IDLE, 1'b1, 1'b?}: n = RUN;
  {RUN, 1'b?, 1'b1}, {LAST, 1'b0, 1'b0}: n = LAST;
  {LAST, 1'b?, 1'b?}: n = IDLE;
  default: n = s;
endcase
always @(posedge c) if (rst) s <= IDLE; else s <= n;
endmodule
module pairs(input c, input rst, input [1:0] d, input go, output reg [1:0] q);
always @(posedge c) case ({d, go}) {2'd0, 1'b1}: q <= 1; {2'd1, 1'b0}: q <= 2; endcase
endmodule
module running(input c, input resetn, input go, input stop);
reg [1:0] mode, held;
always @(posedge c)
  if (resetn) case (mode) 2'b 00: if (go) mode <= 2'b 01; 2'b 01: mode <= 2'b 10;
    2'b 10: if (stop) mode <= 2'b 00; endcase
always @(posedge c) if (resetn) begin
    if (held == 0) held <= 1; else if (held == 1) held <= 2; else if (held == 2) held <= 0;
  end else held <= 2;
endmodule
module saved(input c, input rst, input trap, input back, input user);
typedef enum logic {USER, MACHINE} mode_t;
typedef struct packed { mode_t mode; logic on; } csr_t; csr_t csr_q, csr_d;
always_comb begin csr_d = csr_q;
  if (trap) csr_d.mode = user ? USER : MACHINE;
  if (back) case (csr_q.mode) MACHINE: csr_d.mode = USER; USER: csr_d.mode = USER; endcase
end
always_ff @(posedge c) csr_q <= csr_d;
endmodule
module kinds(input c, input rst, input go, output logic [1:0] y);
typedef enum logic {READ, WRITE} t; t op_q, state_q;
always_ff @(posedge c) if (rst) op_q <= READ; else if (go) op_q <= WRITE; else op_q <= READ;
always_ff @(posedge c) if (rst) state_q <= READ; else if (go) state_q <= WRITE;
endmodule
module leaves(input c, input rst, input go, input done);
typedef enum logic [1:0] {IDLE, RUN, HALT} t; t s, n;
function automatic t follow(input t st, input logic x);
  if (st == IDLE && x) return RUN;
  case (st)
    RUN, HALT: if (!x) return HALT;
    default: return IDLE;
  endcase
  return IDLE;
endfunction
function automatic void restart(input logic now);
  if (!now) return;
  n = IDLE;
endfunction
always_comb begin
  n = follow(s, go);
  restart(done || rst);
end
always_ff @(posedge c) s <= n;
endmodule
interface driven(input c, input go);
typedef enum logic [1:0] {IDLE, RUN, HALT} t; t state;
always_ff @(posedge c) case (state)
  IDLE: if (go) state <= RUN;
  RUN: state <= IDLE;
endcase
task halt();
  state <= HALT;
endtask
endinterface
"""


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("others") / "all"
    folder.mkdir()
    return indexed(folder, {"others.sv": OTHERS})


@pytest.mark.parametrize(
    ("unit", "register", "reset", "expected"),
    [
        ("nets", "s", "WAIT", ["WAIT WRITE", "WAIT READ", "WRITE WAIT", "READ WAIT"]),
        ("powers", "state", "IDLE", ["IDLE RUN", "RUN IDLE"]),
        ("many", "state", "", ["NOT WEAK", "WEAK STRONG", "WEAK NOT", "STRONG WEAK"]),
        ("read_only", "state_r", "EMPTY", [" FULL", " EMPTY"]),
    ],
)
def test_states_that_are_written_otherwise(
    others: Project, unit: str, register: str, reset: str, expected: list[str]
) -> None:
    (machine,) = others.machines(unit)
    assert (machine.register, machine.reset) == (register, reset)
    assert sorted(f"{one.source} {one.target}" for one in machine.transitions) == sorted(expected)


def test_an_enumeration_that_is_set_and_not_tested_is_no_state(others: Project) -> None:
    assert others.machines("kinds") == []
    assert others.machines("saved") == []  # nor a mode that is kept for later


def test_a_task_that_no_process_calls_is_told(others: Project) -> None:
    line = next(n for n, text in enumerate(OTHERS.splitlines(), 1) if "<= HALT" in text)
    (note,) = [one for one in others.fsm("driven")["notes"] if "halt" in one]
    assert note.startswith("the state state of driven may also be set by task halt (others.sv:")
    assert f"others.sv:{line})" in note
    assert not others.fsm("nets")["notes"]


def test_what_stands_behind_a_return_is_reached_without_it(others: Project) -> None:
    (machine,) = others.machines("leaves")
    found = [(one.source, one.target, one.condition) for one in machine.transitions]
    assert sorted(found) == [
        ("", "IDLE", "!(!(done || rst))"),
        ("HALT", "HALT", "!go"),
        ("HALT", "IDLE", "!(!go)"),
        ("IDLE", "RUN", "go"),
        ("RUN", "HALT", "!go"),
        ("RUN", "IDLE", "!(!go)"),
        ("default", "IDLE", "!(s == IDLE && go)"),
    ]
    lines = OTHERS.splitlines()
    later = [lines[line - 1].strip() for line in machine.transitions[1].unless]
    assert later == ["n = IDLE;"]


def test_where_a_reset_of_low_level_is_high_the_process_runs(others: Project) -> None:
    held, mode = sorted(others.machines("running"), key=lambda one: one.register)
    assert [(one.source, one.target) for one in mode.transitions] == [
        ("0", "1"),
        ("1", "2"),
        ("2", "0"),
    ]
    assert (held.reset, [one.condition for one in held.transitions]) == ("2", ["", "", ""])
    (reset,) = others.resets("running")
    assert (reset.signal, reset.active, [one[0] for one in reset.values]) == (
        "resetn",
        "low",
        ["held"],
    )


def test_a_case_over_the_state_and_inputs_together(others: Project) -> None:
    (machine,) = others.machines("together")
    assert [(one.source, one.target, one.condition) for one in machine.transitions] == [
        ("IDLE", "RUN", "go == 1'b1"),
        ("LAST", "LAST", "go == 1'b0 && stop == 1'b0"),
        ("RUN", "LAST", "stop == 1'b1"),
        ("LAST", "IDLE", "!(go == 1'b0 && stop == 1'b0)"),
    ]
    assert others.machines("pairs") == []
