"""`hdlgraph elaborate`, and `tree`, `show` and `impact` of what it found, from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from _elaborating import project

from hdlgraph.errors import UsageError
from hdlgraph.serve.cli.main import run

FILES = {
    "soc.sv": """
module soc #(parameter int WIDTH = 8, parameter bit ECC = 0)
  (input logic [WIDTH-1:0] d, output logic [WIDTH-1:0] q);
  logic [1:0] part;
  assign part[0] = 1'b1;
  if (ECC) begin : gen_ecc
    ecc #(.W(WIDTH)) u_ecc (.d);
  end
  store #(.W(WIDTH)) u_store (.d, .q);
endmodule
""",
    "store.sv": "module store #(parameter int W = 1)\n"
    "  (input logic [W-1:0] d, output logic [W-1:0] q);\n  assign q = d;\nendmodule\n",
    "ecc.sv": "module ecc #(parameter int W = 1) (input logic [W-1:0] d);\n  gone g ();\n"
    "endmodule\n",
}
PAGE = Path(__file__).parents[2] / "docs" / "json.md"


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    made = project(tmp_path_factory.mktemp("soc"), FILES)
    made.elaborate(defines=["SIM"])
    made.elaborate(parameters=["ECC=1"], name="ecc")
    return ["--index", str(made.folder)]


def test_the_report_is_printed(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["elaborate", "--name", "ecc", "-P", "ECC=1", *at]) == 0
    text = capsys.readouterr().out
    assert text.startswith("soc soc.sv:2\n")
    assert "2 instances of 3 units in 3 forms, 3 files (kept from before" in text
    assert "0 errors, " in text
    assert re.search(r"not in the repository: 1\n +gone +ecc\.sv:2", text)
    assert run(["elaborate", "--files", "-D", "SIM", *at]) == 0
    assert capsys.readouterr().out == "ecc.sv\nsoc.sv\nstore.sv\n"
    assert run(["elaborate", "--list", *at]) == 0
    text = capsys.readouterr().out
    assert "default  soc  1 instances, 0 errors  -D SIM\n" in text
    assert "ecc  soc  2 instances, 0 errors  -P ECC=1\n" in text


def test_the_tree_has_values_and_generates(
    at: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tree", "--config", "default", *at]) == 0
    assert capsys.readouterr().out == (
        "soc soc.sv:2\n"
        "  # WIDTH=8 ECC=1'b0\n"
        "  - gen_ecc soc.sv:6  if ECC\n"
        "  u_store store soc.sv:9\n"
        "    # W=8\n"
    )
    assert run(["tree", "store", "--config", "ecc", *at]) == 0
    assert capsys.readouterr().out == "store store.sv:1  1 instances\n  # W=8\n"
    assert run(["tree", *at]) == 0  # the design graph is as it was
    assert "gen_ecc" in capsys.readouterr().out


def test_show_says_what_a_name_became(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "store", "--config", "default", *at]) == 0
    text = capsys.readouterr().out
    assert "in default: 1 x soc.u_store\n" in text
    assert "    W = 8  int\n" in text
    assert "    input d [8 bits] logic[7:0]\n" in text
    assert run(["show", "soc.part", "--config", "default", *at]) == 0
    assert re.search(r"part\[0:0\] +soc\.sv:5 +assign", capsys.readouterr().out)
    assert run(["show", "ecc", "--config", "default", *at]) == 0
    assert "configuration default has nothing of that name" in capsys.readouterr().err


def test_another_value_of_a_parameter_is_compared(
    at: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["impact", "--parameter", "soc.ECC=1", *at]) == 0
    text = capsys.readouterr().out
    assert text.startswith("soc.ECC: 1'b0 -> 1'b1 in soc\n1 instances before, 2 after")
    assert "soc.gen_ecc.u_ecc  soc.sv:7  ecc, 1 below, 1 times\n" in text
    assert "soc.gen_ecc (1 times)  soc.sv:6  False -> True\n" in text
    assert run(["impact", "--parameter", "soc.WIDTH=32", "--json", *at]) == 0
    found = json.loads(capsys.readouterr().out)
    widths = {(one["instance"], one["name"]): one["after"] for one in found["widths"]}
    assert widths == {
        ("soc", "d"): 32, ("soc", "q"): 32, ("soc.u_store", "d"): 32, ("soc.u_store", "q"): 32
    }  # fmt: skip
    values = {
        one["instance"]: (one["name"], one["before"], one["after"]) for one in found["values"]
    }
    assert values == {"soc": ("WIDTH", "8", "32"), "soc.u_store": ("W", "8", "32")}
    assert (found["appear"], found["vanish"], found["branches"]) == ([], [], [])


def test_a_unit_below_the_top_is_elaborated_by_itself(
    at: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["impact", "--parameter", "store.W=5", "--json", *at]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["tops"], found["before"], found["after"]) == (["store"], "1", "5")
    uses = [(use["user_name"], use["location"]) for use in found["uses"]]
    assert uses == [("soc.u_store", "soc.sv:9")]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["elaborate", "--top", "sock"], "--top 'sock': no unit has that name; did you mean soc?"),
        (["elaborate", "-P", "DEPTH=1"], "soc has no parameter 'DEPTH' to set; it has WIDTH, ECC"),
        (["elaborate", "--list", "--top", "soc"], "--list goes with no option"),
        (["tree", "--config", "none"], "configuration 'none': there is none (kept: default, ecc)"),
        (["show", "soc", "--config", "../x"], "a name has 1 to 60 letters"),
        (["impact"], "impact takes either a NAME or --parameter"),
        (["impact", "soc", "--parameter", "soc.ECC=1"], "impact takes either a NAME or"),
        (["impact", "--parameter", "soc"], "write UNIT.NAME=VALUE"),
        (["impact", "--parameter", "soc.DEPTH=1"], "has no parameter 'DEPTH' to set"),
        (["impact", "--parameter", "sock.W=1"], "no unit has that name"),
    ],
)
def test_wrong_use_is_one_line(
    at: list[str], arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*arguments, *at]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_errors_of_the_design_are_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = project(tmp_path, {"a.sv": "module a;\n  assign x = missing_name;\nendmodule\n"})
    assert run(["elaborate", "--index", str(made.folder)]) == 1
    assert "error a.sv:2  use of undeclared identifier" in capsys.readouterr().out


def keys(value: object) -> set[str]:
    """Returns the keys of all objects in a JSON value, but for those of counts by name."""
    if isinstance(value, list):
        return {key for one in value for key in keys(one)}
    if not isinstance(value, dict):
        return set()
    inner = (keys(one) for key, one in value.items() if key not in ("codes", "differences"))
    return set(value).union(*inner)


@pytest.mark.parametrize(
    "arguments",
    [
        ["elaborate", "-D", "SIM"],
        ["elaborate", "--list"],
        ["tree", "--config", "ecc"],
        ["tree", "store", "--config", "ecc"],
        ["impact", "--parameter", "soc.ECC=1"],
    ],
)
def test_every_key_of_an_elaboration_is_documented(
    at: list[str], arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    start, _, rest = PAGE.read_text().partition("\n## ")
    section = next(one for one in rest.split("\n## ") if one.startswith(f"`{arguments[0]}"))
    told = {word for text in re.findall("`([^`]+)`", start + section) for word in text.split()}
    assert run([*arguments, "--json", *at]) == 0
    assert keys(json.loads(capsys.readouterr().out)) - told - {"schema"} == set()


def test_keys_of_show_with_a_configuration_are_documented(
    at: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    section = next(one for one in PAGE.read_text().split("\n## ") if one.startswith("`tree"))
    told = {word for text in re.findall("`([^`]+)`", section) for word in text.split()}
    assert run(["show", "soc", "--config", "ecc", "--json", *at]) == 0
    found = json.loads(capsys.readouterr().out)
    assert keys(found["definitions"][0]["elaborated"]) | {"config", "elaborated"} <= told


def test_a_value_that_cannot_be_read_replaces_nothing(
    at: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["elaborate", "--name", "ecc", "-P", "WIDTH=wide", *at]) == 2
    told = capsys.readouterr().err
    assert "-P WIDTH=wide: use of undeclared identifier 'wide'" in told
    assert "unnamed" not in told
    assert run(["elaborate", "--list", *at]) == 0
    assert "ecc  soc  2 instances, 0 errors  -P ECC=1\n" in capsys.readouterr().out


def test_what_differs_stands_at_its_own_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """module pipe #(
  parameter int LANES = 2,
  localparam int BITS = LANES * 4
) (
  input  logic             clk_i,
  input  logic [BITS-1:0]  d_i,
  output logic             q_o
);
  assign q_o = ^d_i & clk_i;
endmodule
"""
    made = project(tmp_path, {"pipe.sv": text})
    assert (
        run(["impact", "--parameter", "pipe.LANES=4", "--json", "--index", str(made.folder)]) == 0
    )
    found = json.loads(capsys.readouterr().out)
    places = {one["name"]: one["location"] for one in found["values"] + found["widths"]}
    assert places == {"LANES": "pipe.sv:2", "BITS": "pipe.sv:3", "d_i": "pipe.sv:6"}


def test_configurations_through_rest_and_for_language_models(at: list[str]) -> None:
    from hdlgraph.project import Project
    from hdlgraph.serve.mcp.tools import TOOLS
    from hdlgraph.serve.web import requests
    from hdlgraph.serve.web.api import CALLS

    made = Project.open(at[1])
    calls = {one.name: one.answer for one in CALLS}
    tree = calls["tree"](made, requests.Tree(top="soc", config="ecc"))  # type: ignore[arg-type]
    assert (tree["config"], tree["tops"][0]["unit"]) == ("ecc", "soc")
    shown = calls["show"](made, requests.Show(name="soc", config="ecc"))  # type: ignore[arg-type]
    assert shown["definitions"][0]["elaborated"]
    assert "config" not in calls["show"](made, requests.Show(name="soc"))  # type: ignore[arg-type]
    tools = {one.name: one.call for one in TOOLS}
    told = tools["relations"](made, {"kind": "tree", "name": "soc", "config": "ecc"})
    assert told["config"] == "ecc"
    assert tools["show"](made, {"name": "soc", "config": "ecc"})["config"] == "ecc"
    with pytest.raises(UsageError, match="configuration 'none'"):
        tools["show"](made, {"name": "soc", "config": "none"})
