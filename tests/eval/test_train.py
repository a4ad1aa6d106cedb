"""The linear re-ranker: learns what separates right files, from questions alone."""

import numpy as np
import pytest

from hdlgraph.eval.fit.train import (
    PARTS,
    BestFiles,
    best_files,
    cross_validated,
    fit,
    learn,
    main,
    ranks,
    sharpest,
)
from hdlgraph.eval.sets.questions import Question

GOOD, BAD = PARTS.index("text"), PARTS.index("size")


def made(n=40, seed=3):
    """Pools whose right file is told by one part, while another misleads."""
    draw = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        parts = np.zeros((10, len(PARTS)))
        parts[:, GOOD], parts[:, BAD] = draw.random(10) * 0.5, draw.random(10)
        parts[0, GOOD] = 0.6
        out.append(BestFiles(parts, np.arange(10) == 0))
    return out


def test_the_misleading_part_loses_weight_and_right_files_rise():
    known = made()
    factors = fit(known, 0.003, sharpest(known))
    assert factors[GOOD] > 1.0 > factors[BAD]
    plain = np.mean([r == 1 for r in ranks(known, np.ones(len(PARTS)))])
    crossed = cross_validated(known, 0.003, sharpest(known))
    assert np.mean([r == 1 for r in crossed]) > plain + 0.2
    assert crossed == cross_validated(known, 0.003, sharpest(known))


def test_a_strong_penalty_changes_nothing():
    np.testing.assert_allclose(fit(made(), 1e6, 4.0), 1.0, atol=1e-3)


def test_a_right_file_outside_the_pool_is_rank_0():
    pool = BestFiles(np.zeros((3, len(PARTS))), np.zeros(3, bool))
    assert ranks([pool], np.ones(len(PARTS))) == [0]
    assert "0.000 0.000 0.000 0.000" in learn([*made(5), pool], [("none", [pool])])[1]


def test_best_files_of_a_real_index_sum_to_the_search(soc_project):
    asked = [Question("q", "who grants the bus in turn?", ("rtl/bus_arbiter.sv",))]
    (pool,) = best_files(soc_project.folder, asked)
    assert pool.right.sum() == 1
    assert len(pool.parts) <= 100
    score = pool.parts.sum(axis=1)
    found = soc_project.searcher().ranking(asked[0].text, 1)
    np.testing.assert_allclose(score, found.score[found.order[: len(score)]], atol=1e-4)


def test_a_pair_without_questions_is_refused(capsys: pytest.CaptureFixture[str]):
    assert main(["index-only"]) == 2
    assert "write INDEX=QUESTIONS.jsonl" in capsys.readouterr().err
