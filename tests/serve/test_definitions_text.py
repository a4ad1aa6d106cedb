"""`show`, `who` and `tree` for people: whole in a pipe, cut on a terminal."""

from __future__ import annotations

import pytest
from _graphs import design_graph, module, record

from hdlgraph.index.link.link import link
from hdlgraph.model import Port, Unit
from hdlgraph.query.design.impact import impact
from hdlgraph.query.design.path import path
from hdlgraph.query.design.show import show, tree, who
from hdlgraph.serve.cli.output import TERMINAL, Terminal
from hdlgraph.serve.cli.text import structure


def test_who_prints_who_declares_and_drives(capsys: pytest.CaptureFixture[str]):
    structure.show_users(who(design_graph(), "link_top.stage"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "declared by", "    link_top                     rtl/link_top.sv:15  signal"
    ]  # fmt: skip
    assert "what drives it" in lines
    assert any(line.endswith(".data_o(stage)") for line in lines)


def test_who_claims_no_more_than_the_graph_knows(capsys: pytest.CaptureFixture[str]):
    structure.show_users(who(design_graph(), "link_top.s"))
    out = capsys.readouterr().out
    assert "the graph knows no use of link_top.s" in out
    assert "nothing uses" not in out


def test_show_prints_values_directions_and_why(capsys: pytest.CaptureFixture[str]):
    structure.show_definitions(show(design_graph(), "link_top.u_ordered"))
    out = capsys.readouterr().out
    assert "= Width" in out
    assert "clk_i load" in out
    assert "chosen of 2: first by path among equally near ones" in out
    structure.show_definitions(show(design_graph(), "link_top.gen_slow.u_stage"))
    out = capsys.readouterr().out
    assert "ports left open\n    valid_o " in out
    structure.show_definitions(show(design_graph(), "link_stage"))
    assert "bound into it\n" in capsys.readouterr().out


def test_a_unit_of_another_name_is_told_to_be_taken_for_it(capsys: pytest.CaptureFixture[str]):
    """No line says that `top` instantiates it: a wrapper of another name stands there."""
    graph = link([
        record("top.sv", module("top", "prim_flop", ports="clk d")),
        record("lib/f.sv", module("prim_generic_flop", ports="clk d q")),
    ])  # fmt: skip
    name, told = "prim_generic_flop", "(prim_flop taken for it)"
    (user,) = who(graph, name)["users"]
    assert user["written"] == "prim_flop"
    for print_it in (
        lambda: structure.show_users(who(graph, name)),
        lambda: structure.show_definitions(show(graph, name)),
        lambda: structure.show_impact(impact(graph, name)),
        lambda: structure.show_walks(path(graph, "top", name)),
    ):
        print_it()
        assert told in capsys.readouterr().out
    structure.show_users(who(design_graph(), "link_stage"))
    assert "taken for" not in capsys.readouterr().out


@pytest.mark.parametrize(("terminal", "rows"), [(False, 120), (True, 50)])
def test_a_terminal_cuts_and_a_pipe_is_whole(
    terminal: bool, rows: int, capsys: pytest.CaptureFixture[str]
):
    ports = tuple(Port(f"p{at}_i", "input", "logic " + "x" * 200, at) for at in range(1, 121))
    graph = link([record("wide.sv", Unit("module", "wide", 1, 200, ports=ports))])
    token = TERMINAL.set(Terminal(terminal, (400, 50), ()) if terminal else None)
    variables = (("FORCE_COLOR", "1"),) if terminal else ()
    if terminal:
        TERMINAL.set(Terminal(True, (400, 50), variables))
    try:
        structure.show_definitions(show(graph, "wide", None))
    finally:
        TERMINAL.reset(token)
    out = capsys.readouterr().out
    assert out.count("_i ") == rows
    assert ("and 70 more" in out) == terminal
    assert ("x" * 200 in out) == (not terminal)


def test_tree_prints_the_dimensions_of_arrays(capsys: pytest.CaptureFixture[str]):
    from hdlgraph.model import Instance

    made = Instance("u", "leaf", 2, 2, dimensions="[3:0]")
    graph = link([
        record("top.sv", Unit("module", "top", 1, 9, instances=(made,))),
        record("leaf.sv", Unit("module", "leaf", 1, 2)),
    ])  # fmt: skip
    structure.show_tree(tree(graph, "top"))
    assert "u[3:0]: leaf" in capsys.readouterr().out
