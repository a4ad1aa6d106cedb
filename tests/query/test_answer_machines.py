"""Answers on state machines: the transitions that `fsm` knows, none left out in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdlgraph.eval.answers.run import Check
from hdlgraph.project import Project
from hdlgraph.query.answer.page import Page
from hdlgraph.query.answer.passages.sections import states
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.question.aims import Aim

OVEN = """// Bakes bread.
module oven (input logic clk_i, rst_ni, coal_i, ash_i, heat_i, door_i, output logic glow_o);
  typedef enum logic {Shut, Wide} flap_e;
  typedef enum logic [1:0] {Cold, Warm, Hot, Burnt} bake_e;
  flap_e flap_q, flap_d;
  bake_e bake_q, bake_d;
  always_comb begin
    bake_d = bake_q;
    case (bake_q)
      Cold: begin
        if (ash_i) begin
          bake_d = Burnt;
        end else if (door_i) begin
          bake_d = Cold;
        end else if (coal_i) begin
          bake_d = Warm;
        end else begin
          bake_d = Hot;
        end
      end
      Warm: bake_d = heat_i ? Hot : Cold;
      Hot: if (door_i) bake_d = Warm;
      Burnt: bake_d = Cold;
    endcase
    if (ash_i && heat_i) bake_d = Burnt;
  end
  always_comb begin
    flap_d = flap_q;
    case (flap_q)
      Shut: if (door_i) flap_d = Wide;
      Wide: if (!door_i) flap_d = Shut;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      bake_q <= Cold; flap_q <= Shut;
    end else begin
      bake_q <= bake_d; flap_q <= flap_d;
    end
  assign glow_o = bake_q == Hot;
endmodule
"""
LAMP = """// Lights a lamp.
module lamp (input logic clk_i, rst_ni, press_i, power_i, output logic glow_o);
  typedef enum logic [1:0] {Off, Dim, Bright, Blink} lamp_e;
  lamp_e lamp_q, lamp_d;
  always_comb begin
    lamp_d = lamp_q;
    case (lamp_q)
      Off: if (press_i) lamp_d = Dim;
      Dim: if (press_i) lamp_d = Bright;
      Bright: if (press_i) lamp_d = Blink;
      Blink: if (press_i) lamp_d = Dim;
    endcase
    if (!power_i) lamp_d = Off;
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) lamp_q <= Off; else lamp_q <= lamp_d;
  assign glow_o = lamp_q != Off;
endmodule
"""
STEPS = 40


def ladder() -> str:
    """Returns a unit whose machine has more transitions than an answer tells."""
    names = ", ".join(f"Rung{n}" for n in range(STEPS))
    arms = "\n".join(
        f"      Rung{n}: if (up_i) rung_d = Rung{(n + 1) % STEPS};\n"
        f"        else if (down_i) rung_d = Rung{(n - 1) % STEPS};"
        for n in range(STEPS)
    )
    return f"""// Climbs a ladder.
module ladder (input logic clk_i, rst_ni, up_i, down_i);
  typedef enum logic [5:0] {{{names}}} rung_e;
  rung_e rung_q, rung_d;
  always_comb begin
    rung_d = rung_q;
    case (rung_q)
{arms}
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) rung_q <= Rung0; else rung_q <= rung_d;
endmodule
"""


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("bakery")
    (root / "oven.sv").write_text(OVEN)
    (root / "lamp.sv").write_text(LAMP)
    (root / "ladder.sv").write_text(ladder())
    project = Project(root)
    project.index(embeddings=False, graphrag="never", jobs=1)
    return project


def asked(project: Project, question: str) -> str:
    answer = project.ask(question)
    assert [claim for claim in Check(project).claims(answer) if claim.wrong] == [], answer.text
    return answer.text


def test_the_transitions_are_those_of_fsm(bakery: Project) -> None:
    text = asked(bakery, "Show me the state machine of the oven")
    for said in (
        "Cold -> Burnt when ash_i [",
        "Cold -> Warm when !ash_i && !door_i && coal_i ",
        "Cold -> Hot when !ash_i && !door_i && !coal_i ",
        "Warm -> Cold when !heat_i ",
        "any state -> Burnt when ash_i && heat_i ",
        "Hot -> Warm when door_i, unless line 25 sets another",
    ):
        assert said in text, text
    assert "coal_i, unless" not in text  # which asks for !ash_i, and line 25 for ash_i


def test_what_may_take_the_place_of_most_transitions_is_said_once(bakery: Project) -> None:
    text = asked(bakery, "Show me the state machine of the lamp")
    assert text.count("unless line 13 sets another") == 1
    assert "from a state, unless line 13 sets another" in text


def test_the_largest_machine_is_told_and_the_others_are_named(bakery: Project) -> None:
    text = asked(bakery, "Show me the state machine of the oven")
    assert "States of bake_e (4)" in text
    assert "oven.flap_q (2 states, 2 transitions: `hdlgraph fsm oven`)" in text
    text = asked(bakery, "Show me the flap state machine of the oven")
    assert "States of flap_e (2)" in text


def test_what_is_left_out_of_a_machine_is_counted(bakery: Project) -> None:
    text = asked(bakery, "Show me the state machine of the ladder")
    (left,) = [line for line in text.split("\n") if "more transitions" in line]
    assert left.endswith("more transitions: `hdlgraph fsm ladder`")
    told = sum(" -> " in line for line in text.split("\n"))
    assert told + int(left.split()[1]) == 2 * STEPS


def test_every_test_that_fails_before_a_branch_is_said_where_the_text_alone_is_known() -> None:
    page = Page()
    wanted = {"bake": (0, 3.0)}
    assert states(page, FileView("oven.sv", OVEN, wanted, (Aim.STATES,)), 30)
    assert "Cold -> Warm when not (ash_i) and not (door_i) and coal_i" in page.text
    assert "Cold -> Hot when not (ash_i) and not (door_i) and not (coal_i)" in page.text


def test_a_file_that_changed_since_it_was_indexed_is_read_anew(tmp_path: Path) -> None:
    (tmp_path / "oven.sv").write_text(OVEN)
    project = Project(tmp_path)
    project.index(embeddings=False, graphrag="never", jobs=1)
    (tmp_path / "oven.sv").write_text("// One line more.\n// And one.\n" + OVEN)
    text = Project(tmp_path).ask("Show me the state machine of the oven").text
    assert "Cold -> Warm when not (ash_i) and not (door_i) and coal_i" in text
