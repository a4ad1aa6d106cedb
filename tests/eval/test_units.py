"""Scores beside the file level, computed by hand on small graphs and read from real RTL."""

import pytest
from _texts import indexed

from hdlgraph.eval.scores.records import Ranking
from hdlgraph.eval.scores.units import Surroundings, Units, subgraph_scores, unit_scores
from hdlgraph.eval.sets.questions import Question
from hdlgraph.graph.graph import Graph
from hdlgraph.model import Node
from hdlgraph.query.features.graph import FileEdge, FileGraph

TWO = """package a_pkg; endpackage
module helper;
endmodule
module two;
  logic a;
  logic b;
endmodule
"""
THREE = "module x; endmodule\nmodule longest;\n\n\nendmodule\n"


def ask(*relevant, id="q"):
    return Question(id, "?", relevant)


def ranked(*paths, **lines):
    return Ranking("q", paths, 0.0, lines={f"{k}.sv": v for k, v in lines.items()})


@pytest.fixture(scope="module")
def units(tmp_path_factory):
    root = tmp_path_factory.mktemp("units")
    project = indexed(root, {"two.sv": TWO, "three.sv": THREE, "defs.svh": "`define A 1\n"})
    return Units(project.graph())


def test_the_main_unit_is_named_like_the_file_else_the_longest(units):
    assert units.main("two.sv") == "two"
    assert units.main("three.sv") == "longest"
    assert units.main("defs.svh") is None
    assert units.right(ask("defs.svh", "two.sv")) == ("two.sv#two",)


def test_a_file_stands_for_its_units_by_line(units):
    files = ranked("defs.svh", "three.sv", "two.sv")
    assert units.ranked(files, 9) == [
        "three.sv#x",
        "three.sv#longest",
        "two.sv#a_pkg",
        "two.sv#helper",
        "two.sv#two",
    ]
    assert units.ranked(files, 1) == ["three.sv#x"]


def test_a_line_that_the_system_knows_brings_its_unit_first(units):
    known = ranked("two.sv", "three.sv", two=5, three=99)
    assert units.ranked(known, 4) == ["two.sv#two", "two.sv#a_pkg", "two.sv#helper", "three.sv#x"]


def test_unit_scores_leave_out_questions_without_a_unit(units):
    rankings = [ranked("two.sv"), ranked("two.sv", two=5), ranked("defs.svh")]
    questions = [ask("two.sv"), ask("two.sv"), ask("defs.svh")]
    found = unit_scores(units, rankings, questions, (1, 3))
    assert found == {"n": 2, "recall@1": 0.5, "recall@3": 1.0}
    assert unit_scores(units, [ranked("two.sv")], [ask("defs.svh")], (1,)) == {
        "n": 0,
        "recall@1": 0,
    }


def test_a_class_within_a_package_is_no_unit_of_its_own():
    package = Node("package:p.sv#p", "package", "p", "p.sv", 1, 9)
    inner = Node("class:p.sv#c", "class", "c", "p.sv", 2, 8, detail="in p")
    assert Units(Graph.of([package, inner], [])).of == {"p.sv": [("p", 1, 9)]}


PATHS = ["a.sv", "b.sv", "c.sv", "d.sv", "e.sv"]


def line_graph():
    """Returns a - b - c - d, with e alone."""
    edges = [
        FileEdge(n, n + 1, PATHS[n], PATHS[n + 1], "INSTANTIATES", PATHS[n], 1, "", 1.0)
        for n in range(3)
    ]
    return FileGraph(edges, len(PATHS))


def test_neighbourhoods_grow_by_hops_in_both_directions():
    around = Surroundings(line_graph(), PATHS, PATHS)
    assert around.within(["c.sv"], 0) == {2}
    assert around.within(["c.sv"], 1) == {1, 2, 3}
    assert around.within(["c.sv"], 2) == {0, 1, 2, 3}
    assert around.within(["e.sv"], 2) == {4}


def test_subgraph_scores_by_hand():
    around = Surroundings(line_graph(), PATHS, PATHS)
    rankings = [ranked("a.sv", "e.sv"), ranked("e.sv", "b.sv")]
    found = subgraph_scores(around, rankings, [ask("c.sv"), ask("c.sv", "e.sv")], (1, 2))
    assert found["h1"] == {
        "@1": pytest.approx((0 + 0.5) / 2),
        "coverage@1": pytest.approx((2 / 5 + 1 / 5) / 2),
        "@2": pytest.approx((0 + 1) / 2),
        "coverage@2": pytest.approx((3 / 5 + 4 / 5) / 2),
    }
    assert found["h2"]["@1"] == pytest.approx((1 + 0.5) / 2)
    assert found["h2"]["coverage@2"] == pytest.approx((4 / 5 + 5 / 5) / 2)


def test_coverage_counts_candidates_alone_and_a_missing_graph_has_no_neighbours():
    sample = ["a.sv", "d.sv"]
    around = Surroundings(line_graph(), PATHS, sample)
    assert around.score(["a.sv"], ["d.sv"], 2) == (0, 0.5)
    assert Surroundings(None, PATHS, PATHS).score(["a.sv"], ["b.sv"], 2) == (0, 0.2)
