"""Signals of one name in several generate blocks of a unit (IEEE 1800, clause 27)."""

from __future__ import annotations

from typing import Any

import pytest
from _texts import indexed

from hdlgraph.project import Project

TEXT = """module lost(input a, c, output b);
logic s;
assign b = s;
if (1) begin : g1
logic s;
assign s = a;
end
endmodule
module child(input s, output y); assign y = s; endmodule
module two(input a, c, input [1:0] m, output b, d, e, f);
if (1) begin : g_a
logic t; struct packed {logic v, w;} q;
always_ff @(posedge c) t <= a;
assign b = t;
assign q.v = t;
assign e = q.w;
end
for (genvar i = 0; i < 2; i++) begin : g_b
logic t, q;
child u_first(.s(t), .y(q));
if (m) begin
logic s;
assign s = q, d = s;
child u_star(.*, .y(f));
end else assign t = m;
end
logic s;
assign s = g_a.t;
endmodule
module once(input a, output b);
if (1) begin : g
logic only;
assign only = a;
assign b = only;
end
endmodule
"""


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("scopes") / "one"
    folder.mkdir()
    return indexed(folder, {"blocks.sv": TEXT})


def lines(project: Project, name: str, direction: str) -> list[tuple[int, list[str]]]:
    net: dict[str, Any] = project.trace(name, directions=(direction,), depth=1)[direction]
    return [(one["line"], one["to"]) for one in net["nets"][0]["steps"]]


@pytest.mark.parametrize(
    ("name", "drivers", "loads"),
    [
        ("lost.b", [(3, ["lost.s"])], [(1, [])]),
        ("lost.s", [], [(3, ["lost.b"])]),
        ("lost.g1.s", [(6, ["lost.a"])], []),
        ("lost.a", [(1, [])], [(6, ["lost.g1.s"])]),
        ("two.g_a.t", [(13, ["two.a"])], [(14, ["two.b"]), (15, ["two.g_a.q.v"]), (28, ["two.s"])]),
        ("two.g_a.q.w", [], [(16, ["two.e"])]),
        ("two.g_b.t", [(25, ["two.m"])], [(20, ["child.s"])]),
        ("two.g_b.q", [(20, ["child.y"])], [(23, ["two.g_b.genblk1.s"])]),
        ("two.g_b.genblk1.s", [(23, ["two.g_b.q"])], [(23, ["two.d"]), (24, ["child.s"])]),
        ("two.s", [(28, ["two.g_a.t"])], []),
        # Without its block a name that the unit itself does not declare means all of them.
        ("two.t", [(13, ["two.a"]), (25, ["two.m"])], None),
        ("once.only", [(31 + 2, ["once.a"])], [(34, ["once.b"])]),
    ],
)
def test_a_declaration_in_a_block_is_a_signal_of_its_own(
    blocks: Project,
    name: str,
    drivers: list[tuple[int, list[str]]],
    loads: list[tuple[int, list[str]]] | None,
) -> None:
    assert lines(blocks, name, "drivers") == drivers
    if loads is not None:
        assert lines(blocks, name, "loads") == loads


def test_a_walk_goes_through_the_block_of_the_instance(blocks: Project) -> None:
    walk = blocks.trace("two.d", depth=9)["drivers"]["nets"]
    assert [one["signal"] for one in walk] == [
        *("two.d", "two.g_b.genblk1.s", "two.g_b.q", "child.y", "child.s"),
        *("two.g_b.t", "two.m"),
    ]
    (net,) = [one for one in walk if one["signal"] == "two.g_b.t"]
    assert net["line"] == 19


def test_unused_tells_the_signals_of_one_name_apart(blocks: Project) -> None:
    found = blocks.unused(limit=None)["findings"]
    told = {(one["kind"], one["name"], one["line"]) for one in found if one["unit"] == "lost"}
    assert {("undriven", "s", 2), ("unread", "s", 5)} <= told
    mine = {(one["kind"], one["name"], one["line"]) for one in found if one["unit"] == "two"}
    assert {one for one in mine if one[1] in "tq"} == set()


def test_who_and_path_know_the_blocks(blocks: Project) -> None:
    users = blocks.who("lost.g1.s")["users"]
    assert [(one["kind"], one["line"]) for one in users] == [("DRIVES", 6)]
    (walk,) = blocks.path("two.a", "two.s")["walks"]
    assert [one["to"]["name"] for one in walk["steps"]] == ["two.g_a.t", "two.s"]
