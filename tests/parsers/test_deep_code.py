"""Code that is nested deep is read, and where it is too deep that is said and no mistake."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from _parsing import record_of

from hdlgraph.index.parse.syntax import errors_of
from hdlgraph.model import FileRecord
from hdlgraph.model.flow import Flow


def chain(arms: int) -> str:
    tests = "".join(f" else if (a == {at}) b = {at};\n" for at in range(arms))
    return f"module m(input [31:0] a, output reg b);\nalways @* if (a) b = 1;\n{tests}endmodule\n"


def choice(arms: int) -> str:
    tests = "".join(f"a == {at} ? c{at % 7} :\n" for at in range(arms))
    return f"module m(input [31:0] a, output b);\nassign b = {tests}0;\nendmodule\n"


def blocks(depth: int) -> str:
    return (
        f"module m(input a, output reg b);\nalways @* {'begin ' * depth}b = a;"
        f"{' end' * depth}\nendmodule\n"
    )


def flow_of(record: FileRecord) -> Flow:
    ((_, _, data),) = record.flows
    return msgspec.msgpack.decode(data, type=Flow)


def test_a_chain_of_many_arms_is_read(tmp_path: Path) -> None:
    record = record_of(tmp_path, chain(1500))
    assert record.degraded == ""
    assert not record.diagnostics
    assert sum(len(block.steps) for block in flow_of(record).blocks) == 1501


def test_a_choice_of_many_arms_is_read(tmp_path: Path) -> None:
    record = record_of(tmp_path, choice(1500))
    assert record.degraded == ""
    assert {"a", "c0", "c6"} <= set(flow_of(record).names)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (chain(5000), "nested too deep at line 40"),
        (choice(5000), "nested too deep at line 40"),
        (blocks(1500), "nested too deep: nothing is told of the signals of m"),
    ],
    ids=["chain", "choice", "blocks"],
)
def test_what_is_too_deep_is_said(tmp_path: Path, text: str, why: str) -> None:
    record = record_of(tmp_path, text)
    assert record.degraded.startswith(why)
    assert errors_of(record) == []
    assert [unit.name for unit in record.units] == ["m"]
