"""`hdlgraph trace` and `hdlgraph fsm` as a user meets them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run

DESIGN = Path(__file__).parent.parent / "designs" / "signals"
PAGE = Path(__file__).parent.parent.parent / "docs" / "json.md"


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    root = tmp_path_factory.mktemp("design") / "link"
    shutil.copytree(DESIGN, root)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    return ["--index", str(root)]


def test_trace_as_text(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", "top.enable", "--drivers", *at]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "top.enable (link.sv:61) driven by",
        "  link.sv:69  assign = hop[3] -> top.hop",
        "  top.hop (link.sv:60) driven by",
        "    link.sv:65  assign = go -> top.go",
        "    link.sv:67  g_hop.u_stage.y of stage if for i = 0; i < 3 -> stage.y",
        "... more lies behind 1 net: raise --depth",
    ]
    assert run(["trace", "sender.count_q", "--drivers", "--limit", "1", *at]) == 0
    out = capsys.readouterr().out
    assert "always_ff = 8'h05 @(posedge clk_i) reset if !rst_ni" in out
    assert "... and 1 more places (2 always_ff); --limit" in out


def test_trace_as_json(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", "top.u_sender.go_i", "--depth", "1", *at, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["signal"], data["stale"]["changed"]) == (1, "sender.go_i", [])
    (net,) = data["drivers"]["nets"]
    assert (data["drivers"]["truncated"], data["drivers"]["beyond"]) == (True, 1)
    assert (net["instance"], net["steps"][0]["to"]) == ("top.u_sender", ["top.enable"])
    assert data["loads"]["nets"][0]["counts"] == {"always_comb": 2}


def test_fsm_as_text_json_and_diagram(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fsm", "sender", *at]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "sender.state_q (link.sv:17), next value state_d, reset to IDLE, clock clk_i"
    assert lines[1] == "  states: IDLE, SEND, REST"
    assert lines[2] == "  IDLE -> SEND if go_i  (link.sv:33)"
    assert run(["fsm", "sender", *at, "--json"]) == 0
    (machine,) = json.loads(capsys.readouterr().out)["machines"]
    assert machine["states"][0] == {"name": "IDLE", "line": 33}
    assert run(["fsm", "sender", "--mermaid", *at]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "stateDiagram-v2"
    assert "    s_IDLE --> s_SEND : go_i" in shown
    assert "    [*] --> s_IDLE" in shown
    assert run(["fsm", "stage", *at]) == 0
    assert capsys.readouterr().out == "stage: no state machine found\n"
    assert run(["fsm", "stage", "--mermaid", *at]) == 0
    assert capsys.readouterr().out == "stateDiagram-v2\n    %% stage: no state machine found\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["trace", "clk"], "is a signal of 3 units"),
        (["trace", "nothing_here"], "nothing is called 'nothing_here'"),
        (["trace", "top.u_sendr.x"], "did you mean u_sender"),
        (["fsm", "sendr"], "did you mean sender"),
        (["fsm", "sendr", "--mermaid"], "did you mean sender"),
    ],
)
def test_wrong_names_are_told(
    at: list[str], arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*arguments, *at]) == 2
    assert words in capsys.readouterr().err


def test_who_path_and_impact_of_signals(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["who", "top.enable", *at]) == 0
    out = capsys.readouterr().out
    assert "link.sv:69" in out
    assert "drives" in out
    assert run(["path", "top.go", "top.enable", *at]) == 0
    assert "drives top.enable" in capsys.readouterr().out
    assert run(["impact", "top.enable", *at]) == 0
    assert "signals reached: 3" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["trace", "top.enable"],
        ["fsm", "sender"],
        ["who", "top.enable"],
        ["path", "top.go", "top.enable"],
        ["impact", "top.enable"],
    ],
)
def test_every_key_is_told(
    at: list[str], arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    page = re.sub(r"^```.*?^```", "", PAGE.read_text("utf-8"), flags=re.M | re.S)
    told = {word for text in re.findall("`([^`]+)`", page) for word in re.findall(r"\w+", text)}
    assert run([*arguments, *at, "--json"]) == 0
    assert keys(json.loads(capsys.readouterr().out)) - told == set()


def keys(value: object) -> set[str]:
    """Returns the keys of all objects in a JSON value, but for those of counts by name."""
    if isinstance(value, list):
        return {key for one in value for key in keys(one)}
    if isinstance(value, dict):
        inner = {key for name, one in value.items() if name != "counts" for key in keys(one)}
        return {*value, *inner}
    return set()


def test_long_conditions_are_whole_in_a_pipe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = " && ".join(f"a_rather_long_request_{number}" for number in range(4))
    (tmp_path / "wide.sv").write_text(
        f"module wide (input logic clk_i, d_i, output logic q_o);\n"
        f"  always_ff @(posedge clk_i) if ({words}) q_o <= d_i;\nendmodule\n"
    )
    Project(tmp_path).index(embeddings=False, graphrag="never", jobs=1)
    assert run(["trace", "wide.q_o", "--drivers", "--index", str(tmp_path)]) == 0
    assert f" if {words} -> wide.d_i\n" in capsys.readouterr().out
