"""Questions that are names alone: the files that have the name, whole, in part or misspelt."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.named.meant import meant
from hdlgraph.query.named.subject import subject
from hdlgraph.query.question.edits import distance, nearest

FILES = {
    # Every word of the names below stands here as well, but none of the names.
    "rtl/words.sv": """// credit return count of the buffer: grant, window, sticky, flush, generate
module words(input credit, return_i, count, grant, window);
endmodule
""",
    "rtl/sender.sv": """module sender(input clk_i);
  logic [3:0] credit_return_count_q;
  logic flushWindowSticky;
  if (1) begin : gwinflush
  end
endmodule
""",
    "rtl/kinds.sv": """package kinds;
  typedef enum logic {GrantIdle, GrantBusy} grant_state_e;
endpackage
""",
    "rtl/user.sv": """module user(input kinds::grant_state_e grant_state_q);
  kinds::grant_state_e grant_state_d; // grant_state_e grant_state_e
  assign grant_state_d = kinds::GrantBusy; // GrantBusy GrantBusy GrantBusy
  sender u_sender(.clk_i(grant_state_d));
endmodule
""",
}


FILES |= {
    "fsm.sv": "module wide_fsm_unit(input a, output y); assign y = a; endmodule\n",
    "test_fsm.sv": """module test_fsm;
  reg a; wire y; // wide_fsm_unit
  wide_fsm_unit u_dut(.a(a), .y(y)); // wide_fsm_unit wide_fsm_unit
  initial begin a = 0; $display("test of wide_fsm_unit"); $finish; end
endmodule
""",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("named")
    return indexed(root, FILES)


@pytest.fixture(scope="module")
def lexicon(project: Project) -> Lexicon:
    return project.searcher().lexicon


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("credit_return_count_q", ["credit_return_count_q"]),
        ("where is credit_return_count_q driven?", ["credit_return_count_q"]),
        ("in which file is the macro ASSERT_IT defined", ["ASSERT_IT"]),
        ("gwinflush generate block", ["gwinflush"]),
        ("GrantIdle state of grant_state_e", ["GrantIdle", "grant_state_e"]),
        ("return count credit", ["return", "count", "credit"]),
        ("flip flop register file", ["flip", "flop", "register", "file"]),
        ("Which file has counters with RETURN_CO in their names?", ["RETURN_CO"]),
        ("What declares states whose names begin with GrantB?", ["GrantB"]),
        ("why is it that the pin names have changed since the last release?", []),
        ("the count of returned credits is wrong by one after a flush", []),
    ],
)
def test_what_a_question_is_about(question: str, words: list[str]) -> None:
    assert list(subject(question)) == words


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("credit_return_count_q", "rtl/sender.sv"),
        ("credit return count", "rtl/sender.sv"),
        ("count return credit", "rtl/sender.sv"),  # another order
        ("flush window sticky", "rtl/sender.sv"),  # capitals part the name
        ("credit_retrun_count_q", "rtl/sender.sv"),
        ("creditreturn_count_q", "rtl/sender.sv"),  # a `_` is lost
        ("where is gwinflush?", "rtl/sender.sv"),
        ("gwinflsuh", "rtl/sender.sv"),
        ("gwinflush generate block", "rtl/sender.sv"),
        ("grant_state_e", "rtl/kinds.sv"),  # where it is declared, not where it stands most
        ("where is grant_state_e used?", "rtl/user.sv"),
        ("credit return counter", "rtl/sender.sv"),  # the name has its short form
        ("crdt_return_count", "rtl/sender.sv"),
        ("where is GrantBusy defined?", "rtl/kinds.sv"),
        ("Which file defines wdie_fms_unit?", "fsm.sv"),  # not what has an instance of it
        ("where is module wide_fsmm_unit defined", "fsm.sv"),
        ("Which unit has signals whose names start with credit_ret?", "rtl/sender.sv"),
        ("where is the net with WINDOWSTI in its name?", "rtl/sender.sv"),
    ],
)
def test_the_file_that_has_the_name_is_first(project: Project, question: str, first: str) -> None:
    assert project.search(question).hits[0].path == first


def test_a_hit_says_which_name_it_has_and_scores_stay_sorted(project: Project) -> None:
    found = project.search("count return credit")
    told = "has the name credit_return_count_q"
    lines = [one for one in found.hits[0].evidence if one.text == told]
    assert [(one.path, one.line) for one in lines] == [("rtl/sender.sv", 2)]
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    "question",
    ["count the credits", "window of words", "credit bus", "what does grant_state_e flush?"],
)
def test_words_that_are_no_name_mean_none(lexicon: Lexicon, question: str) -> None:
    assert meant(question, lexicon) == ()


def test_words_in_order_fit_better_than_others(lexicon: Lexicon) -> None:
    (in_order,), (turned,) = (meant(text, lexicon) for text in ("credit return", "return credit"))
    name = "credit_return_count_q"
    assert 0 < turned.terms[name] < in_order.terms[name] < 1


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [("grant", "grant", 0), ("gratn", "grant", 1), ("grannt", "grant", 1), ("grnat", "grans", 2),
     ("grant", "window", 3)],
)  # fmt: skip
def test_letters_that_changed_places_are_one_change(one: str, other: str, apart: int) -> None:
    assert distance(one, other, 2) == apart
    assert distance(other, one, 2) == apart


def test_equally_near_names_are_all_found(lexicon: Lexicon) -> None:
    assert nearest("grant_state_x", lexicon, 5) == []  # a letter that is a word of its own
    assert nearest("grant_sttae_q", lexicon, 5) == ["grant_state_q"]
    assert nearest("flop_rammm_aa", lexicon, 5) == []
    assert nearest("wide_fsmm_unit", lexicon, 5) == ["wide_fsm_unit"]  # a letter stands twice
