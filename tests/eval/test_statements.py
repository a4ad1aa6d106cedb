"""Statements that are drawn for a judge."""

import json

from hdlgraph.eval.protocols import statements
from hdlgraph.model import Explanation


def test_an_explanation_is_cut_into_its_sentences():
    told = Explanation(path="a.v", purpose="Counts the beats. In top.", interfaces="Clock `clk`.")
    assert statements.sentences(told) == ["Counts the beats."]


def test_the_same_seed_draws_the_same_one_of_a_file(soc_project, capsys):
    folder = soc_project.root / ".hdlgraph"
    for _ in range(2):
        assert statements.main([str(folder), "--count", "5", "--seed", "3"]) == 0
    first, second = (text.splitlines() for text in [*_halves(capsys.readouterr().out)])
    assert first == second
    rows = [json.loads(line) for line in first]
    assert len({row["path"] for row in rows}) == len(rows) == 5
    assert all(set(row) == {"index", "path", "statement"} for row in rows)


def test_structures_are_those_that_may_be_claimed(soc_project, capsys):
    assert statements.main([str(soc_project.root / ".hdlgraph"), "--of", "structures"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {"path": "rtl/reset_sync.v", "statement": "This file is: reset synchroniser."} in [
        {key: row[key] for key in ("path", "statement")} for row in rows
    ]


def test_a_folder_without_an_index_is_one_clear_error(tmp_path, capsys):
    assert statements.main([str(tmp_path)]) == 2
    assert "no index" in capsys.readouterr().err


def _halves(text):
    lines = text.splitlines(keepends=True)
    half = len(lines) // 2
    return "".join(lines[:half]), "".join(lines[half:])
