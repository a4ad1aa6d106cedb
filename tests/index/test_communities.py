"""Communities of a design: which links hold files together, their names, what joins them."""

from __future__ import annotations

from itertools import product

import pytest

from hdlgraph.graph.graph import Graph
from hdlgraph.index.graphrag.communities.cluster import members_of
from hdlgraph.index.graphrag.communities.connections import connections_of
from hdlgraph.index.graphrag.communities.design import (
    Design,
    Relation,
    Unit,
    design_of,
    first_sentence,
)
from hdlgraph.index.graphrag.communities.links import links_of
from hdlgraph.index.graphrag.communities.names import Names, title_of
from hdlgraph.index.graphrag.communities.report import reports_of
from hdlgraph.model import Edge, Explanation, Node

BLOCKS = ("uart", "timer", "crypto", "memory", "pinmux", "debug")
PARTS = ("", "_core", "_reg", "_fsm")
SHARED = "common_macros.svh"


def chip() -> Design:
    """Six blocks of four files; a top instantiates all of them, all include one header."""
    design = Design()
    for block, part in product(BLOCKS, PARTS):
        path = f"ip/{block}/rtl/{block}{part}.sv"
        design.roles[path] = "rtl"
        design.units[path] = [Unit("module", f"{block}{part}", path, 3)]
        if part:
            design.relations.append(
                Relation(
                    "instantiates",
                    f"ip/{block}/rtl/{block}.sv",
                    block,
                    path,
                    f"{block}{part}",
                    f"ip/{block}/rtl/{block}.sv",
                    9,
                    f"u{part}",
                )
            )
        design.relations.append(Relation("includes", path, "", SHARED, "", path, 1))
    design.roles |= {"top/rtl/top.sv": "rtl", "top/rtl/pads.sv": "rtl", SHARED: "include"}
    design.units["top/rtl/top.sv"] = [Unit("module", "top", "top/rtl/top.sv", 1)]
    design.units["top/rtl/pads.sv"] = [Unit("module", "pads", "top/rtl/pads.sv", 1)]
    for name, path in [("pads", "top/rtl/pads.sv")] + [(b, f"ip/{b}/rtl/{b}.sv") for b in BLOCKS]:
        design.relations.append(
            Relation("instantiates", "top/rtl/top.sv", "top", path, name, "top/rtl/top.sv", 5)
        )
    return design


def clusters(design: Design) -> list[set[str]]:
    """Returns the communities of the coarsest level, by GraphRAG's own Leiden."""
    import pandas as pd
    from graphrag.index.operations.cluster_graph import cluster_graph

    frame = pd.DataFrame(links_of(design), columns=["source", "target", "weight"])
    found = cluster_graph(frame, 10, use_lcc=False, seed=3735928559)
    return [set(names) & design.roles.keys() for level, _, _, names in found if level == 0]


def test_a_header_that_everybody_includes_glues_nothing_together():
    found = clusters(chip())
    for block in BLOCKS:
        inside = {f"ip/{block}/rtl/{block}{part}.sv" for part in PARTS}
        (home,) = [one for one in found if inside & one]
        assert inside <= home
        assert home - inside <= {SHARED, "top/rtl/top.sv", "top/rtl/pads.sv"}


def test_links_do_not_depend_on_the_order_of_the_graph():
    design = chip()
    links = links_of(design)
    design.relations.reverse()
    design.roles = dict(reversed(design.roles.items()))
    assert links_of(design) == links
    assert links == sorted(links)


def test_a_link_that_several_files_may_mean_weighs_less():
    design = Design(roles={"a/a.sv": "rtl", "b/b.sv": "rtl"})
    weights = []
    for sure in (True, False):
        use = Relation("instantiates", "a/a.sv", "a", "b/b.sv", "b", "a/a.sv", 1, "u", sure)
        design.relations = [use]
        weights.append({(a, b): w for a, b, w in links_of(design)}["a/a.sv", "b/b.sv"])
    assert weights == [1.0, 0.25]


@pytest.mark.parametrize(
    ("folder", "label"),
    [
        ("hw/ip/uart/", "uart"),
        ("hw/ip/uart/dv/env/", "uart/dv/env"),
        ("hw/ip/uart/rtl/", "uart/rtl"),
        ("rtl/", "rtl"),
    ],
)
def test_a_folder_is_called_from_its_telling_part_on(folder, label):
    blocks = ("uart", "timer", "aes", "gpio")
    paths = [f"hw/ip/{b}/{part}/{b}.sv" for b in blocks for part in ("rtl", "dv/env", "fcov")]
    names = Names(paths)
    assert names.label(folder) == label
    assert names.label("hw/ip/uart/fcov/") == "uart/fcov", "four blocks have such a folder"


def test_folders_of_a_community_are_those_that_most_of_lies_in_it():
    paths = [f"ip/{b}/{part}/{n}.sv" for b in ("a", "b") for part in ("rtl", "dv") for n in "123"]
    names = Names(paths)
    whole = [path for path in paths if path.startswith("ip/a/")]
    (found,) = names.folders([*whole, "ip/b/dv/1.sv"])
    assert (found.path, found.files, found.total) == ("ip/a", 6, 6)
    (found,) = names.folders([path for path in whole if "/dv/" in path])
    assert (found.path, found.name) == ("ip/a/dv", "a/dv")
    assert title_of([found], ["x", "y"], covered=False) == "a/dv, x, y"


def nets(*ports: tuple[str, str, str]) -> list[str]:
    """Returns the nets of a top in which (unit, direction, actual) are connected to one signal."""
    nodes = [
        Node("file:top.sv", "file", "top.sv", "top.sv", 1, detail="rtl"),
        Node("m:top", "module", "top", "top.sv", 1),
        Node("s:top.q", "signal", "top.q", "top.sv", 2),
    ]
    edges = []
    for line, (unit, direction, actual) in enumerate(ports, 5):
        path = f"{unit}.sv"
        nodes += [
            Node(f"file:{path}", "file", path, path, 1, detail="rtl"),
            Node(f"m:{unit}", "module", unit, path, 1),
            Node(f"p:{unit}", "port", f"{unit}.p", path, 2, detail=f"{direction} bus_t"),
        ]
        edges.append(Edge("s:top.q", f"p:{unit}", "CONNECTS", "top.sv", line, actual))
    found = design_of(Graph.of(nodes, edges), {})
    return [f"{one.text} {one.path}:{one.line}" for one in found.nets]


def test_a_net_leads_from_its_driver_to_its_readers():
    assert nets(("b", "input", "q"), ("a", "output", "q"), ("c", "input", "q")) == [
        "a.p drives b.p by q (bus_t) top.sv:6",
        "a.p drives c.p by q (bus_t) top.sv:6",
    ]


def test_other_elements_of_a_net_join_nothing():
    assert nets(("a", "output", "q[0]"), ("b", "input", "q[1]")) == []
    assert len(nets(("a", "output", "q[1]"), ("b", "input", "q[1]"))) == 1


def test_readers_alone_are_joined_by_nothing():
    assert nets(("a", "input", "clk"), ("b", "input", "clk")) == []


def test_what_all_use_joins_less_than_what_two_share():
    design = chip()
    of_file = {path: path.split("/")[1] for path in design.roles if path.startswith("ip/")}
    numbers = {name: number for number, name in enumerate(sorted(set(of_file.values())))}
    places = {path: numbers[name] for path, name in of_file.items()} | {SHARED: 99}
    design.nets = [
        Relation(
            "drives", "ip/uart/rtl/uart.sv", "uart", "ip/debug/rtl/debug.sv", "debug",
            "top/rtl/top.sv", 7, "uart.irq drives debug.irq by irq",
        )
    ]  # fmt: skip
    found, more = connections_of(design, places, {n: str(n) for n in (*numbers.values(), 99)})[
        numbers["uart"]
    ]
    assert [one.community for one in found] == [numbers["debug"], 99]
    assert (found[0].counts, found[1].counts) == ({"drives": 1}, {"includes": 4})
    assert found[0].examples[0].location == "top/rtl/top.sv:7"
    assert more == 0


def test_a_report_tells_members_top_units_and_both_sides_of_a_connection():
    design = chip()
    design.purposes = {"ip/uart/rtl/uart.sv": "Serial port."}
    groups = [sorted(p for p in design.roles if p.startswith(f"ip/{b}/")) for b in BLOCKS]
    groups.append(["top/rtl/pads.sv", "top/rtl/top.sv"])
    rows = [
        {"community": n, "level": 0, "parent": -1, "entity_ids": paths}
        for n, paths in enumerate(groups)
    ]
    found = {one.title: one for one in reports_of(design, rows)}
    uart = found["uart"]
    assert (uart.files, uart.roles, uart.purpose) == (4, {"rtl": 4}, "Serial port.")
    assert [unit.name for unit in uart.top_units] == ["uart", "uart_core", "uart_fsm", "uart_reg"]
    assert uart.connections[0].title == "top"
    assert uart.connections[0].counts == {"instantiated_by": 1}
    assert found["top"].connections[0].counts == {"instantiates": 1}


def test_the_unit_above_the_others_comes_first_among_the_top_units():
    design = chip()
    design.purposes = {"top/rtl/top.sv": "The chip.", "ip/uart/rtl/uart.sv": "Serial port."}
    members = sorted(p for p in design.roles if p.startswith(("ip/uart/", "top/")))
    row = {"community": 0, "level": 0, "parent": -1, "entity_ids": members}
    (found,) = reports_of(design, [row])
    assert found.title.split(", ")[0] == "uart"
    assert [unit.name for unit in found.top_units][:2] == ["top", "uart"]
    assert found.purpose == "The chip."


def test_a_file_keeps_its_community_where_it_is_not_divided_further():
    rows = [
        {"community": 0, "level": 0, "parent": -1, "entity_ids": ["a", "b", "c"]},
        {"community": 1, "level": 0, "parent": -1, "entity_ids": ["d"]},
        {"community": 2, "level": 1, "parent": 0, "entity_ids": ["a", "b"]},
    ]
    assert members_of(rows) == {
        0: {"a": 0, "b": 0, "c": 0, "d": 1},
        1: {"a": 2, "b": 2, "c": 0, "d": 1},
    }


def test_a_purpose_is_one_sentence():
    assert first_sentence("Counts up.\nThen `x` wraps. More.") == "Counts up."
    assert len(first_sentence("word " * 100)) <= 162
    about = {"a.sv": Explanation(path="a.sv", purpose="Adds. Twice.")}
    node = Node("file:a.sv", "file", "a.sv", "a.sv", 1, detail="testbench")
    design = design_of(Graph.of([node], []), about)
    assert (design.roles, design.purposes) == ({"a.sv": "testbench"}, {"a.sv": "Adds."})
