"""The fit of weights to wordings learns what separates right files, from questions alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hdlgraph.eval.fit.weighing import Asked, collect, fit, left_out, main, ranks, write
from hdlgraph.eval.sets.questions import Question
from hdlgraph.query.question.wording import SIGNS
from hdlgraph.query.weighing import FIELDS

PARTS, NAMED = list(FIELDS), SIGNS.index("has names")
TEXT, MEANING = PARTS.index("text"), PARTS.index("token_vectors")
N = 6


def made(index: str, seed: int, n: int = 30) -> list[Asked]:
    """Questions whose right file is told by words where they name something, else by meaning."""
    draw = np.random.default_rng(seed)
    out = []
    for at in range(n):
        signs = np.zeros(len(SIGNS))
        signs[0], signs[NAMED] = 1.0, at % 2
        parts = np.zeros((N, len(PARTS)))
        parts[:, TEXT], parts[:, MEANING] = draw.random(N) * 0.5, draw.random(N) * 0.5
        parts[0, TEXT if at % 2 else MEANING] = 0.55
        right = np.arange(N) == 0
        out.append(Asked(index, "natural", signs, parts, np.zeros(N), right, np.zeros(N, bool)))
    return out


def test_what_tells_the_right_file_weighs_more_where_it_does() -> None:
    known = [one for number, name in enumerate("abc") for one in made(name, number)]
    numbers = fit(known)
    assert numbers[TEXT, NAMED] > 0.3
    assert numbers[MEANING, NAMED] < -0.3
    before = ranks(known, np.zeros_like(numbers))
    after = left_out(known)
    assert (after == 1).mean() > (before == 1).mean() + 0.1
    assert after.tolist() == left_out(known).tolist()


def test_the_slope_is_that_of_the_loss() -> None:
    from scipy.optimize import check_grad

    from hdlgraph.eval.fit.weighing import SHAPE, Together

    every = Together(made("a", 5, 8))
    point = np.random.default_rng(1).normal(0, 0.3, SHAPE).ravel()
    wrong = check_grad(lambda x: every.loss(x)[0], lambda x: every.loss(x)[1], point)
    assert wrong < 1e-4


def test_a_file_that_is_as_good_is_left_out() -> None:
    (one,) = made("a", 1, 1)
    same = np.arange(N) == 1
    parts = one.parts.copy()
    parts[1] = 9.0
    changed = Asked("a", "natural", one.signs, parts, one.rest, one.right, same)
    assert np.isfinite(fit([changed])).all()


def test_parts_of_a_real_index_sum_to_the_search(soc_project) -> None:
    asked = [Question("q", "who grants the bus in turn?", ("rtl/bus_arbiter.sv",))]
    (found,) = collect(soc_project.folder, asked)
    assert found.right.sum() == 1
    from hdlgraph.eval.fit.weighing import Together
    from hdlgraph.query.weighing import fitted

    score = Together([found]).scores(np.asarray(fitted().numbers))
    ranking = soc_project.searcher().ranking(asked[0].text, 1)
    np.testing.assert_allclose(score, ranking.score[ranking.order[: len(score)]], atol=1e-4)


def test_the_command_writes_what_the_search_reads(soc_project, tmp_path: Path, capsys) -> None:
    questions = tmp_path / "q.jsonl"
    rows = [
        {"id": str(n), "corpus": "soc", "question": text, "kind": "natural",
         "relevant": [path], "equivalent": []}
        for n, (text, path) in enumerate((
            ("who grants the bus in turn?", "rtl/bus_arbiter.sv"),
            ("where do bytes wait while the line is busy?", "rtl/sync_fifo.sv"),
        ))
    ]  # fmt: skip
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    other = tmp_path / "other"
    other.symlink_to(soc_project.folder)
    out = tmp_path / "weighing.json"
    folder = str(soc_project.folder)
    assert main([str(out), str(questions), folder, str(questions), str(other)]) == 0
    assert "index left out" in capsys.readouterr().out
    found = json.loads(out.read_text())
    assert found["parts"] == list(FIELDS)
    assert found["signs"] == list(SIGNS)


def test_numbers_are_written_with_four_digits(tmp_path: Path) -> None:
    write(tmp_path / "w.json", np.full((len(FIELDS), len(SIGNS)), 1 / 3))
    assert json.loads((tmp_path / "w.json").read_text())["numbers"][0][0] == 0.3333


def test_a_set_that_is_not_there_is_told(
    soc_project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "o"), str(tmp_path / "no.jsonl"), str(soc_project.folder)]) == 2
    assert "no.jsonl" in capsys.readouterr().err
