"""The fit of the lines that are told: it learns what right lines have, and is measured apart."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from hdlgraph.eval.fit.evidence import File, fit, measure, shown, write
from hdlgraph.query.relations.evidence.weighed import features


def files() -> list[File]:
    """Returns files of whose lines the one with the greatest first number is right."""
    random = np.random.default_rng(0)
    made = []
    for at in range(60):
        values = random.random((10, len(features()))).astype(np.float32) / 10
        values[:, 0] *= 100
        right = values[:, 0] == values[:, 0].max()
        places = tuple(("a.v", line) for line in range(10))
        made.append(File(f"corpus{at % 5}", at, 1, values, right, places))
    return made


def test_what_right_lines_have_weighs_most(tmp_path: Path) -> None:
    weights = fit(files())
    assert int(np.argmax(weights)) == 0
    write(tmp_path / "weights.json", weights)
    found = json.loads((tmp_path / "weights.json").read_text())
    assert found.keys() <= {*features()}
    assert max(found, key=found.__getitem__) == features()[0]


def test_lines_of_one_place_are_shown_once() -> None:
    one = files()[0]._replace(places=(("a.v", 7),) * 10)
    weights = np.zeros(len(features()))
    weights[0] = 1.0
    assert shown([one], weights) == [(0, True)]


def test_a_place_that_one_file_tells_leaves_room_in_the_next() -> None:
    first, second = files()[0], files()[1]._replace(rank=2)
    weights = np.zeros(len(features()))
    weights[0] = 1.0
    second = second._replace(places=(*second.places[:5], *(("b.v", 20 * at) for at in range(5))))
    found = [at for at, _ in shown([first, second], weights)]
    assert found.count(0) < len(first.right)
    assert found.count(1) >= 5


def test_each_corpus_is_measured_by_others() -> None:
    found = measure(files())
    assert found.keys() == {"all", *(f"corpus{at}" for at in range(5))}
    assert found["all"]["told"] == 1.0
    assert found["all"]["first"] > 0.5
