"""The words around lines, and the edges of a file that they choose."""

from __future__ import annotations

import pytest

from hdlgraph.project import Project
from hdlgraph.query.mentions.nearby import Nearby
from hdlgraph.query.relations.resolve import resolver_of
from hdlgraph.query.search import Searcher

VENDORED = "vendor/maker/cells"
FILES = {
    "rtl/lane.v": """module lane(input clk, input go, output done);
  // Counts the beats that the far side still owes.
  assign done = go;
endmodule
""",
    "rtl/top.v": """module top(input clk, input a, output b);
  wire first, second;
  // The outgoing direction.
  lane u_tx(.clk(clk), .go(a), .done(first));


  // Loops the answer back for a self test.
  lane u_rx(.clk(clk), .go(first), .done(second));
  assign b = second;
endmodule
""",
    f"{VENDORED}/pre_dv/cell_tb.v": """module cell_tb;
  reg clk;
  cell_mix dut(.clk(clk), .q());
endmodule
""",
    f"{VENDORED}/rtl/cell_mix.v": """module cell_mix(input clk, output q);
  assign q = clk;
endmodule
""",
}


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    root = tmp_path_factory.mktemp("lanes")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    project = Project(root)
    project.index(embeddings=False, graphrag="never", jobs=1)
    return project.searcher()


def test_words_stand_around_a_line(searcher: Searcher) -> None:
    groups = searcher.analyse("what loops the answer back?").groups
    nearby = Nearby(searcher.lexicon, groups)
    number = searcher.lexicon.number("rtl/top.v")
    beside, far = nearby.shares(number, [8, 4]).tolist()
    assert beside > 0.5 > far
    assert nearby.shares(number, []).tolist() == []


def test_a_bench_of_vendored_code_counts_as_a_test(searcher: Searcher) -> None:
    resolver = searcher.index.part(resolver_of)
    assert resolver is not None
    number = searcher.lexicon.number
    assert resolver.role(number(f"{VENDORED}/pre_dv/cell_tb.v")) == "vendored"
    assert resolver.tests(number(f"{VENDORED}/pre_dv/cell_tb.v"))
    assert not resolver.tests(number(f"{VENDORED}/rtl/cell_mix.v"))
    assert not resolver.tests(number("rtl/lane.v"))
