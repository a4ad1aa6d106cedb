"""A name that no code has is told before anything else, with the names near to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.project import Project
from hdlgraph.query.result.short_answer import short_answer


@pytest.mark.parametrize(
    ("question", "name", "near"),
    [
        ("when does uart_rx raise frame_lost_q?", "frame_lost_q", ""),
        ("what is the depth of sync_fifoo?", "sync_fifoo", "sync_fifo"),
        ("where is RxFifoDepth defined?", "RxFifoDepth", ""),
        ("which unit instantiates what drives frame_lost_q in uart_rx?", "frame_lost_q", ""),
    ],
)
def test_it_is_the_first_line(soc_project: Project, question: str, name: str, near: str) -> None:
    first = soc_project.ask(question).text.splitlines()[0]
    assert first.startswith(f"Named nowhere in the code of this index: {name}.")
    assert (f"Did you mean {near}" in first) == bool(near)


def test_names_that_stand_in_the_code_are_not_told(soc_project: Project) -> None:
    assert "Named nowhere" not in soc_project.ask("what drives rx_valid in uart_rx?").text


@pytest.mark.parametrize(
    "question",
    [
        "what does the signal frame_lost_q in uart do?",
        "why does this assertion fire: FrameIsNeverLost_A in uart",
    ],
)
def test_what_follows_is_in_doubt(soc_project: Project, question: str) -> None:
    text = soc_project.ask(question).text
    first = text.splitlines()[0]
    assert first.startswith("Named nowhere in the code of this index: ")
    assert first.endswith("and is in doubt.")
    assert short_answer(question, text).text.splitlines()[0] == first


def test_a_name_in_capitals_is_told_as_the_code_has_it(soc_project: Project) -> None:
    first = soc_project.ask("why would RX_VALID stay low?").text.splitlines()[0]
    assert first == "RX_VALID stands in the code as rx_valid."


def test_a_folder_is_no_name_that_code_must_have(tmp_path: Path) -> None:
    project = indexed(tmp_path, {"dv/pump_env/tank.sv": "module tank; wire full; endmodule\n"})
    assert "Named nowhere" not in project.ask("where does the pump_env fill the tank?").text
    assert "Named nowhere" in project.ask("where does the pump_enw fill the tank?").text
