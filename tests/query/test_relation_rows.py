"""What rows of a question for a relation are compared by, and the models that judge them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from hdlgraph.query.relations.joint import known, overlap
from hdlgraph.query.relations.joint.kinds import KINDS, adapted, kinds, may_ask, meaning
from hdlgraph.query.relations.joint.overlap import NAMES, Channel, behind_best
from hdlgraph.query.relations.joint.rows import BASE, WIDTH
from hdlgraph.query.relations.joint.score import Network, model
from hdlgraph.query.relations.readings.read import readings


def test_two_files_say_more_than_one() -> None:
    # Words: a a k k; the last row is that of no file.
    channel = Channel(np.asarray([[0.3, 0.2, 0, 0], [0, 0, 0.1, 0.4], [0, 0, 0, 0]], np.float32))
    (pair, alone), at = channel.shares(np.asarray([0, 0]), np.asarray([1, 2])), NAMES.index
    assert pair[at("both")] == pytest.approx(1.0)
    assert pair[at("asked first")] == pytest.approx(1.0)
    assert pair[at("known first")] == pytest.approx(0.5)
    assert pair[at("asked alone")] == pytest.approx(0.5)
    assert alone[at("both")] == alone[at("asked")] == pytest.approx(0.5)
    assert len(pair) == overlap.WIDTH


def test_rows_compare_with_their_siblings() -> None:
    values = np.asarray([0.2, 0.6, 0.9], np.float32)
    behind, above = behind_best(values, np.asarray([0, 0, 1]))
    assert behind.tolist() == pytest.approx([-0.4, 0.0, 0.0])
    assert above.tolist() == pytest.approx([-0.2, 0.2, 0.0])


def test_the_known_end_stands_beside_the_answers() -> None:
    values = np.zeros((3, WIDTH), np.float32)
    values[:, BASE.index("plain")] = [0.5, 0.6, 0.6]
    numbers, ends = [4, 5, 6], [7, 7, -1]
    files, told = known.signs(np.asarray(numbers), np.asarray(ends), values, np.zeros(3))
    assert files == [4, 5, 6, 7]
    assert told[files.index(7), known.SIGNS.index("beside")] == pytest.approx(2 / 3)
    assert told[files.index(6), known.SIGNS.index("answer")] == pytest.approx(1 / 3)
    assert len(model()["known"]) == len(known.SIGNS)
    assert sorted(known.likeliest(numbers, ends, values, np.zeros(3))) == files


def test_a_network_adds_its_two_parts() -> None:
    linear, one = np.asarray([2.0, 0.0]), np.ones(2)
    network = Network(linear, 0 * one, one, np.eye(2), np.zeros(2), np.asarray([0.0, 3.0]))
    found = network.scores(np.asarray([[1, 1], [1, -1], [0, 99]], np.float32))
    assert found.tolist() == [5.0, 2.0, 12.0]  # what is far off counts as LIMIT


def test_the_vector_is_of_the_question_without_its_names() -> None:
    vectors = cast(Any, SimpleNamespace(of=lambda text: text))

    def index(name: str) -> Any:
        return SimpleNamespace(embedder=SimpleNamespace(name=name))

    known, text = index(model()["embedder"]), "which block drives the line tx_busy_o of uart_tx?"
    assert meaning(text, vectors, index("another")) is None
    assert meaning(text, vectors, known) == "which block drives the line X of X?"
    assert meaning("tx_busy_o", vectors, known) is None  # a name alone asks for no relation


def test_a_vector_opens_questions_without_cues() -> None:
    text = "the small counter inside that timer block, please show"
    assert not any(kinds(text, readings("")))
    found = kinds(text, [], np.zeros(384, np.float32))
    assert len(found) == len(KINDS)
    assert 0 < sum(found) < 1


def test_forms_that_ask_for_no_relation() -> None:
    assert not may_ask("how does the arbiter choose a winner?")
    assert not may_ask("uart_tx")
    assert not may_ask("what is uart")
    assert may_ask("who binds uart_checks?")
    assert not may_ask("tb.dut.u_uart.u_fifo: 3 of 8 entries are filled at the end of the test")
    assert not may_ask("ERROR: the queue of the sender ran over during a write of 8 bytes")
    assert not may_ask("when does the arbiter drop a request of the sender?")
    assert not may_ask("what does the short form CDC stand for here?")
    assert may_ask("tb.dut.u_uart.u_fifo: which block drives its write enable?")
    assert may_ask("When the queue runs over, which block takes the flag into its register?")
    assert may_ask("what stands between the sender and the queue of the uart?")
    assert may_ask("open the stand-alone bench of the short queue")
    asked = adapted("which file holds the queue?", [0.5] * len(KINDS))
    assert asked[:3] == (0.0, 0.0, 0.5)
