"""Files that may answer a question for a relation: by what they declare, by logic, by a name."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hdlgraph.project import Project
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.relations.design import SETTINGS, TYPES
from hdlgraph.query.relations.facts.logic import flows_of, logic_of
from hdlgraph.query.relations.facts.value import fits
from hdlgraph.query.relations.facts.written import Written
from hdlgraph.query.relations.joint import inner, pairs
from hdlgraph.query.relations.joint.declared import declared
from hdlgraph.query.relations.joint.edge import explained
from hdlgraph.query.relations.joint.pairs import Way
from hdlgraph.query.relations.joint.sides import Words
from hdlgraph.query.relations.resolve import Resolver, resolver_of

CHIP = """module chip (input logic clk_i, input logic [7:0] beat_i, output logic [7:0] wave_o);
  logic [7:0] drawn, kept, wave;
  source u_source (.beat_i, .drawn_o(drawn));
  always_ff @(posedge clk_i) kept <= drawn;
  shaper u_shaper (.raw_i(kept), .soft_o(wave));
  assign wave_o = ~wave;
endmodule
"""
FILES = {
    "rtl/chip.sv": CHIP,
    "rtl/source.sv": "module source (input logic [7:0] beat_i, output logic [7:0] drawn_o);\n"
    "  assign drawn_o = beat_i;\nendmodule\n",
    "rtl/shaper.sv": "module shaper (input logic [7:0] raw_i, output logic [7:0] soft_o);\n"
    "  assign soft_o = raw_i;\nendmodule\n",
    "fpga/shaper.sv": "module shaper (input logic [7:0] raw_i, output logic [7:0] soft_o);\n"
    "  assign soft_o = {raw_i[6:0], 1'b0};\nendmodule\n",
    "cfg/small.sv": "package small_pkg;\n  localparam TurboEn = 0;\nendpackage\n",
    "cfg/large.sv": "package large_pkg;\n  localparam TurboEn = 1;\n"
    "  typedef enum logic [1:0] {StSleeping, StDrawing} mood_e;\nendpackage\n",
    "rtl/mood.sv": "module mood import large_pkg::*; (input logic clk_i, output mood_e mood_o);\n"
    "  always_ff @(posedge clk_i)\n    if (mood_o == StSleeping) mood_o <= StDrawing;\n"
    "    else if (mood_o == StDrawing) mood_o <= StSleeping;\nendmodule\n",
    "tb/shaper_tb.sv": "module shaper_tb;\n  logic [7:0] a, b;\n"
    "  shaper dut (.raw_i(a), .soft_o(b));\n  shaper_checks i_checks (.raw_i(a));\nendmodule\n",
    "tb/shaper_checks.sv": "module shaper_checks (input logic [7:0] raw_i);\n"
    "  initial assert (raw_i == 0);\nendmodule\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> IndexView:
    root: Path = tmp_path_factory.mktemp("candidates")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    return Project(root).searcher().index


@pytest.fixture(scope="module")
def resolver(index: IndexView) -> Resolver:
    found = resolver_of(index)
    assert found is not None
    return found


def unit(resolver: Resolver, name: str, path: str = "rtl/") -> int:
    design = resolver.design
    (row,) = [row for row in design.units
              if design.names[row] == name and design.paths[row].startswith(path)]  # fmt: skip
    return row


def test_a_file_answers_by_the_setting_that_it_declares_and_its_value(resolver: Resolver) -> None:
    words = Words("Which configuration package switches the turbo on?", resolver)
    found = {resolver.path(one.asked): one for one in
             declared(resolver.design, resolver, words, SETTINGS)}  # fmt: skip
    assert found["cfg/large.sv"].agrees == 1.0
    assert found["cfg/small.sv"].agrees == -1.0
    (edge,) = found["cfg/large.sv"].edges
    assert resolver.design.graph.edges.column("line")[edge] == 2
    assert all(one.way is Way.DECLARED and one.known == -1 for one in found.values())


def test_a_type_is_found_by_the_value_that_a_question_writes(resolver: Resolver) -> None:
    words = Words("Where is the state StSleeping declared?", resolver)
    (found,) = declared(resolver.design, resolver, words, TYPES)
    assert resolver.path(found.asked) == "cfg/large.sv"
    assert found.names[0] == "StSleeping"


@pytest.mark.parametrize(
    ("value", "text", "agrees"),
    [
        ("1", "Which one turns the cache on?", 1.0),
        ("0", "Which one turns the cache on?", -1.0),
        ("1'b0", "Which variant leaves the cache out, with the cache off?", 1.0),
        ("8'h10", "Where is the depth set to sixteen?", 1.0),
        ("4", "Where is the depth set to 16?", -1.0),
        ("Depth", "Where is the depth set to 16?", 0.0),
        ("16", "Where is the depth set?", 0.0),
        ("2", "Which target has more than one hart?", 1.0),
        ("1", "Which target has more than one hart?", -1.0),
        ("4", "Which setup has several masters?", 1.0),
        ("2", "Which value is larger than the default?", 0.0),
    ],
)
def test_a_value_fits_what_is_asked(value: str, text: str, agrees: float) -> None:
    assert fits(value, text) == agrees


def test_a_part_stands_between_what_logic_joins_to_it(index: IndexView, resolver: Resolver) -> None:
    words = Words("In chip, what lies between source and wave_o?", resolver)
    design, chip = resolver.design, unit(resolver, "chip")

    def derived(row: int) -> dict[str, tuple[str, ...]]:
        return logic_of(row, resolver, index.part(flows_of)).derived

    assert not list(inner.routed(design, [chip], words))
    found = list(inner.routed(design, [chip], words, derived))
    best = found[0]
    assert design.names[best.rows[1]] == "shaper"
    assert {"source", "chip"} == {design.names[row] for row in best.rows[2:4]}
    assert best.way is Way.LOGIC


def test_statements_tell_what_a_unit_only_passes_on(index: IndexView, resolver: Resolver) -> None:
    flows = index.part(flows_of)
    chip = logic_of(unit(resolver, "chip"), resolver, flows)
    assert "drawn" in chip.read
    assert "beat_i" not in chip.read
    assert "wave_o" in chip.driven
    assert "wave" not in chip.driven
    assert "beat_i" in logic_of(unit(resolver, "source"), resolver, flows).read


def test_a_unit_of_the_same_name_in_another_file_may_answer(resolver: Resolver) -> None:
    (found,) = pairs.namesakes(resolver.design, [unit(resolver, "shaper")])
    assert (resolver.path(found.asked), resolver.path(found.known)) == (
        "fpga/shaper.sv", "rtl/shaper.sv",
    )  # fmt: skip
    assert not list(pairs.namesakes(resolver.design, [unit(resolver, "chip")]))


def test_a_checker_in_a_bench_stands_beside_what_it_checks(resolver: Resolver) -> None:
    design = resolver.design
    tested = [row for row in design.units if design.names[row] == "shaper" and design.parents(row)]
    found = {resolver.path(one.asked) for one in pairs.beside(design, tested, resolver.tests)}
    assert found == {"tb/shaper_checks.sv"}


def test_a_written_state_stands_where_it_is_used(resolver: Resolver) -> None:
    written = Written(["ststays", "stsleeping"], resolver)
    paths = [resolver.path(number) for number in written.few()]
    assert paths == ["cfg/large.sv", "rtl/mood.sv"]
    holds, uses, most, declares = written.of(written.few()[1])
    assert (holds, most, declares) == (1.0, 1.0, 0.0)
    assert uses > written.of(written.few()[0])[1]
    assert Written([], resolver).of(0) == (0.0, 0.0, 0.0, 0.0)


def test_an_edge_explains_the_names_that_a_question_writes(resolver: Resolver) -> None:
    design = resolver.design
    source, shaper, chip = (unit(resolver, name) for name in ("source", "shaper", "chip"))
    sides = SimpleNamespace(resolver=resolver)
    both = cast(Any, SimpleNamespace(
        name_groups=[frozenset({source}), frozenset({shaper})], sides=sides))  # fmt: skip
    joined = next(iter(pairs.joined(design, [source, shaper])))
    assert explained(joined, both) == (1.0, 1.0)
    one, *_ = pairs.outside(design, [source], [source])
    assert design.file(chip) == one.asked
    assert explained(one, both) == (0.5, 0.0)


def test_a_misspelt_word_stands_for_its_abbreviation(resolver: Resolver) -> None:
    assert any(one.token == "rx" for one in resolver.phrase("the recever").stands)
    assert not any(one.token == "rx" for one in resolver.phrase("the reactor").stands)


def test_a_file_is_meant_by_its_name(resolver: Resolver) -> None:
    assert resolver.of_file("shaper_checks") == [unit(resolver, "shaper_checks", "tb/")]
    assert resolver.of_file("tb/shaper_checks.sv") == [unit(resolver, "shaper_checks", "tb/")]
    assert resolver.of_file("nothing") == []
