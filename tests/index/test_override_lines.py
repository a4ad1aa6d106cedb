"""Edges of parameters cite the line of the override, not that of the instance."""

from pathlib import Path

from _parsing import record_of

from hdlgraph.index.link.link import link

TOP = """module leaf #(parameter int W = 1, parameter int D = 2, parameter int X = 3)(input a);
endmodule
module top;
  leaf #(
    .W (8),
`ifdef DEEP
    .X (9),
`endif
    .D (4)
  ) u_named (
    .a ()
  );
  leaf #(1,
         2) u_ordered (.a ());
  defparam u_ordered.X = 7;
endmodule
module more (input a); endmodule
bind leaf more #(
  .NONE (1)) u_more (.a);
bind top leaf #(
  .W (6)) u_leaf (.a ());
"""


def lines(record) -> set[tuple[str, str, int]]:
    graph = link([record])
    names = {node.id: node.name.rpartition(".")[2] for node in graph.nodes}
    return {
        (names[one.source], names[one.target], one.line)
        for one in graph.edges
        if one.kind == "PARAMETERIZES"
    }


def test_overrides_have_their_own_lines(tmp_path: Path) -> None:
    assert lines(record_of(tmp_path, TOP)) == {
        ("u_named", "W", 5), ("u_named", "X", 7), ("u_named", "D", 9),
        ("u_ordered", "W", 13), ("u_ordered", "D", 14), ("u_ordered", "X", 15),
        ("u_leaf", "W", 21),
    }  # fmt: skip
