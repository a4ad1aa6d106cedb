"""What drives and reads signals in the `ifdef branches that are not taken by default."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
from _parsing import record_of
from _texts import indexed

from hdlgraph.model.flow import Flow

CORE = """\
module core (input clk_i, input en, input a, input b, output logic q, output logic r);
`ifdef RVFI
  assign r = a & b;
  leaf u_trace (.clk(clk_i), .d(a));
`else
  assign r = 1'b0;
`endif
  always_ff @(posedge clk_i)
    if (en) begin
      q <= a;
`ifdef RVFI
      valid <= b;
    end else if (b) begin
      valid <= 1'b0;
`endif
    end
  leaf u_leaf (
`ifdef RVFI
    .d(b),
`else
    .d(a),
`endif
    .clk(clk_i)
  );
endmodule
"""


def flow_of(folder: Path, text: str, unit: str = "core") -> Flow:
    record = record_of(folder, text)
    assert record.degraded == ""
    (data,) = [data for name, _, data in record.flows if name == unit]
    return msgspec.msgpack.decode(data, type=Flow)


def written(flow: Flow) -> list[tuple[str, int, str]]:
    """Returns (kind of the process, line, name) of all assignments."""
    return [
        (block.kind, step.line, flow.names[number])
        for block in flow.blocks
        for step in block.steps
        for number, _ in step.writes
    ]


def test_assignments_of_all_branches_stand_once(tmp_path: Path) -> None:
    assert written(flow_of(tmp_path, CORE)) == [
        ("assign", 3, "r"),
        ("assign", 6, "r"),
        ("always_ff", 10, "q"),
        ("always_ff", 12, "valid"),
        ("always_ff", 14, "valid"),
    ]


def test_a_process_with_branches_is_one_with_all_its_tests(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, CORE)
    (process,) = [block for block in flow.blocks if block.kind == "always_ff"]
    own = flow.guards[process.guards : process.guards_end]
    assert [(one.kind, one.text, one.line) for one in own] == [
        ("if", "en", 9),
        ("else", "en", 9),
        ("if", "b", 13),
    ]
    assert [flow.names[one[1]] for one in process.events] == ["clk_i"]
    last = process.steps[-1]
    assert flow.guards[flow.guards[last.guard].outer] == own[1]
    assert all(guard.outer < at for at, guard in enumerate(flow.guards))


def test_instances_and_connections_of_all_branches(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, CORE)
    told = {
        child.name: [(link.port, link.line, flow.names[link.writes[0][0]]) for link in child.links]
        for child in flow.children
    }
    assert told == {
        "u_trace": [("clk", 4, "clk_i"), ("d", 4, "a")],
        "u_leaf": [("d", 19, "b"), ("d", 21, "a"), ("clk", 23, "clk_i")],
    }


def test_a_process_whose_head_depends_is_there_under_both(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        "module core (input c, input r, input d, output logic q);\n`ifdef ASYNC\n"
        "  always @(posedge c or posedge r)\n`else\n  always @(posedge c)\n`endif\n"
        "    if (r) q <= 0; else q <= d;\nendmodule\n",
    )
    heads = [(block.line, [flow.names[n] for _, n, _ in block.events]) for block in flow.blocks]
    assert heads == [(3, ["c", "r"]), (5, ["c"])]


def test_generate_conditions_and_units_of_other_branches(tmp_path: Path) -> None:
    text = (
        "module core (input a, output y);\n  if (W > 1) begin : g_wide\n    assign y = a;\n"
        "`ifdef EXTRA\n    leaf u_leaf (.d(a));\n`endif\n  end\nendmodule\n"
        "`ifdef EXTRA\nmodule more (input a, output z);\n  assign z = a;\nendmodule\n`endif\n"
    )
    flow = flow_of(tmp_path, text)
    (child,) = flow.children
    guard = flow.guards[child.guard]
    assert (child.name, guard.kind, guard.text) == ("g_wide.u_leaf", "generate", "W > 1")
    assert child.guard == flow.blocks[0].steps[0].guard
    assert written(flow_of(tmp_path, text, "more")) == [("assign", 11, "z")]


def test_a_header_in_each_branch_is_one_flow(tmp_path: Path) -> None:
    record = record_of(
        tmp_path,
        "`ifdef AXI\nmodule core (input a, output y);\n`else\nmodule core (input a);\n`endif\n"
        "`ifdef AXI\n  assign y = a;\n`endif\n  wire z = a;\nendmodule\n",
    )
    ((name, line, data),) = record.flows
    assert (name, line) == ("core", record.units[0].line)
    flow = msgspec.msgpack.decode(data, type=Flow)
    assert written(flow) == [("assign", 7, "y"), ("assign", 9, "z")]


def test_trace_finds_the_drivers_of_both_branches(tmp_path: Path) -> None:
    project = indexed(tmp_path, {"core.sv": CORE})
    found = project.drivers("core", "r")
    assert [(one.line, one.others) for one in found] == [(3, ("a", "b")), (6, ())]
    clocked = project.drivers("core", "valid")
    assert [(one.line, one.condition, one.clock[1]) for one in clocked] == [
        (12, "en", "clk_i"),
        (14, "!en && b", "clk_i"),
    ]


def test_many_branches_take_bounded_time(tmp_path: Path) -> None:
    body = "".join(f"  assign y[{n}] = x[{n}];\n" for n in range(4_000))
    chain = "".join(f"`ifdef A{n}\n  assign z{n} = x;\n`elsif B{n}\n  assign w = x;\n`endif\n"
                    for n in range(300))  # fmt: skip
    start = time.process_time()
    flow = flow_of(tmp_path, f"module core (input x, output y);\n{body}{chain}endmodule\n")
    assert time.process_time() - start < 8
    assert len(written(flow)) == 4_600
