"""The fit of the network that puts the first files in order."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hdlgraph.eval.fit import listwise
from hdlgraph.eval.fit.listwise import Asked
from hdlgraph.eval.fit.network import Recipe
from hdlgraph.project import Project
from hdlgraph.query.listwise.inputs import NAMES
from hdlgraph.query.listwise.order import Fitted
from hdlgraph.query.network import Network

ASKED = {
    "where is a missing stop bit noticed?": "rtl/uart_rx.sv",
    "how does the queue tell full from empty?": "rtl/sync_fifo.sv",
    "round robin": "rtl/bus_arbiter.sv",
}


def test_it_is_fitted_on_questions_of_an_index(
    soc_project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(
        listwise, "RECIPE", Recipe(plain=4.0, hidden=2, epochs=2, linear=1.0, starts=1)
    )
    questions = tmp_path / "questions.jsonl"
    lines = [
        {"id": str(at), "corpus": "soc", "question": text, "kind": "natural", "relevant": [path],
         "equivalent": [], "evidence": "the text"}
        for at, (text, path) in enumerate(ASKED.items())
    ]  # fmt: skip
    questions.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    out = tmp_path / "model.json"
    index = soc_project.searcher().index.folder.parent.parent
    other = shutil.copytree(index, tmp_path / "other")
    assert listwise.main([str(out), str(questions), str(index), str(questions), str(other)]) == 0
    assert "natural" in capsys.readouterr().out
    assert json.loads(out.read_text("utf-8"))["names"] == list(NAMES)
    assert set(json.loads(out.read_text("utf-8"))) == set(Fitted.__struct_fields__)
    with pytest.raises(SystemExit):
        listwise.main([str(out), str(questions), str(index)])
    assert "two origins" in capsys.readouterr().err


def test_what_is_as_good_counts_for_nobody() -> None:
    width = len(NAMES)
    values = np.zeros((3, width), np.float32)
    values[:, 0] = (3, 2, 1)
    linear = np.eye(1, width)[0]
    plain = Network(
        linear, np.zeros(width), np.ones(width), np.zeros((width, 1)), np.zeros(1), np.zeros(1)
    )
    asked = [_asked(values, right=2, equal=None), _asked(values, right=2, equal=0)]
    assert listwise.ranks(asked, plain).tolist() == [3, 2]


def test_a_right_file_behind_the_first_keeps_its_rank() -> None:
    values = np.zeros((3, len(NAMES)), np.float32)
    asked = replace(_asked(values, right=7, equal=None), rank=51)
    network = listwise.fit([_asked(values, right=1, equal=None)])
    assert listwise.ranks([asked], network).tolist() == [51]


def _asked(values: np.ndarray, right: int, equal: int | None) -> Asked:
    numbers = np.arange(len(values))
    return Asked("soc", "natural", values, numbers == right, numbers == equal, 1 + right)
