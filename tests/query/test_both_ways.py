"""`who` and `show` look both ways: who declares a name, drives, reads and binds it."""

from __future__ import annotations

import pytest
from _graphs import design_graph, module, record

from hdlgraph.graph.graph import Graph
from hdlgraph.index.link.link import link
from hdlgraph.model import (
    Argument,
    Bind,
    Connection,
    Field,
    Instance,
    Macro,
    Modport,
    Parameter,
    Port,
    Routine,
    Signal,
    Type,
    Unit,
)
from hdlgraph.query.design.show import show, tree, who


def users(graph: Graph, name: str) -> list[tuple[str, str, str]]:
    return [(one["words"], one["user_name"], one["port"]) for one in connects(graph, name)]


def connects(graph: Graph, name: str) -> list[dict]:
    return [one for one in who(graph, name)["users"] if one["kind"] == "CONNECTS"]


def test_who_tells_what_drives_and_reads_a_signal():
    found = users(design_graph(), "link_top.stage")
    assert found == [
        ("reads", "link_top.u_ordered", "q"),
        ("drives", "link_top.gen_fast.u_stage", "data_o"),
        ("drives", "link_top.gen_slow.u_stage", "data_o"),
    ] or sorted(found) == sorted(
        [
            ("drives", "link_top.u_ordered", "q"),
            ("drives", "link_top.gen_fast.u_stage", "data_o"),
            ("drives", "link_top.gen_slow.u_stage", "data_o"),
        ]
    )


def test_who_tells_what_a_port_is_joined_to_outside():
    (first, second) = connects(design_graph(), "link_stage.data_o")
    assert {first["words"], second["words"]} == {"is driven by"}
    assert {first["user_name"], second["user_name"]} == {"link_top.stage"}
    assert {first["instance_name"], second["instance_name"]} == {
        "link_top.gen_fast.u_stage",
        "link_top.gen_slow.u_stage",
    }


def test_who_tells_who_declares_a_name():
    targets = who(design_graph(), "link_top.stage")["targets"]
    assert [one["name"] for one in targets[0]["declared_by"]] == ["link_top"]
    (macro,) = who(design_graph(), "LINK_DEPTH")["targets"]
    assert [one["name"] for one in macro["declared_by"]] == ["inc/link_defs.svh"]


def small(*, bind: Bind | None = None) -> Graph:
    leaf = Unit(
        kind="module", name="leaf", line=1, end_line=9,
        parameters=(Parameter("W", "parameter", "int", "1", 1),),
        ports=(
            Port("a_i", "input", "logic", 2), Port("b_o", "output", "logic", 3),
            Port("c_i", "input", "logic", 4, condition="RVFI"),
        ),
    )  # fmt: skip
    made = tuple(
        Instance(
            name, "leaf", at, at, (("W", "8"),), (Connection("a_i", "x", ("x",), at),),
            dimensions="[3:0]" if at == 4 else "",
        )
        for at, name in ((3, "u_a"), (4, "u_b"))
    )  # fmt: skip
    top = Unit(
        kind="module", name="top", line=1, end_line=20,
        signals=(Signal("x", "logic", 2),), instances=made,
    )  # fmt: skip
    bus = Unit(
        kind="interface", name="bus_if", line=1, end_line=9,
        signals=(Signal("req", "logic [3:0]", 2),),
        modports=(Modport("target", (("input", "req"),), 3),),
    )  # fmt: skip
    fields = (Field("op", "logic [3:0]", 3, 4), Field("valid", "logic", 4, 1))
    package = Unit(
        kind="package", name="pkg", line=1, end_line=20,
        types=(Type("cmd_t", "struct", ("op", "valid"), 2, 5, "", fields, "packed", 5),),
        routines=(
            Routine(
                "crc", "function", 7, 9, "",
                (Argument("d", "input", "logic [7:0]"), Argument("n", "input", "int", "1")),
                "logic [15:0]",
            ),
            Routine("c_log", "function", 10, 10, "", (), "int", "import", "log_it"),
        ),
    )  # fmt: skip
    chk = Unit(kind="module", name="chk", line=1, end_line=3)
    return link(
        [
            record("top.sv", top), record("leaf.sv", leaf), record("bus.sv", bus),
            record("pkg.sv", package), record("chk.sv", chk),
            record("bind.sv", binds=(bind,) if bind else (), macros=(Macro("M", "", "1", 1),)),
        ]
    )  # fmt: skip


def one(graph: Graph, name: str) -> dict:
    (found,) = show(graph, name)["definitions"]
    return found


def test_show_of_an_instance_has_directions_and_open_ports():
    found = one(small(), "top.u_a")
    assert [(c["port"]["name"], c["direction"], c["expr"]) for c in found["connections"]] == [
        ("leaf.a_i", "load", "x")
    ]
    assert [port["name"] for port in found["unconnected"]] == ["leaf.b_o", "leaf.c_i"]
    assert [(unit["name"], unit["reason"]) for unit in found["units"]] == [
        ("leaf", "only definition")
    ]


def test_show_of_a_unit_has_values_and_arrays_of_its_instances():
    found = one(small(), "top")["instances"]
    assert [i["overrides"] for i in found] == [[{"name": "W", "value": "8"}]] * 2
    assert [i["shape"] for i in found] == ["", "[3:0]"]


def test_show_of_an_interface_has_its_signals_and_modports():
    found = one(small(), "bus_if")
    assert [(s["name"], s["detail"]) for s in found["signals"]] == [("bus_if.req", "logic [3:0]")]
    assert [m["detail"] for m in found["modports"]] == ["modport (input req)"]
    assert found["types"] == []


def test_show_has_widths_signatures_and_conditions():
    graph = small()
    assert one(graph, "cmd_t")["detail"] == (
        "struct packed, 5 bits {op: logic [3:0] (4 bits), valid: logic (1 bit)}"
    )
    routines = {r["name"]: r["detail"] for r in one(graph, "pkg")["routines"]}
    assert routines == {
        "pkg.crc": "(input logic [7:0] d, input int n = 1) returns logic [15:0]",
        "pkg.c_log": "() returns int, DPI import of C log_it",
    }
    ports = {p["name"]: p["condition"] for p in one(graph, "leaf")["ports"]}
    assert ports == {"leaf.a_i": "", "leaf.b_o": "", "leaf.c_i": "RVFI"}


def test_binds_are_listed_on_both_sides():
    graph = small(bind=Bind("leaf", "chk", "u_chk", 5))
    assert [(b["name"], b["text"]) for b in one(graph, "leaf")["binds"]] == [("chk", "u_chk")]
    assert [b["user_name"] for b in one(graph, "chk")["parents"]] == ["leaf"]
    # The file of the bind is where it stands, and no second user.
    (bind,) = [u for u in who(graph, "chk")["users"] if u["kind"] == "BINDS"]
    assert (bind["user_name"], bind["path"]) == ("leaf", "bind.sv")
    (other,) = [u for u in who(graph, "leaf")["users"] if u["kind"] == "BINDS"]
    assert (other["user_name"], other["words"], other["line"]) == ("chk", "is bound into", 5)
    assert not [u for u in who(graph, "bind.sv")["users"] if u["words"] == "is bound into"]


@pytest.mark.parametrize(
    "bind",
    [
        Bind("top.u_a", "chk", "u_chk", 5),
        Bind("leaf", "chk", "u_chk", 5, instances=("top.u_a",)),
    ],
)
def test_a_bind_to_one_instance_stands_below_that_one_alone(bind: Bind):
    graph = small(bind=bind)
    (top,) = tree(graph, "top", 5)["tops"]
    below = {child["name"]: [c["name"] for c in child["children"]] for child in top["children"]}
    assert below == {"u_a": ["u_chk"], "u_b": []}
    assert [b["name"] for b in one(graph, "top.u_a")["binds"]] == ["chk"]
    assert one(graph, "top.u_b")["binds"] == []
    assert [b["only"] for b in one(graph, "leaf")["binds"]] == [["top.u_a"]]


def test_whole_lists_are_whole():
    parts = tuple(Instance(f"u{at}", "leaf", at + 2, at + 2) for at in range(300))
    tops = [
        record(f"t{at}.sv", Unit("module", f"t{at}", 1, 900, instances=parts)) for at in range(2)
    ]
    graph = link([*tops, record("leaf.sv", Unit("module", "leaf", 1, 2))])
    assert len(who(graph, "leaf")["users"]) == 200
    assert len(who(graph, "leaf", None)["users"]) == 600
    (found,) = show(graph, "leaf", None)["definitions"]
    assert len(found["parents"]) == found["n_parents"] == 600


def test_a_member_of_a_type_leads_to_the_type():
    assert [one["name"] for one in who(design_graph(), "ModeRun")["targets"]] == ["link_pkg.mode_t"]
    assert one(small(), "valid")["name"] == "pkg.cmd_t"


def test_who_of_an_instance_tells_its_nets():
    assert users(small(), "top.u_a") == [("drives", "top.x", "a_i")]


def test_a_macro_hides_no_parameter_of_its_name():
    box = module("box", parameters=(Parameter("Depth", "parameter", "int", "`Depth", 3),), line=2)
    graph = link([record("rtl/box.sv", box, macros=(Macro("Depth", "", "4", 1),))])
    both = ["macro:rtl/box.sv#Depth", "parameter:rtl/box.sv#box.Depth"]
    assert sorted(one["id"] for one in who(graph, "Depth")["targets"]) == both
    assert sorted(one["kind"] for one in show(graph, "Depth")["definitions"]) == [
        "macro",
        "parameter",
    ]
    assert [one["id"] for one in who(graph, "`Depth")["targets"]] == both[:1]


def test_a_connection_reads_as_a_sentence_from_left_to_right():
    for name, sentence in (
        ("link_stage.data_o", "link_top.stage is driven by link_stage.data_o"),
        ("link_top.u_ordered", "link_top.clk_i drives link_top.u_ordered"),
    ):
        told = [
            " ".join(value for key, value in one.items() if key in ("user_name", "words", "name"))
            for one in connects(design_graph(), name)
        ]
        assert sentence in told


def test_show_says_where_the_value_of_a_port_goes():
    (port,) = show(design_graph(), "link_stage.data_o")["definitions"]
    assert {one["to"]["name"] for one in port["connections"]} == {"link_top.stage"}
    assert not any("from" in one for one in port["connections"])
    (net,) = show(design_graph(), "link_top.stage")["definitions"]
    ends = {one["from"]["name"] for one in net["connections"] if one["direction"] == "driver"}
    assert ends == {"link_stage.data_o", "link_cell.q"}
