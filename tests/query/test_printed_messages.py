"""Questions that quote a message: the line that prints it, its condition and its severity."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

FILES = {
    "dv/kiln_scoreboard.sv": """\
class kiln_scoreboard;
  task fire(string stage, int heat);
    case (stage)
      "glaze": begin
        if (heat > 900) begin
          store(heat);
        end else begin
          `uvm_error(`gfn, "glaze fired below melting heat")
        end
      end
      default: begin
        `uvm_warning(`gfn,
          $sformatf("stage %0d of the kiln skipped", heat))
      end
    endcase
  endtask
endclass
""",
    "bhv/kiln_log.sv": """\
module kiln_log (input logic clk_i, input logic open_i, input logic hot_i);
  always_ff @(posedge clk_i) begin
    if (open_i && hot_i) begin
      $display("%t: Door opened (kiln %0d) while hot", $time, 3);
    end
  end
endmodule
""",
    "rtl/kiln_door.sv": """\
// Door of the kiln: opened and closed; a message of the door being opened goes out.
module kiln_door (input logic open_i, output logic door_opened_o);
  assign door_opened_o = open_i;
endmodule
""",
}


@pytest.fixture(scope="module")
def kiln(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("kiln")
    return indexed(root, FILES)


@pytest.mark.parametrize(
    ("question", "row", "line"),
    [
        (
            "which message 'glaze fired below melting heat' and when is it printed",
            '- by `uvm_error (severity: error), if stage is "glaze" and not (heat > 900):',
            '`uvm_error(`gfn, "glaze fired below melting heat")',
        ),
        (
            'where is "glaze fired below melting heat" printed?',
            '- by `uvm_error (severity: error), if stage is "glaze" and not (heat > 900):',
            "[dv/kiln_scoreboard.sv:3-8]",
        ),
        (
            "where is the door opened message printed?",
            "- by $display (severity: none, plain output), if open_i && hot_i:",
            "[bhv/kiln_log.sv:2-4]",
        ),
        (
            "stage 7 of the kiln skipped",
            "- by `uvm_warning (severity: warning), if no arm of stage fits:",
            '$sformatf("stage %0d of the kiln skipped", heat))',
        ),
    ],
)
def test_a_message_begins_the_answer(kiln: Project, question: str, row: str, line: str) -> None:
    found = kiln.ask(question).text.splitlines()
    assert found[0] == "That message is printed on 1 line:"
    assert found[1] == row
    first = found.index("") if "" in found else len(found)
    assert any(one.endswith(line) for one in found[:first])


def test_what_no_string_says_is_searched(kiln: Project) -> None:
    text = kiln.ask('where is "the kiln ran out of wood" printed?').text
    assert "That message" not in text
