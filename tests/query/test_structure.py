"""Structural questions: show, tree, who, unresolved."""

import json

import pytest
from _graphs import design_graph, module, record

from hdlgraph.errors import UsageError
from hdlgraph.index.link.link import link
from hdlgraph.query.design.show import show, tree, unresolved, who


def shown(name: str) -> dict:
    return show(design_graph(), name)


def flat(entries: list[dict]) -> list[dict]:
    return [one for entry in entries for one in (entry, *flat(entry["children"]))]


def test_show_lists_a_module():
    (found,) = shown("link_top")["definitions"]
    assert found["location"] == "rtl/link_top.sv:3"
    assert "every way to connect" in found["doc"]
    assert [p["name"] for p in found["ports"]][:2] == ["link_top.clk_i", "link_top.rst_ni"]
    assert [p["name"] for p in found["parameters"]] == ["link_top.Width", "link_top.Fast"]
    assert "link_top.gen_fast.u_stage" in [i["name"] for i in found["instances"]]
    assert [p["user_name"] for p in found["parents"]] == ["link_tb"]
    assert found["parents"][0]["location"] == "dv/link_tb.sv:3"


def test_show_keeps_all_candidates():
    found = shown("link_cell")
    assert [d["path"] for d in found["definitions"]] == [
        "lib/generic/link_cell.sv",
        "lib/vendor/link_cell.sv",
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("link_top.clk_i", ["port:rtl/link_top.sv#link_top.clk_i"]),
        ("Fast", ["parameter:rtl/link_top.sv#link_top.Fast"]),
        ("rtl/link_if.sv", ["file:rtl/link_if.sv"]),
        ("./rtl/link_if.sv", ["file:rtl/link_if.sv"]),
        ("link_pkg.sv", ["file:rtl/link_pkg.sv"]),
        ("link_pkg::mode_t", ["type:rtl/link_pkg.sv#link_pkg.mode_t"]),
        ("mode_t", ["type:rtl/link_pkg.sv#link_pkg.mode_t"]),
        ("LINK_DEPTH", ["macro:inc/link_defs.svh#LINK_DEPTH"]),
        ("`LINK_DEPTH", ["macro:inc/link_defs.svh#LINK_DEPTH"]),
        ("LINK_TOP", ["module:rtl/link_top.sv#link_top"]),
        ("module:rtl/link_top.sv#link_top", ["module:rtl/link_top.sv#link_top"]),
        ("link_top.u_user", ["instance:rtl/link_top.sv#link_top.u_user"]),
        (
            "link_top.u_stage",
            [
                "instance:rtl/link_top.sv#link_top.gen_fast.u_stage",
                "instance:rtl/link_top.sv#link_top.gen_slow.u_stage",
            ],
        ),
        ("VENDOR_PLL", ["module:#VENDOR_PLL"]),
    ],
)
def test_names_are_found_in_many_forms(name, expected):
    assert [one["id"] for one in shown(name)["definitions"]] == expected


def test_show_of_the_details():
    (port,) = shown("link_stage.data_o")["definitions"]
    assert [c["text"] for c in port["connections"]] == ["stage", "stage"]
    (instance,) = shown("link_top.gen_slow.u_stage")["definitions"]
    assert instance["units"][0]["location"] == "rtl/link_parts.sv:1"
    exprs = {c["port"]["name"]: c["expr"] for c in instance["connections"]}
    assert exprs["link_stage.data_i"] == "{data_i[Width-1:1], 1'b0}"
    assert "link_stage.valid_o" not in exprs
    (parameter,) = shown("link_stage.Width")["definitions"]
    assert {o["text"] for o in parameter["overrides"]} == {"Width"}
    (external,) = shown("VENDOR_PLL")["definitions"]
    assert external["external"]
    assert external["location"] == ""


@pytest.mark.parametrize(
    ("name", "hint"),
    [("link_tpo", "link_top"), ("link_pakg", "link_pkg"), ("qqqq", "search"), ("", "search")],
)
def test_unknown_name_says_what_is_near(name, hint):
    for verb in (show, who, tree) if name else (show, who):
        with pytest.raises(UsageError, match=hint):
            verb(design_graph(), name)


def test_unknown_name_of_any_length_gets_a_short_answer():
    with pytest.raises(UsageError) as caught:
        shown("x" * 100_000)
    assert len(str(caught.value)) < 400


def test_tree_cuts_cycles_and_shows_conditions():
    found = tree(design_graph(), "link_top", 10)
    (top,) = found["tops"]
    children = {one["name"]: one for one in top["children"]}
    assert "Fast" in children["gen_fast.u_stage"]["condition"]
    assert children["u_pll"]["note"] == "external"
    assert len(children["u_ordered"]["candidates"]) == 2
    loops = [one for one in flat(found["tops"]) if one.get("note") == "cycle"]
    assert [one["name"] for one in loops] == ["u_again"]
    assert all(one["location"] for one in flat(found["tops"]))
    bound = [one["name"] for one in flat(found["tops"]) if one.get("note") == "bind"]
    assert set(bound) == {"u_bound", "u_checks"}


def test_tree_without_a_top_starts_at_what_nothing_instantiates():
    tops = [one["name"] for one in tree(design_graph(), depth=1)["tops"]]
    assert tops == ["link_tb"]


def test_tree_of_one_level_says_that_there_is_more():
    (top,) = tree(design_graph(), "link_tb", 1)["tops"]
    assert [(one["name"], one["note"]) for one in top["children"]] == [("dut", "deeper")]


def test_tree_is_limited():
    found = tree(design_graph(), "link_tb", 10, limit=3)
    assert found["truncated"]
    assert found["instances"] == 3


def test_tree_of_a_port_is_wrong_use():
    with pytest.raises(UsageError, match="is a port"):
        tree(design_graph(), "link_top.clk_i")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("link_stage", ("INSTANTIATES", "link_top", "rtl/link_top.sv:28")),
        ("link_pkg", ("IMPORTS", "link_top", "rtl/link_top.sv:4")),
        ("link_item.svh", ("INCLUDES", "rtl/link_pkg.sv", "rtl/link_pkg.sv:3")),
        ("link_item", ("EXTENDS", "link_more", "inc/link_item.svh:4")),
        ("link_more", ("USES", "link_maker", "dv/link_tb.sv:13")),
        ("link_checks", ("BINDS", "link_stage", "dv/link_tb.sv:4")),
        ("link_if", ("INSTANTIATES", "link_top", "rtl/link_top.sv:19")),
        ("VENDOR_PLL", ("INSTANTIATES", "link_top", "rtl/link_top.sv:44")),
    ],
)
def test_who_uses_a_name(name, expected):
    users = who(design_graph(), name)["users"]
    assert expected in [(one["kind"], one["user_name"], one["location"]) for one in users]


def test_who_shows_the_comment_and_no_instances():
    users = who(design_graph(), "link_stage")["users"]
    made = [one for one in users if one["kind"] == "INSTANTIATES"]
    assert len(made) == 2
    assert {one["user_kind"] for one in made} == {"module"}
    assert all(one["text"].startswith("u_stage") for one in made)


def test_unresolved_groups_uses_by_name():
    found = unresolved(design_graph())
    names = {(one["kind"], one["name"]): one for one in found["names"]}
    assert names["module", "VENDOR_PLL"]["uses"][0]["location"] == "rtl/link_top.sv:44"
    assert [n["kind"] for n in unresolved(design_graph(), "class")["names"]] == ["class"]


def test_answers_are_json():
    graph = design_graph()
    for found in (shown("link_top"), tree(graph), who(graph, "link_stage"), unresolved(graph)):
        assert json.loads(json.dumps(found))["schema"] == 1


def test_concepts_have_implementers():
    from hdlgraph.model import Explanation

    about = {"a.sv": Explanation(path="a.sv", purpose="p", concepts=("round robin",))}
    graph = link([record("a.sv", module("a"))], about)
    users = who(graph, "round robin")["users"]
    assert [(one["kind"], one["user_name"]) for one in users] == [
        ("IMPLEMENTS", "a.sv"),
        ("IMPLEMENTS", "a"),
    ]
