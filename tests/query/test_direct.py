"""Questions that the exact engines answer: drivers, reset values, differences, hosts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hdlgraph.project import Project

DESIGNS = Path(__file__).parent.parent / "designs"
HOSTS = ["- cpu (tiny_core)", "- dma (tiny_dma)"]


def rows(project: Project, question: str) -> list[str]:
    answer = project.ask(question)
    for one in answer.citations:  # each stands in the text, once, and its file has the line
        assert answer.text.count(f"[{one.place}]") >= 1
        assert len(project.source_text(one.path).splitlines()) >= one.end_line >= one.line > 0
    assert [one.marker for one in answer.citations] == list(range(1, len(answer.citations) + 1))
    return answer.text.splitlines()


def test_drivers_come_with_their_conditions_and_lines(soc_project: Project) -> None:
    found = rows(soc_project, "when is frame_err_o of uart_rx set?")
    assert found[0] == "uart_rx.frame_err_o is driven in 2 places:"
    assert "- always_ff @(posedge clk_i or negedge rst_ni) resets it, if !rst_ni:" in found
    sets = next(n for n, row in enumerate(found) if " sets it" in row)
    assert "baud_q == ClksPerBit[15:0] - 1" in found[sets]
    assert "rst_ni" not in found[sets]  # outside of the reset branch: no news
    assert "frame_err_o <= !rx_i;" in found[sets + 1]


def test_who_drives_a_port_is_answered_by_its_drivers_alone(soc_project: Project) -> None:
    found = rows(soc_project, "who drives data_o of uart_rx?")
    assert found[0] == "uart_rx.data_o is driven in 1 place:"
    assert not any(row.startswith("Most likely") for row in found)


@pytest.mark.parametrize(
    "question",
    [
        "what is the reset value of valid_o in uart_rx?",
        "what does valid_o of uart_rx reset to?",
    ],
)
def test_reset_values_are_told_alone(soc_project: Project, question: str) -> None:
    found = rows(soc_project, question)
    edges = "@(posedge clk_i or negedge rst_ni)"
    assert found[0] == f"uart_rx.valid_o resets to 1'b0 if !rst_ni, {edges}:"
    assert [row for row in found if "always_ff @(posedge clk_i or negedge rst_ni)" in row]
    assert not any(row.startswith("Most likely") for row in found)


def test_a_register_is_found_by_its_stem(soc_project: Project) -> None:
    assert rows(soc_project, "reset value of baud in uart_rx")[0].startswith(
        "uart_rx.baud_q resets to '0"
    )


@pytest.mark.parametrize(
    ("signal", "told"),
    [
        ("data_o", "uart_rx.data_o is no register: it has no reset value of its own."),
        ("shift_q", "uart_rx.shift_q is a register that no reset sets."),
    ],
)
def test_a_signal_without_a_reset_value_is_told_so(
    soc_project: Project, signal: str, told: str
) -> None:
    found = rows(soc_project, f"what is the reset value of {signal} in uart_rx?")
    assert found[0] == told
    assert found[1].startswith(f"uart_rx.{signal} is driven in ")


def test_a_unit_without_the_signal_is_told_so(soc_project: Project) -> None:
    found = rows(soc_project, "when is frame_err_o of uart_tx set?")
    assert found[0] == "uart_tx has no port or signal frame_err_o."
    assert found[1].startswith("- uart_rx has a port of that name [rtl/uart_rx.sv:")


def test_two_units_are_compared(soc_project: Project) -> None:
    found = rows(soc_project, "what is the difference between uart_rx and uart_tx?")
    assert found[0].startswith("module uart_rx [rtl/uart_rx.sv:")
    alone = [row for row in found if row.startswith("- only uart_rx has ")]
    assert any("frame_err_o: output logic" in row for row in alone)
    assert not any("clk_i" in row for row in alone)


def test_a_comparison_of_one_unit_with_words_is_searched(soc_project: Project) -> None:
    found = rows(soc_project, "what does uart_rx do differently on an error?")
    assert not any(row.startswith("- only ") for row in found)


def test_what_changed_since_the_index_is_not_told(indexed_soc: Path) -> None:
    source = indexed_soc / "rtl" / "uart_rx.sv"
    source.write_text("// one more line\n" + source.read_text())
    text = Project(indexed_soc).ask("when is frame_err_o of uart_rx set?").text
    assert "is driven in" not in text


def test_hosts_of_a_region_are_told(tmp_path: Path) -> None:
    project = Project(Path(shutil.copytree(DESIGNS / "address", tmp_path / "address")))
    project.index(graphrag="never", embeddings=False, jobs=1)
    found = rows(project, "which bus masters can access the ram?")
    assert found[0].startswith("ram is at 0x10000000, ")
    assert [row.split(" [")[0] for row in found if row.startswith("- ")] == HOSTS


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("mill")
    (root / "mill_pkg.sv").write_text(
        "package mill_pkg;\n  parameter int NUM_STONES = 5;\n  parameter int SK_NR_LEVERS = 3;\n"
        "  parameter int NUM_HOPGATES = 7;\n"
        "  parameter int STONES_WIDTH = 9;\nendpackage\n"
    )
    (root / "mill.sv").write_text(
        "module mill (input logic [mill_pkg::NUM_STONES-1:0] stones_i);\nendmodule\n"
    )
    project = Project(root)
    project.index(graphrag="never", embeddings=False, jobs=1)
    return project


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("how many stones does the mill have?", "mill_pkg.NUM_STONES: parameter int = 5"),
        ("number of levers of the skipper", "mill_pkg.SK_NR_LEVERS: parameter int = 3"),
        ("how many HOP gates are there by default?", "mill_pkg.NUM_HOPGATES: parameter int = 7"),
        ("how many levers are there in the mill?", ""),  # of the skipper alone
        ("how many wheels does the mill have?", ""),
    ],
)
def test_counts_are_told_by_their_parameter(mill: Project, question: str, first: str) -> None:
    found = rows(mill, question)[0]
    assert found.startswith(f"{first} [mill_pkg.sv:" if first else ("Most", "Nothing")), found


@pytest.mark.parametrize(
    "question",
    ["how does a byte get from uart_rx to sync_fifo?", "what connects uart_rx with sync_fifo?"],
)
def test_the_way_between_two_units_is_told_by_its_lines(
    soc_project: Project, question: str
) -> None:
    found = rows(soc_project, question)
    assert found[0] == "From uart_rx to sync_fifo, the shortest way:"
    assert found[1].startswith("- uart")
    assert "rtl/uart.sv" in found[3]


@pytest.mark.parametrize(
    "question",
    [
        "what states does the uart rx have?",
        "state machine of uart_rx",
        "list all states of uart_rx",
    ],
)
def test_states_of_a_named_unit_are_told_alone(soc_project: Project, question: str) -> None:
    found = rows(soc_project, question)
    assert found[0].startswith("States of rx_state_e (3): RX_IDLE, RX_DATA, RX_STOP [")
    assert any(row.startswith("  RX_IDLE -> RX_DATA when !rx_i [") for row in found)
    assert not any(row.startswith("Most likely") for row in found)


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("cells")
    (root / "keep.sv").write_text("""\
module keep #(parameter logic [3:0] First = 4'h1) (
  input logic clk, input logic rst_n, input logic [3:0] d, output logic [3:0] q
);
  logic [3:0] held;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) held <= First;
    else held <= d;
  assign q = held;
endmodule
""")
    (root / "rack.sv").write_text("""\
`define KEPT(name) keep name``_keep (.clk, .rst_n, .d(name``_d), .q(name``_q));
module rack (input logic clk, input logic rst_n, input logic [3:0] a_d, input logic [3:0] b_d);
  typedef struct packed {logic [3:0] left; logic [3:0] right;} pair_t;
  logic [3:0] a_q, b_q;
  pair_t pair;
  keep #(
    .First(4'h9)
  ) u_a (
    .clk, .rst_n, .d(a_d), .q(a_q)
  );
  `KEPT(b)
  assign pair.left = a_q;
endmodule
module twins (input logic clk, input logic rst_n, output logic [1:0] x_q, output logic [2:0] y_q);
  always_ff @(posedge clk)
    if (!rst_n) {x_q, y_q} <= {3'd1, 2'd2};
    else x_q <= 2'd0;
endmodule
""")
    (root / "dv").mkdir()
    (root / "dv" / "rack_tb.sv").write_text("""\
module rack_tb;
  logic a, right;
  initial right = 1'b1;
endmodule
""")
    project = Project(root)
    project.index(graphrag="never", embeddings=False, jobs=1)
    return project


def test_the_reset_value_of_a_register_in_a_cell_is_that_given_to_it(cells: Project) -> None:
    found = rows(cells, "what does a_q reset to?")
    assert found[0] == "rack.a_q is the output q of u_a:"
    assert any(row.startswith("keep.held resets to First if !rst_n") for row in found)
    assert any(row.startswith("First of u_a is 4'h9 [rack.sv:6") for row in found)
    assert rows(cells, "what does a reset to?")[0] == found[0]  # and not that of the testbench


def test_a_part_of_what_is_assigned_together_gets_no_value_of_all(cells: Project) -> None:
    found = rows(cells, "what does x_q of twins reset to?")
    assert found[0].startswith("twins.x_q is reset if !rst_n")


def test_members_are_those_of_the_signal_before_the_dot(cells: Project) -> None:
    found = rows(cells, "what drives pair.left")
    assert found[0] == "rack.pair.left is driven in 1 place:"
    assert "rack_tb" not in rows(cells, "what drives pair.right")[0]


def test_a_driver_from_a_macro_has_the_line_of_the_macro(cells: Project) -> None:
    assert "   11|   `KEPT(b)" in rows(cells, "what drives b_q of rack")


def test_instances_are_counted(cells: Project) -> None:
    found = rows(cells, "how many instances of keep are there in rack?")
    assert found[0].startswith("keep is instantiated 2 times in rack ")


def test_a_unit_that_does_not_exist_is_said_first(cells: Project) -> None:
    assert rows(cells, "what does a_q reset to in rack_two?")[0].startswith("Named nowhere")


PIPE = """module pipe_ctrl(input clk, input busy, input miss, input irq, output logic flush_ex,
                 output logic stall_id);
  logic stall_lsu;
  assign stall_lsu = busy & !miss;
  assign stall_id = stall_lsu |
                    miss;
  always_comb begin
    flush_ex = 1'b0;
    if (irq) flush_ex = 1'b1;
  end
endmodule
module pipe(input clk, input busy, input miss, input irq, output logic y);
  logic stall_id, flush_ex;
  pipe_ctrl u_ctrl (.*);
  assign y = stall_id & flush_ex;
endmodule
"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what stalls the ID stage?", "pipe_ctrl.stall_id is driven in 1 place:"),
        ("when is the id stage stalled?", "pipe_ctrl.stall_id is driven in 1 place:"),
        ("what flushes ex?", "pipe_ctrl.flush_ex is driven in 2 places:"),
        ("what kills the EX stage", "pipe_ctrl.flush_ex is driven in 2 places:"),  # called so here
    ],
)
def test_what_stalls_a_stage_is_what_drives_the_signal_called_so(
    tmp_path: Path, question: str, said: str
) -> None:
    (tmp_path / "pipe.sv").write_text(PIPE)
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    found = rows(project, question)
    assert found[0] == said
    if "stall" in said:  # the whole of a statement on two lines
        assert found[2:4] == [
            "    5|   assign stall_id = stall_lsu |",
            "    6|                     miss;",
        ]
    assert " is driven " not in rows(project, "what stalls the writeback stage?")[0]


SENDER = """module sender_core(input clk, input empty, input en, output logic intr_tx_done_o);
  logic event_tx_done;
  assign event_tx_done = empty & en;
  always_ff @(posedge clk) intr_tx_done_o <= event_tx_done;
endmodule
module sender(input clk, input empty, input en, output logic intr_tx_done_o);
  sender_core u_core (.clk, .empty, .en, .intr_tx_done_o);
endmodule
"""


@pytest.mark.parametrize(
    "question",
    [
        "when does the tx_done interrupt of sender fire?",
        "what causes the tx_done interrupt?",
        "what triggers interrupt tx_done in sender?",
    ],
)
def test_an_interrupt_is_told_by_the_event_that_is_called_so(tmp_path: Path, question: str) -> None:
    (tmp_path / "sender.sv").write_text(SENDER)
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    found = rows(project, question)
    assert found[0] == "sender_core.event_tx_done is driven in 1 place:"
    assert found[2].endswith("assign event_tx_done = empty & en;")
    assert " is driven " not in rows(project, "when does the rx_done interrupt of sender fire?")[0]
