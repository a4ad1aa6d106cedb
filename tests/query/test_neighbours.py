"""What stands around a name: nodes, edges with their places, filters, limits."""

from __future__ import annotations

import pytest
from _graphs import design_graph

from hdlgraph.errors import UsageError
from hdlgraph.query.design.neighbours import neighbours


def role_of(path: str) -> str:
    return "testbench" if path.startswith("dv/") else "rtl" if path else ""


def test_a_unit_is_joined_to_those_above_and_below() -> None:
    found = neighbours(design_graph(), "link_top", role_of)
    assert found["centre"]["name"] == "link_top"
    said = {(one["kind"], one["location"]) for one in found["edges"]}
    assert ("INSTANTIATES", "dv/link_tb.sv:3") in said
    ends = {one["id"] for one in found["nodes"]} | {found["centre"]["id"]}
    assert all(one["source"] in ends and one["target"] in ends for one in found["edges"])
    assert not {one["kind"] for one in found["nodes"]} & {"port", "signal", "instance"}
    assert found["total"] == len(found["nodes"])


def test_relations_and_roles_filter() -> None:
    graph = design_graph()
    only = neighbours(graph, "link_top", role_of, kinds=["IMPORTS"])
    assert {one["kind"] for one in only["edges"]} == {"IMPORTS"}
    tests = neighbours(graph, "link_top", role_of, roles=["testbench"])
    assert {one["role"] for one in tests["nodes"]} == {"testbench"}
    assert only["relations"] == tests["relations"]
    with pytest.raises(UsageError, match="known are"):
        neighbours(graph, "link_top", role_of, kinds=["LIKES"])


def test_a_limit_keeps_the_hierarchy() -> None:
    found = neighbours(design_graph(), "link_top", role_of, limit=1)
    assert len(found["nodes"]) == 1
    assert found["total"] > 1
    assert {one["kind"] for one in found["edges"]} == {"INSTANTIATES"}


def test_ports_have_their_connections() -> None:
    graph = design_graph()
    kinds, names = graph.nodes.column("kind"), graph.nodes.column("name")
    port = next(name for kind, name in zip(kinds, names, strict=True) if kind == "port")
    assert neighbours(graph, port, role_of)["centre"]["kind"] == "port"
