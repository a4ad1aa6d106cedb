"""What a run prints: messages with values filled in, named checks, paths of instances."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.query.printed.instances import instances_of
from hdlgraph.query.printed.messages import Printed, printed_of, text_of
from hdlgraph.query.search import Searcher

FILES = {
    "checker.sv": """module checker_a(input clk, input logic [7:0] q);
  always @(posedge clk) if (q > 3) $error("output mismatch: %0d instead of %0d", q, 3);
endmodule
""",
    "compare.sv": """module compare(input clk, input logic [7:0] q);
  // output mismatch output mismatch instead
  always @(posedge clk) if (q > 3)
    $display("[%t] lane %0d: output mismatch: %h, saw %h", $time, q, 3, q);
endmodule
""",
    "drain.sv": """module drain(input clk, input full, input push);
  NoPushWhenFull_A: assert property (@(posedge clk) full |-> !push);
endmodule
""",
    "core.sv": """module core(input clk, input full, input push, input logic [7:0] q);
  for (genvar i = 0; i < 2; i++) begin : gen_lane
    drain u_drain(.clk, .full, .push);
  end
  checker_a u_check(.clk, .q);
endmodule
""",
    "top.sv": """module top(input clk, input full, input push, input logic [7:0] q);
  core u_core(.clk, .full, .push, .q);
endmodule
""",
    "spare.sv": """module spare(input clk, input full, input push);
  checker_a u_drain(.clk, .q(8'd0));
endmodule
""",
}


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    root = tmp_path_factory.mktemp("printed")
    project = indexed(root, FILES)
    return project.searcher()


@pytest.fixture(scope="module")
def printed(searcher: Searcher) -> Printed:
    return printed_of(searcher.index)


def covered(printed: Printed, searcher: Searcher, text: str) -> dict[str, float]:
    """Returns path -> the largest share of a message that a text has."""
    found: dict[str, float] = {}
    for one in printed.matches(text_of(text)):
        path = searcher.lexicon.paths[one.number]
        found[path] = max(found.get(path, 0.0), one.covered)
    return found


def test_a_message_is_known_by_the_words_between_its_values(
    printed: Printed, searcher: Searcher
) -> None:
    text = "# 17 ns: output mismatch: 0.731/3f3b instead of 0.7310 [tb.u_check]"
    found = covered(printed, searcher, text)
    assert found["checker.sv"] == pytest.approx(1.0)
    assert found.get("compare.sv", 0.0) < 0.6
    assert searcher.search(text).hits[0].path == "checker.sv"
    text = "[ 1200] lane 3: output mismatch: 0f, saw 1e"
    assert covered(printed, searcher, text)["compare.sv"] == pytest.approx(1.0)
    (hit, *_) = searcher.search(text).hits
    assert (hit.path, hit.line) == ("compare.sv", 4)


def test_words_of_a_message_in_another_order_are_no_message(
    printed: Printed, searcher: Searcher
) -> None:
    assert "checker.sv" not in covered(printed, searcher, "of instead mismatch output")
    assert not covered(printed, searcher, "mismatch")
    assert not covered(printed, searcher, "")


def test_the_name_of_a_check_is_that_of_its_file(printed: Printed, searcher: Searcher) -> None:
    text = "Error: assertion NoPushWhenFull_A failed at 40 ns"
    number = searcher.lexicon.number("drain.sv")
    assert printed.checks(text) == {number: 2}
    hit = searcher.search(text).hits[0]
    assert (hit.path, hit.line) == ("drain.sv", 2)


def test_a_path_ends_at_the_instance_that_its_names_lead_to(searcher: Searcher) -> None:
    instances = instances_of(searcher.index)
    assert instances is not None

    def ends(text: str) -> set[str]:
        return {searcher.lexicon.paths[number] for number in instances.ends(text)}

    assert ends("top.u_core.gen_lane[1].u_drain.push rose") == {"drain.sv"}
    assert ends("tb.dut.u_core.u_check") == {"checker.sv"}
    assert ends("spare.u_drain stuck") == {"checker.sv"}
    assert ends("core.u_core and u_drain") == set()
    assert ends("nothing.of.that") == set()


def test_a_long_log_costs_no_more_than_its_first_words(printed: Printed) -> None:
    assert len(text_of("output mismatch " * 100_000).words) == 400
    assert list(printed.matches(text_of("output " * 100_000))) == []
