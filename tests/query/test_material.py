"""The choice of material: whole statements, what drives and uses them, copies once, in a budget."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdlgraph.llm.tokens import count_tokens
from hdlgraph.project import Project
from hdlgraph.query.answer.context import Context, build_context
from hdlgraph.query.answer.material.files import chosen
from hdlgraph.query.answer.material.pieces import FilePieces
from hdlgraph.results import Hit

PACKAGE = """\
package kiln_pkg;
  // How hot it is.
  typedef enum logic [1:0] {Cold, Warming, Glowing} heat_e;
  parameter int SoakCycles = 40;
  parameter int Unrelated = 3;
endpackage
"""
FILLER = "\n".join(f"  assign spare[{n}] = unused_{n} & other_{n};" for n in range(300))
KILN = f"""\
// Copyright Someone.
// Licensed under the Apache License, see LICENSE.
// Fires pots.
module kiln import kiln_pkg::*; (
  input  logic clk_i, rst_ni, ignite_i, door_i,
  output logic lit_o
);
  heat_e heat_q, heat_d;
  logic [5:0] soak_q;
  logic hot;
{FILLER}

  thermometer u_thermometer (
    .clk_i,
    .probe_i (door_i),
    .hot_o   (hot)
  );

  always_comb begin
    heat_d = heat_q;
    case (heat_q)
      Cold: if (ignite_i) heat_d = Warming;
      Warming: begin
        if (hot && soak_q == 6'(SoakCycles)) heat_d = Glowing;
      end
      default: if (door_i) heat_d = Cold;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      heat_q <= Cold;
      soak_q <= '0;
    end else begin
      heat_q <= heat_d;
      soak_q <= soak_q + 1;
    end
  end

  assign lit_o = heat_q == Glowing;
endmodule
"""
METER = """\
module thermometer (input clk_i, input probe_i, output reg hot_o);
  always @(posedge clk_i) hot_o <= probe_i;
endmodule
"""
BENCH = """\
module kiln_tb;
  // Drives the kiln: ignite, wait until the kiln glows, check the heat.
  logic clk, rst_n, ignite, door, lit;
  kiln dut (.clk_i(clk), .rst_ni(rst_n), .ignite_i(ignite), .door_i(door), .lit_o(lit));
  initial begin ignite = 1; #100 $display("the kiln glows"); end
endmodule
"""


@pytest.fixture(scope="module")
def pottery(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("pottery")
    files = {
        "rtl/kiln.sv": KILN,
        "rtl/kiln_pkg.sv": PACKAGE,
        "rtl/thermometer.v": METER,
        "board/one/thermometer.v": METER,
        "tb/kiln_tb.sv": BENCH,
        "rtl/glaze.sv": "module glaze (input logic dip_i, output logic wet_o);\n"
        "  assign wet_o = dip_i;\nendmodule\n",
    }
    for path, text in files.items():
        Path(root, path).parent.mkdir(parents=True, exist_ok=True)
        Path(root, path).write_text(text)
    project = Project(root)
    project.index(embeddings=False, graphrag="never", jobs=1)
    return project


def material(project: Project, question: str, budget: int = 1400) -> Context:
    result = project.search(question)
    lexicon = project.searcher().lexicon
    return build_context(question, result, lexicon, project.sources(), budget)


def lines(found: Context, path: str) -> set[int]:
    return {n for a, b in found.shown.ranges.get(path, []) for n in range(a, b + 1)}


def line_of(text: str, part: str) -> int:
    return next(n for n, line in enumerate(text.split("\n"), 1) if part in line)


def test_states_are_shown_with_their_machine_from_another_file(pottery: Project) -> None:
    found = material(pottery, "what states does the kiln go through?")
    kiln = lines(found, "rtl/kiln.sv")
    begin, end = line_of(KILN, "case (heat_q)"), line_of(KILN, "default: if")
    assert set(range(begin, end + 1)) <= kiln
    assert line_of(PACKAGE, "typedef enum") in lines(found, "rtl/kiln_pkg.sv")
    assert line_of(PACKAGE, "SoakCycles") in lines(found, "rtl/kiln_pkg.sv")


def test_what_drives_a_signal_is_shown_beside_what_uses_it(pottery: Project) -> None:
    found = material(pottery, "when does the kiln go from warming to glowing?")
    kiln = lines(found, "rtl/kiln.sv")
    assert line_of(KILN, "if (hot && soak_q") in kiln
    assert line_of(KILN, "soak_q <= soak_q + 1") in kiln
    instance = line_of(KILN, "thermometer u_thermometer")
    assert set(range(instance, instance + 5)) <= kiln
    assert "hot_o <= probe_i" in found.text  # the small module that the instance stands for


def test_the_reset_branch_answers_for_reset_values(pottery: Project) -> None:
    kiln = lines(material(pottery, "what is the reset value of the kiln's heat?"), "rtl/kiln.sv")
    assert {line_of(KILN, "if (!rst_ni)"), line_of(KILN, "heat_q <= Cold")} <= kiln


def test_who_instantiates_is_answered_by_the_instance(pottery: Project) -> None:
    found = material(pottery, "which modules use the thermometer?")
    instance = line_of(KILN, "thermometer u_thermometer")
    assert set(range(instance, instance + 5)) <= lines(found, "rtl/kiln.sv")


def test_the_design_comes_before_its_test_and_a_copy_once(pottery: Project) -> None:
    plain = material(pottery, "what makes the kiln glow?", 3000)
    assert "rtl/kiln.sv" in plain.files
    assert "tb/kiln_tb.sv" not in plain.files[: plain.files.index("rtl/kiln.sv")]
    found = material(pottery, "thermometer probe hot", 3000)
    assert len([path for path in found.files if path.endswith("thermometer.v")]) == 1


def test_no_licence_is_shown_and_fillers_last(pottery: Project) -> None:
    found = material(pottery, "when does the kiln go from warming to glowing?")
    assert "Apache" not in found.text
    assert "spare[" not in found.text


@pytest.mark.parametrize("budget", [100, 300, 900, 2500, 6000])
def test_the_budget_is_kept(pottery: Project, budget: int) -> None:
    for question in ("what states does the kiln go through?", "who uses kiln_pkg?", "glaze"):
        found = material(pottery, question, budget)
        assert count_tokens(found.text) == found.tokens <= budget
        assert len(found.files) <= 6


def test_files_that_write_what_the_question_names_are_shown(pottery: Project) -> None:
    found = material(pottery, "what is SoakCycles? soak_q and heat_d?")
    assert "rtl/kiln.sv" in found.files


@pytest.mark.parametrize("text", ["", "\n\n", "garbage (((\n" * 50, "`define A\n`A `A(\n"])
def test_any_text_is_cut_into_pieces_of_its_own_lines(text: str) -> None:
    file = FilePieces("a.sv", text)
    for piece in file.pieces:
        assert list(piece.lines) == sorted(set(piece.lines))
        assert 1 <= piece.lines[0] <= piece.lines[-1] <= len(file.lines)


def test_pieces_have_the_heads_of_what_is_around_them() -> None:
    text = KILN.replace("      default:", "      2'd3: x = 1;\n" * 30 + "      default:")
    file = FilePieces("kiln.sv", text)
    arm = next(p for p in file.pieces if line_of(text, "hot && soak_q") in p.lines)
    assert line_of(text, "case (heat_q)") in {*arm.heads, *arm.lines}
    assert line_of(text, "always_comb") in {*arm.heads, *arm.lines}


def test_copies_by_content_or_by_name_are_one() -> None:
    other = METER.replace("probe_i;", "probe_i; // board")
    texts = {"a.v": METER, "b.v": other, "c.v": "module c (input x);\n  wire y = x & x;\nendmodule"}
    hits = [Hit(n, path, 1, 1.0, "rtl") for n, path in enumerate(texts, 1)]
    assert [hit.path for hit, _ in chosen(hits, texts.__getitem__, False)] == ["a.v", "c.v"]
