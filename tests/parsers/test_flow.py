"""What the parsers collect of assignments, tests and connections, and what the format refuses."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from _parsing import record_of

from hdlgraph.errors import IndexVersionError
from hdlgraph.model.flow import Block, Flow, Guard, Step
from hdlgraph.store.design.flows import Flows, FlowUnit, StoredMessage, write_flows
from hdlgraph.store.packed.slices import Slices


def flow_of(folder: Path, body: str, head: str = "", others: dict[str, str] | None = None) -> Flow:
    text = f"module top({head});\n{body}\nendmodule\n"
    record = record_of(folder, text, others=others)
    assert record.degraded == ""
    ((name, line, data),) = record.flows
    assert (name, line) == ("top", 1)
    return msgspec.msgpack.decode(data, type=Flow)


def steps(flow: Flow) -> list[tuple[int, list[str], list[str]]]:
    """Returns (line, names written with their selections, names read) of all steps."""
    names = flow.names
    return [
        (
            step.line,
            [names[n].partition(".")[0] + bits for n, bits in step.writes],
            [names[n] for n in step.reads],
        )
        for block in flow.blocks
        for step in block.steps
    ]


@pytest.mark.parametrize(
    ("statement", "written", "read"),
    [
        ("assign {a[0], b.c} = x ? y[i] : pkg::Z;", ["a[0]", "b.c"], ["x", "y", "i"]),
        ("assign a = t'(f(x)) + W'(y);", ["a"], ["x", "y"]),
        ("assign a = '{k: x, default: y};", ["a"], ["x", "y"]),
        ("assign a = u.v.w[i];", ["a"], ["u.v.w", "i"]),
        ("initial a += b;", ["a"], ["b", "a"]),
        ("initial a[i]++;", ["a[i]"], ["i", "a"]),
        ("initial for (int k = 0; k < n; k++) a[k] = b[k];", ["a[k]"], ["b"]),
        ("wire a = x & y;", ["a"], ["x", "y"]),
        ('initial $readmemh("f", mem);', ["mem"], []),
        ("initial force u.q = x;", ["u.q"], ["x"]),
    ],
)
def test_what_a_statement_writes_and_reads(
    tmp_path: Path, statement: str, written: list[str], read: list[str]
) -> None:
    found = [one for one in steps(flow_of(tmp_path, statement)) if one[1]]
    assert found == [(2, written, read)]


def test_tests_around_a_statement(tmp_path: Path) -> None:
    body = """always_comb case (s) A, B: if (x) y = 1; else if (z) y = 2; default: y = 3; endcase"""
    flow = flow_of(tmp_path, body)
    told = [(one.outer, one.kind, one.text, one.labels) for one in flow.guards]
    assert told == [
        (-1, "over", "s", ()),
        (-1, "case", "s", ("A", "B")),
        (1, "if", "x", ()),
        (1, "else", "x", ()),
        (3, "if", "z", ()),
        (-1, "default", "s", ()),
    ]
    writing = [step for block in flow.blocks for step in block.steps if step.writes]
    assert [step.guard for step in writing] == [2, 4, 5]
    assert [step.value for step in writing] == ["1", "2", "3"]


def test_events_with_their_edges(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, "always @(posedge c or negedge r) if (!r) q <= 0; else q <= d;")
    assert [(e, flow.names[n]) for e, n, _ in flow.blocks[0].events] == [
        ("posedge", "c"),
        ("negedge", "r"),
    ]


def test_connections_in_generate_blocks_and_by_macros(tmp_path: Path) -> None:
    others = {"m.svh": "`define CELL(d, q) flop u_cell (.d_i(d), .q_o(q), .k({x, 4'(z)}));\n"}
    body = '`include "m.svh"\nfor (genvar i = 0; i < 2; i++) begin : g\n`CELL(a[i], b)\nend'
    (child,) = flow_of(tmp_path, body, others=others).children
    assert (child.name, child.unit, child.line) == ("g.u_cell", "flop", 4)
    flow = flow_of(tmp_path, body, others=others)
    assert flow.guards[child.guard].text.startswith("for i = 0")
    links = {one.port: one for one in child.links}
    assert [flow.names[n] + bits for n, bits in links["d_i"].writes] == ["a[i]"]
    k = links["k"]
    assert {flow.names[n] for n in (*(n for n, _ in k.writes), *k.reads)} == {"x", "z"}


def test_own_tasks_drive_their_outputs(tmp_path: Path) -> None:
    body = "task t(input x, output y); y = x; endtask\ninitial t(a, b);"
    assert (3, ["b"], ["a"]) in steps(flow_of(tmp_path, body))


def test_dpi_functions_of_the_file_drive_their_outputs(tmp_path: Path) -> None:
    head = 'import "DPI-C" function int tick(input int x, output int y);\n'
    body = "module top;\ninitial tick(a, b);\ninitial c = tick(a, b);\nendmodule"
    record = record_of(tmp_path, head + body)
    flow = msgspec.msgpack.decode(record.flows[0][2], type=Flow)
    found = [(3, ["b"], ["a"]), (4, ["b"], ["a"]), (4, ["c"], ["a", "b"])]
    assert steps(flow) == found


def test_a_chain_of_many_tests_is_read(tmp_path: Path) -> None:
    chain = "\n".join(f"else if (s == {n}) y = {n};" for n in range(1, 400))
    flow = flow_of(tmp_path, f"always_comb if (s == 0) y = 0;\n{chain}")
    assert len(steps(flow)) == 400


def test_messages_of_checks(tmp_path: Path) -> None:
    text = """class c; function void f(); `uvm_error("ID", "queue is full") endfunction endclass
module m; initial begin if (x) $fatal(1, "no clock"); $display("x"); end endmodule
"""
    said = [(one.kind, one.line, one.text) for one in record_of(tmp_path, text).said]
    assert said == [("uvm_error", 1, "ID queue is full"), ("fatal", 2, "no clock")]


UNIT = FlowUnit("module:a.v#a", "a", "module", "a.v", 1)
STEP = Step(1, -1, ((0, ""),), ())


def stored(folder: Path, flow: Flow) -> Flows:
    encode = msgspec.msgpack.encode
    message = StoredMessage("a", "b", 1, "c")
    write_flows(
        Slices(folder, [UNIT.path]), lambda _: [(encode(UNIT), encode(flow))], lambda _: [message]
    )
    return Flows(folder)


def test_flows_are_read_as_written(tmp_path: Path) -> None:
    flow = Flow(("x",), (), (Block("assign", 1, 1, steps=(STEP,)),))
    found = stored(tmp_path, flow)
    assert found.units == [UNIT]
    assert found.flow(0) == flow
    assert found.said() == [StoredMessage("a", "b", 1, "c")]


@pytest.mark.parametrize(
    "flow",
    [
        Flow((), (), (Block("assign", 1, 1, steps=(STEP,)),)),
        Flow(("x",), (), (Block("assign", 1, 1, steps=(Step(1, 3, (), (0,)),)),)),
        Flow(("x",), (Guard(0, "if", "x", 1),)),
        Flow(("x",), (), (Block("assign", 1, 1, guards=0, guards_end=7),)),
        Flow(("x",), (), (Block("always", 1, 1, events=(("posedge", -1, 1),)),)),
    ],
)
def test_numbers_that_name_nothing_are_refused(tmp_path: Path, flow: Flow) -> None:
    with pytest.raises(IndexVersionError, match="run `hdlgraph index` again"):
        stored(tmp_path, flow).flow(0)


@pytest.mark.parametrize("file", ["units.msgpack", "starts.npy", "data.bin"])
def test_damaged_files_are_refused(tmp_path: Path, file: str) -> None:
    stored(tmp_path, Flow(("x",)))
    (tmp_path / "flows" / file).write_bytes(b"\x93\x01\x02")
    with pytest.raises(IndexVersionError, match="flows"):
        Flows(tmp_path)
