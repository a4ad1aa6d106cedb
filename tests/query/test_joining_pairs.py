"""Parts that a net joins inside a unit: the unit that joins them, and what stands between two."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.query.relations.joint import inner
from hdlgraph.query.relations.joint.pairs import Pair, Way
from hdlgraph.query.relations.joint.sides import Words
from hdlgraph.query.relations.resolve import Resolver, resolver_of

FILES = {
    "hub.sv": """module hub (input logic clk_i, input logic [7:0] word_i, output logic [7:0] sum_o);
  logic [7:0] queued, padded;
  queue u_msg_fifo (.clk_i, .data_i(word_i), .data_o(queued));
  filler u_filler (.clk_i, .raw_i(queued), .full_o(padded));
  engine u_engine (.clk_i, .block_i(padded), .sum_o);
endmodule
""",
    "queue.sv": "module queue (input logic clk_i, input logic [7:0] data_i,\n"
    "              output logic [7:0] data_o);\n  assign data_o = data_i;\nendmodule\n",
    "filler.sv": "module filler (input logic clk_i, input logic [7:0] raw_i,\n"
    "               output logic [7:0] full_o);\n  assign full_o = raw_i;\nendmodule\n",
    "engine.sv": "module engine (input logic clk_i, input logic [7:0] block_i,\n"
    "               output logic [7:0] sum_o);\n  assign sum_o = block_i;\nendmodule\n",
}


@pytest.fixture(scope="module")
def resolver(tmp_path_factory: pytest.TempPathFactory) -> Resolver:
    root: Path = tmp_path_factory.mktemp("joining")
    for name, text in FILES.items():
        (root / name).write_text(text)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    found = resolver_of(Project(root).searcher().index)
    assert found is not None
    return found


def names(resolver: Resolver, pair: Pair) -> list[str]:
    return [resolver.design.last(row) for row in pair.rows]


def hub(resolver: Resolver) -> int:
    (row,) = [row for row in resolver.design.units if resolver.design.names[row] == "hub"]
    return row


def test_the_unit_that_joins_two_ports_is_told_with_both(resolver: Resolver) -> None:
    text = "full_o of the filler goes to the engine as block_i: in which file are they joined?"
    (first, *_) = inner.wired(resolver.design, [hub(resolver)], Words(text, resolver))
    assert resolver.path(first.asked) == "hub.sv"
    assert first.way is Way.WIRED
    assert {"filler", "hub", "engine", "full_o", "block_i", "padded"} == set(names(resolver, first))
    lines = resolver.design.graph.edges.column("line")
    assert sorted(lines[edge] for edge in first.edges) == [4, 5]


def test_the_part_between_two_others_is_found_by_the_names_of_instances(
    resolver: Resolver,
) -> None:
    text = "Inside hub, what sits between the message fifo and the engine?"
    found = list(inner.routed(resolver.design, [hub(resolver)], Words(text, resolver)))
    middle = {resolver.design.names[one.rows[1]]: set(one.names) for one in found}
    assert {"u_msg_fifo", "u_engine"} <= middle["filler"]
    assert all(one.way is Way.ROUTED and resolver.path(one.known) == "hub.sv" for one in found)
    best, *_ = found
    assert resolver.path(best.asked) == "filler.sv"


def test_what_no_name_says_joins_nothing(resolver: Resolver) -> None:
    nothing = Words("What happens elsewhere?", resolver)
    assert not list(inner.wired(resolver.design, [hub(resolver)], nothing))
    assert not list(inner.routed(resolver.design, [hub(resolver)], nothing))


def test_what_a_unit_puts_on_a_port_of_its_part_is_told_with_the_part(resolver: Resolver) -> None:
    design = resolver.design
    text = Words("block_i of u_engine: what is it tied to?", resolver)
    (first, *_) = inner.tied(design, [hub(resolver)], text)
    assert resolver.path(first.asked) == "hub.sv"
    assert first.way is Way.TIED
    assert {"engine", "hub", "block_i"} < set(names(resolver, first))
    assert design.graph.edges.column("line")[first.edges[0]] == 5
    assert not list(inner.tied(design, [hub(resolver)], Words("Is it elsewhere?", resolver)))


def test_no_clock_is_told_as_put_on_a_port(resolver: Resolver) -> None:
    words = Words("clk_i of u_engine: what is it tied to?", resolver)
    assert words.says("clk_i")
    found = [names(resolver, one) for one in inner.tied(resolver.design, [hub(resolver)], words)]
    assert found
    assert not any("clk_i" in one for one in found)
