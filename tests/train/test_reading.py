"""Pairs and labels: forms that are understood, and bad lines, each named with its place."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from hdlgraph.errors import QuestionsError
from hdlgraph.train.labels import Label, read_labels, write_labels
from hdlgraph.train.pairs import read_pairs


def written(folder: Path, *lines: Any) -> Path:
    path = folder / "lines.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def test_forms_of_pairs(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"query": "who counts?", "positive": "./rtl/a.sv", "negatives": ["rtl/b.sv"]},
        "",
        {"id": "q", "question": "who?", "relevant": ["rtl/a.sv"], "equivalent": ["rtl/c.sv"]},
        {"question": "how?", "anchors": ["start"], "paths": ["doc/a.md:3"], "type": "x"},
    )
    one, two, three = read_pairs(path)
    assert (one.query, one.right, one.wrong) == ("who counts?", ("rtl/a.sv",), ("rtl/b.sv",))
    assert (two.right, two.also, two.line) == (("rtl/a.sv",), ("rtl/c.sv",), 3)
    assert three.right == ("start", "doc/a.md:3")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", ":1: "),
        ("[1]", "no JSON object"),
        ({"positive": "a"}, '"query" is missing'),
        ({"query": "?!", "positive": "a"}, "no letter or digit"),
        ({"query": "a"}, '"positive" is missing'),
        ({"query": "a", "positive": 3}, '"positive" must be a text'),
        ({"query": "a", "positive": "b", "negatives": [""]}, '"negatives" must be'),
        ("[" * 5000, ":1: "),
    ],
)
def test_bad_pairs_are_named(tmp_path: Path, line: Any, told: str) -> None:
    with pytest.raises(QuestionsError) as caught:
        read_pairs(written(tmp_path, line))
    assert told in str(caught.value)
    assert "lines.jsonl:1" in str(caught.value)


def test_many_bad_lines_are_counted_and_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match="and 3 more bad lines"):
        read_pairs(written(tmp_path, *["{}"] * 13))
    with pytest.raises(QuestionsError, match="no pairs in it"):
        read_pairs(written(tmp_path))
    with pytest.raises(QuestionsError, match="cannot read"):
        read_pairs(tmp_path / "none.jsonl")


def test_labels_of_models_and_of_judged_sets(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"question": "who?", "paths": ["a", "b", "c"], "order": [3, 3, 9, 1]},
        {"question": "who?", "relevant": ["b"], "equivalent": ["c"], "id": 7},
    )
    one, two = read_labels(path)
    assert (one.ranked, one.right) == (("c", "a", "b"), ("c",))
    assert [one.rank(name) for name in "abc"] == [1, 2, 0]
    assert math.isnan(one.rank("d"))
    assert two.right == ("b",)
    assert [two.rank(name) for name in "abd"] == [1, 0, 1]
    assert math.isnan(two.rank("c"))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"question": "who?"}, "neither"),
        ({"question": "who?", "paths": ["a", "b"], "order": [5]}, "neither"),
        ({"question": "who?", "paths": ["a"], "order": [1]}, "neither"),
        ({"question": "", "relevant": ["a"]}, "no letter"),
        ({"question": "who?", "order": "1, 2"}, "Expected `array`"),
    ],
)
def test_bad_labels_are_named(tmp_path: Path, line: Any, told: str) -> None:
    with pytest.raises(QuestionsError, match=told):
        read_labels(written(tmp_path, line))


def test_labels_are_written_with_what_was_asked_and_answered(tmp_path: Path) -> None:
    label = Label(
        question="who?", paths=("a", "b"), order=(2,), model="m", prompt="p", answer={"order": [2]}
    )
    path = tmp_path / "labels.jsonl"
    write_labels(path, [label])
    assert json.loads(path.read_text()) == {
        "question": "who?",
        "paths": ["a", "b"],
        "order": [2],
        "model": "m",
        "prompt": "p",
        "answer": {"order": [2]},
    }
    assert read_labels(path)[0].ranked == ("b", "a")
    with pytest.raises(QuestionsError, match="cannot write"):
        write_labels(tmp_path / "none" / "labels.jsonl", [label])
