"""A model is open once in a process, and each question is embedded once."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import numpy as np
import pytest

from hdlgraph.index.embed import opened
from hdlgraph.index.embed.embedder import load_embedder
from hdlgraph.index.embed.opened import OpenModel, open_once
from hdlgraph.settings.records import EmbeddingSettings


def test_a_file_is_opened_once_while_something_holds_it(tmp_path: Path):
    file = tmp_path / "model.onnx"
    file.write_bytes(b"one")
    loads: list[Path] = []

    def load(path: Path) -> object:
        loads.append(path)
        return object()

    first = open_once(file, load)
    assert open_once(file, load) is first
    file.write_bytes(b"another one")
    second = open_once(file, load)
    assert second is not first
    del first, second
    gc.collect()
    open_once(file, load)
    assert loads == [file] * 3


def test_threads_that_ask_together_have_a_vector_made_once():
    model, made, begun = OpenModel(None), [], threading.Event()

    def make() -> np.ndarray:
        made.append(threading.get_ident())
        begun.wait(5)
        return np.ones(3)

    found: list[np.ndarray] = []
    threads = [
        threading.Thread(target=lambda: found.append(model.question("q", make))) for _ in range(4)
    ]
    for one in threads:
        one.start()
    begun.set()
    for one in threads:
        one.join()
    assert len(made) == 1
    assert len(found) == 4


def test_a_vector_that_could_not_be_made_is_tried_again():
    model = OpenModel(None)

    def fail() -> np.ndarray:
        raise RuntimeError("no memory")

    with pytest.raises(RuntimeError):
        model.question("q", fail)
    assert model.question("q", lambda: np.zeros(2)).shape == (2,)


def test_the_last_questions_are_kept(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(opened, "KEPT", 2)
    model, made = OpenModel(None), []
    for one in "abcab":
        model.question(one, lambda one=one: made.append(one) or np.zeros(1))
    assert made == list("abcab")
    model.question("b", lambda: made.append("again") or np.zeros(1))
    assert made == list("abcab")


def test_embedders_of_one_model_share_it_and_its_questions():
    one, other = (load_embedder(EmbeddingSettings(max_tokens=count)) for count in (64, 128))
    text = "which block divides the clock?"
    rows = one.embed([text, "another"], query=True)
    assert one._opened is other._opened
    np.testing.assert_array_equal(other.embed([text], query=True)[0], rows[0])
    assert not np.array_equal(other.embed([text])[0], rows[0])  # no question
