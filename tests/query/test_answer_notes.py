"""Notes beside an answer stand once, and none says that nothing fits what the design answers."""

from __future__ import annotations

import msgspec
import pytest
from _texts import indexed

from hdlgraph.project import Project
from hdlgraph.query.answer.direct.begin import begun
from hdlgraph.query.answer.noted import exact, once
from hdlgraph.results import Answer, SearchResult

FILES = {
    "box.sv": """module box (input clk_i, rst_ni, input d_i, output logic lid_q);
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) lid_q <= 1'b1;
    else lid_q <= d_i;
endmodule
""",
    "other.sv": "module other (input a);\nendmodule\n",
}
WEAK = "nothing found fits well: its best files have few of the question's words"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return indexed(tmp_path_factory.mktemp("notes"), FILES)


def result(*notes: str) -> SearchResult:
    return SearchResult("what drives lid_q of box?", (), 0, 2, notes=notes)


def test_each_note_stands_once() -> None:
    one, other = "searched by words only", "2 files moved"
    found = once(Answer("q", "t", (), result(other, WEAK, other), notes=(one, other, one)))
    assert found.notes == (one, other)
    assert found.result.notes == (WEAK,)


def test_a_note_that_another_one_says_in_full_is_left_out() -> None:
    short = ("the model was not asked: nothing found fits well",)
    found = once(Answer("q", "t", (), result("nothing found fits well"), notes=short))
    assert (found.notes, found.result.notes) == (short, ())


def test_an_exact_answer_has_no_notes_on_the_search() -> None:
    notes = (WEAK, "looked first in box", "lidq stands nowhere: searched as lid_q", "other note")
    assert exact(result(*notes), "box.lid_q").notes == (
        "lidq stands nowhere: searched as lid_q",
        "other note",
    )
    assert exact(result(*notes), "lidq is no signal").notes == ("other note",)


def test_what_the_design_answers_is_not_said_to_fit_badly(project: Project) -> None:
    weak = Answer(
        "what drives lid_q of box?",
        "Nothing in this index fits well: few words. Nearest is other.sv.",
        *((), result(WEAK)),
        found=False,
        weak="few words",
    )
    found = begun(weak, weak.question, project, project.sources())
    assert found.found
    assert found.weak == ""
    assert "fits well" not in found.text
    assert found.result.notes == ()
    assert found.text.startswith("box.lid_q is driven in 2 places")
    sure = msgspec.structs.replace(weak, found=True, weak="", text="Most likely box.sv.")
    assert begun(sure, sure.question, project, project.sources()).result.notes == ()
