"""`hdlgraph testbench` as a user meets it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run

PAGE = Path(__file__).parent.parent.parent / "docs" / "json.md"


@pytest.fixture(scope="module")
def at(pulse_project: Project) -> list[str]:
    return ["--index", str(pulse_project.root)]


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_a_unit(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["testbench", "pulse", *at]) == 0
    told = lines(capsys)
    assert told[:4] == [
        "module pulse (rtl/pulse.sv:2)",
        "  uvm tb (dv/tb/tb.sv:2)",
        "    instance tb.dut.u_pulse",
        "    environment: pulse_env (dv/env/pulse_env.sv:13)",
    ]
    assert "    tests (dv/pulse_sim_cfg.hjson): pulse_smoke, pulse_slow, pulse_burst" in told
    assert told[-1] == "    pulse_checks into pulse (dv/tb/bind.sv:10)"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pulse_env", "    monitor: pulse_monitor monitor dv/agent/base.sv:11"),
        ("pulse_slow", "  UVM test pulse_slow_test (dv/tests/pulse_test_pkg.sv:20)"),
        ("vif", "  read virtual pulse_if (dv/agent/pulse_agent.sv:18)"),
        ("pulse_seed", "  body dv/dpi/pulse_dpi.c:9"),
        ("pulse_missing", "  no C or C++ file of the repository has it"),
        ("lonely", "  no testbench of the repository holds it"),
    ],
)
def test_other_names(
    at: list[str], name: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["testbench", name, *at]) == 0
    assert expected in lines(capsys)


def test_all_testbenches(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["testbench", *at]) == 0
    assert lines(capsys) == [
        "testbench tb (dv/tb/tb.sv:2)",
        "  uvm, 3 tests: pulse_wrapper",
        "keys of uvm_config_db that are set and never read:",
        "  never_read (int) dv/tb/tb.sv:17",
        "keys of uvm_config_db that are read and never set:",
        "  never_set (string) dv/agent/pulse_agent.sv:19",
    ]


def test_a_chart(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["testbench", "pulse", "--format", "mermaid", *at]) == 0
    told = lines(capsys)
    assert told[:2] == ["flowchart LR", '    subgraph r0_0["pulse_env: pulse_env"]']
    assert '    r0_2 -->|"item_port to item_fifo.analysis_export"| r0_5' in told


def test_an_unknown_name(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["testbench", "pulse_emv", *at]) == 2
    assert "did you mean pulse_env (dv/env/pulse_env.sv:13)" in capsys.readouterr().err


def test_every_key_is_on_the_page(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    part = PAGE.read_text().partition("## `testbench [NAME]`")[2].partition("\n## ")[0]
    told = set(re.findall(r"`(\w+)`", part)) | {"schema", "notes", "stale"}
    for name in ("", "pulse", "pulse_env", "pulse_smoke", "pulse_slow", "vif", "pulse_seed"):
        assert run(["testbench", name, "--json", *at]) == 0
        found = json.loads(capsys.readouterr().out)
        found.pop("stale")
        assert keys(found) - told == set()


def keys(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for one in value.values() for key in keys(one)}
    return {key for one in value for key in keys(one)} if isinstance(value, list) else set()
