"""Who drives and reads a signal, its clock and reset, and traces across units and interfaces."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from _texts import units

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.query.signals.records import Access

DESIGN = Path(__file__).parent.parent / "designs" / "signals"


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("signals") / "link"
    shutil.copytree(DESIGN, folder)
    return units(folder)


LATE_RESET = """module late_reset(input c, input rn, input d, output reg q);
always @(posedge c or negedge rn) if (rn) q <= d; else q <= 1'b1;
endmodule"""
CELLED = """package p; typedef enum logic {A, B} t; endpackage
module celled import p::*; (input c, input x, output t s);
logic raw; t s_d;
cell_ff #(.ResetValue(B)) u(.clk(c), .d_i(s_d), .q_o(raw));
assign s = t'(raw);
always_comb begin s_d = s; case (s) A: if (x) s_d = B; B: s_d = A; endcase end
endmodule"""
WATCHED = """module watched(input c, input r, input x, output y);
typedef enum logic {A, B} t; t q, n;
always_ff @(posedge c or negedge r) if (!r) q <= A; else q <= n;
always_comb begin n = q; case (q) A: if (x) n = B; B: n = A; endcase end
assign y = (n == A) || (n == B);
always_comb if (n == B) z = 1; else if (n == A) z = 0;
endmodule"""
DECODER = """module decoder(input [1:0] s, output reg [1:0] y);
localparam A = 0, B = 1;
always @* case (s) A: y = B; B: y = A; default: y = 0; endcase
endmodule"""
OUTSIDE = """package q; localparam logic Z = 1'b0, E = 1'b1;
typedef enum logic [1:0] {N0 = {Z, Z}, N1 = {Z, E}, N2 = 2'b10} n_e; endpackage
module outside import q::*; (input n_e cnt_i, input go, output n_e next_cnt_o, output n_e other_o);
always_comb begin next_cnt_o = cnt_i; if (go) case (cnt_i)
N0: next_cnt_o = N1;
N1: next_cnt_o = N2;
default: ; endcase end
always_comb begin other_o = cnt_i; case (cnt_i) N0: other_o = N2; N1: other_o = N0; endcase end
endmodule"""
CHECKED = """module checked(input c, input a, input b);
  a_b: assert property (@(posedge c) a |-> b)
    else $error("b is late");
  covergroup cg @(posedge c); coverpoint a; endgroup
  initial if (a) $fatal(1, "no clock");
endmodule"""
MANY = "\n".join(f"assign y[{n}] = go;" for n in range(10_000))
WIDE = f"module wide(input go, output [9999:0] y);\n{MANY}\nendmodule"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("signals") / "small"
    return units(
        folder,
        late=LATE_RESET,
        celled=CELLED,
        decoder=DECODER,
        outside=OUTSIDE,
        wide=WIDE,
        checked=CHECKED,
        watched=WATCHED,
    )


def line_of(words: str) -> int:
    lines = (DESIGN / "link.sv").read_text().splitlines()
    return next(number for number, text in enumerate(lines, 1) if words in text)


def told(found: list[Access]) -> list[tuple[int, str, str]]:
    return [(one.line, one.how, one.instance or one.condition) for one in found]


def test_drivers_have_their_tests_clock_and_reset(link: Project) -> None:
    first, second = link.drivers("sender", "count_q")
    assert (first.line, first.reset, first.condition) == (line_of("8'h05"), True, "!rst_ni")
    assert second.condition == "rst_ni && out.valid && out.ready"
    assert second.clock == ("posedge", "clk_i")
    assert second.others == ("count_q",)


def test_readers_by_values_and_by_tests(link: Project) -> None:
    found = link.loads("sender", "go_i")
    assert [(one.line, one.control) for one in found] == [
        (line_of("IDLE: if"), True),
        (line_of("SEND: if"), False),
    ]
    assert found[0].others == ("state_d",)


def test_ports_of_instances_by_their_direction(link: Project) -> None:
    assert told(link.drivers("top", "hop")) == [
        (line_of("assign hop[0]"), "assign", ""),
        (line_of("u_stage"), "instance", "g_hop.u_stage"),
    ]
    assert [one.port for one in link.loads("top", "hop") if one.how == "instance"] == ["a"]
    (gate,) = link.drivers("top", "loop")
    assert (gate.how, gate.of) == ("instance", "and")


def test_members_of_an_interface_by_the_modport(link: Project) -> None:
    (driver,) = link.drivers("top", "bus.valid")
    assert (driver.instance, driver.port) == ("u_sender", "out")
    assert [one.instance for one in link.loads("top", "bus.valid")] == ["u_receiver"]
    assert [one.instance for one in link.drivers("top", "bus.ready")] == ["u_receiver"]


def test_clocks_and_resets(link: Project) -> None:
    (clock,) = link.clocks("sender")
    assert (clock.signal, clock.edge, clock.registers) == (
        "clk_i",
        "posedge",
        ("count_q", "state_q"),
    )
    (reset,) = link.resets("sender")
    assert (reset.signal, reset.kind, reset.active) == ("rst_ni", "asynchronous", "low")
    assert [value[:2] for value in reset.values] == [("state_q", "IDLE"), ("count_q", "8'h05")]
    (other,) = link.resets("receiver")
    assert (other.signal, other.kind, other.active) == ("rst", "synchronous", "high")


def test_a_reset_whose_branch_is_the_else(small: Project) -> None:
    (reset,) = small.resets("late_reset")
    assert (reset.active, reset.values) == ("low", (("q", "1'b1", 2),))


def test_a_state_machine(link: Project) -> None:
    (machine,) = link.machines("sender")
    assert (machine.register, machine.next, machine.reset) == ("state_q", "state_d", "IDLE")
    assert [name for name, _ in machine.states] == ["IDLE", "SEND", "REST"]
    moves = [(one.source, one.target, one.condition) for one in machine.transitions]
    assert moves == [
        ("IDLE", "SEND", "go_i"),
        ("SEND", "REST", "out.ready && !(go_i)"),
        ("SEND", "SEND", "out.ready && go_i"),
        ("default", "IDLE", ""),
    ]


def test_a_state_machine_behind_a_register_cell_and_a_cast(small: Project) -> None:
    (machine,) = small.machines("celled")
    assert (machine.register, machine.reset) == ("s", "B")
    assert [(one.source, one.target) for one in machine.transitions] == [("A", "B"), ("B", "A")]


def test_a_next_value_that_is_tested_too_is_no_second_machine(small: Project) -> None:
    (machine,) = small.machines("watched")
    assert (machine.register, machine.next) == ("q", "n")
    assert all(one.source for one in machine.transitions)


def test_a_state_that_is_held_outside_of_the_unit(small: Project) -> None:
    (machine,) = small.machines("outside")
    assert (machine.register, machine.next) == ("cnt_i", "next_cnt_o")
    moves = [(one.source, one.target, one.condition) for one in machine.transitions]
    assert moves == [("N0", "N1", "go"), ("N1", "N2", "go")]


def test_a_decoder_is_no_state_machine(small: Project) -> None:
    assert small.machines("decoder") == []


def nets(walk: dict[str, Any]) -> list[str]:
    return [net["signal"] for net in walk["nets"]]


def test_a_trace_crosses_generate_blocks_and_instances(link: Project) -> None:
    found = link.trace("top.enable", ("drivers",), depth=4)
    assert nets(found["drivers"]) == ["top.enable", "top.hop", "top.go", "stage.y", "stage.a"]
    assert "loads" not in found


def test_a_trace_crosses_an_interface(link: Project) -> None:
    found = link.trace("top.u_receiver.last_o", ("drivers",), depth=5)["drivers"]
    begin = ["receiver.last_o", "receiver.in.data", "top.bus.data", "sender.out.data"]
    assert nets(found)[:4] == begin
    assert found["nets"][3]["instance"] == "top.u_sender"
    assert "sender.count_q" in nets(found)


def test_a_combinational_loop_ends(link: Project) -> None:
    found = link.trace("top.a", depth=50)
    assert len(set(nets(found["drivers"]))) == len(nets(found["drivers"]))
    assert not found["drivers"]["truncated"]


def test_a_trace_that_ends_at_its_depth_says_so(link: Project) -> None:
    found = link.trace("top.u_receiver.last_o", ("drivers",), depth=1)["drivers"]
    assert (found["truncated"], found["beyond"]) == (True, 1)
    found = link.trace("top.u_receiver.last_o", ("drivers",), depth=50)["drivers"]
    assert (found["truncated"], found["beyond"]) == (False, 0)


def test_a_net_of_many_loads_is_summed_up(small: Project) -> None:
    net = small.trace("wide.go", ("loads",), limit=5)["loads"]["nets"][0]
    assert (net["total"], net["counts"], len(net["steps"])) == (10_000, {"assign": 10_000}, 5)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("top.enabel", "(link.sv:59) has no signal or instance 'enabel'; did you mean enable?"),
        ("top.u_sendr.go_i", "did you mean u_sender?"),
        ("rst_nni", "did you mean sender.rst_ni"),
        ("clk", "'clk' is a signal of 3 units: wire_if.clk (link.sv:2), receiver.clk"),
        ("", "empty"),
    ],
)
def test_a_wrong_name_gets_candidates(link: Project, name: str, words: str) -> None:
    with pytest.raises(UsageError) as error:
        link.trace(name)
    assert words in str(error.value)


def test_an_unknown_unit_gets_candidates(link: Project) -> None:
    with pytest.raises(UsageError, match="did you mean sender"):
        link.machines("sendr")
    with pytest.raises(UsageError, match=r"'sender' is a module .*no signal: .*sender\.clk_i"):
        link.trace("sender")
    with pytest.raises(UsageError, match="did you mean count_q"):
        link.drivers("sender", "count")


def test_who_names_drivers_and_readers(link: Project) -> None:
    found = [(one["kind"], one["line"]) for one in link.who("top.enable")["users"]]
    assert ("DRIVES", line_of("assign enable")) in found
    assert ("CONNECTS", line_of("u_sender (")) in found
    assert ("READS", line_of("u_sender (")) not in found  # it is told once
    path = link.who("top.u_sender.state_d")
    assert {one["kind"] for one in path["users"]} == {"DRIVES", "READS"}


def test_path_between_signals_is_the_way_of_the_value(link: Project) -> None:
    found = link.path("top.go", "sender.state_d")
    (walk,) = found["walks"]
    assert [step["to"]["name"] for step in walk["steps"]][-2:] == ["sender.go_i", "sender.state_d"]
    assert all(step["forward"] and step["words"] == "drives" for step in walk["steps"])
    back = link.path("sender.state_d", "top.go")["walks"][0]
    assert [step["to"]["name"] for step in back["steps"]][-1] == "top.go"
    assert not any(step["forward"] for step in back["steps"])


def test_impact_of_a_signal_lists_the_signals_reached(link: Project) -> None:
    found = link.impact("top.enable", depth=2)["signals"]
    assert [(one["signal"], one["distance"]) for one in found] == [
        ("sender.go_i", 1),
        ("sender.state_d", 2),
    ]


def test_other_names_answer_as_before(link: Project) -> None:
    assert "signals" not in link.impact("sender")
    assert {one["kind"] for one in link.who("sender")["users"]} == {"INSTANTIATES"}


def test_checks_with_their_messages(small: Project) -> None:
    found = [(one.kind, one.name, one.message, one.line) for one in small.checks("checked")]
    assert found == [
        ("assert", "a_b", "b is late", 2),
        ("covergroup", "cg", "", 4),
        ("fatal", "", "no clock", 5),
    ]
    assert "a |-> b" in small.checks("checked")[0].text


VALUES = """module values(input c, input rn, input go, input [3:0] a,
  output reg [3:0] q, output reg f);
reg [3:0] n; reg x, y;
always @(posedge c or negedge rn) if (!rn) q <= 4'd9; else q <= n;
always @* begin f = 1'b0; n = a + q; if (go) begin f = 1'b1; {x, y} = a; end end
always @(posedge c)
  if (go) x <= y ? a : {a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a};
integer k;
always @(posedge c) k += 1;
endmodule"""


def test_a_driver_says_what_it_assigns(tmp_path: Path) -> None:
    project = units(tmp_path / "values", values=VALUES)

    def values(name: str) -> list[tuple[str, bool]]:
        found = project.drivers("values", name)
        return sorted(((one.value, one.reset) for one in found), key=lambda one: one[::-1])

    assert values("q") == [("n", False), ("4'd9", True)]
    assert values("f") == [("1'b0", False), ("1'b1", False)]
    assert values("n") == [("", False)]  # of a sum no text is kept
    assert values("k") == [("", False)]  # what is added is not the value
    shared, cut = values("x")
    assert shared == ("", False)
    assert cut[0].startswith("y ? a : {a,")
    assert cut[0].endswith("…")
    assert len(cut[0]) == 60
    steps = project.trace("values.q", ("drivers",))["drivers"]["nets"][0]["steps"]
    assert {step["value"] for step in steps} == {"n", "4'd9"}
    texts = [one["text"] for one in project.who("values.q")["users"] if one["kind"] == "DRIVES"]
    assert sorted(texts) == ["always = 4'd9 in reset if !rn", "always = n if rn"]


PACKAGED = """package counting;
  int count = 0;
  logic busy;
  function automatic void bump(input int by);
    if (busy) count = count + by;
    busy = count > 4;
  endfunction
endpackage
"""


def test_the_routines_of_a_package_drive_and_read_its_variables(tmp_path: Path) -> None:
    project = units(tmp_path / "packaged", packaged=PACKAGED)
    found = project.drivers("counting", "count")
    assert [(one.line, one.how, one.condition) for one in found] == [
        (2, "initial", ""), (5, "function", "busy"),
    ]  # fmt: skip
    (one,) = project.drivers("counting", "busy")
    assert (one.line, one.others) == (6, ("count",))
    assert [one.line for one in project.loads("counting", "busy")] == [5]
