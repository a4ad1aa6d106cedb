"""Training as a whole: what gains is written for use, what does not is written and never used."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from _jargon import ASKED, write_pairs

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.query.trained.order import INPUTS
from hdlgraph.query.trained.query_map import MATRIX, mapped, read_map
from hdlgraph.store.trained.folder import FILES_MAP, RERANKER, read_trained, read_weights
from hdlgraph.train import left_out, passages
from hdlgraph.train.contrastive import Recipe
from hdlgraph.train.embedder import train, train_embedder
from hdlgraph.train.examples import bind
from hdlgraph.train.judging import folds
from hdlgraph.train.labels import read_labels
from hdlgraph.train.pairs import Pair, read_pairs
from hdlgraph.train.reranker import Cards, collect, fit, judge, ranked
from hdlgraph.train.run import train_model
from hdlgraph.train.targets import Switched, files_of

D, ITEMS = 8, 120


class Drawn:
    """An embedder whose questions are all drawn towards one direction, but for their number."""

    name, dim = "drawn", D

    def __init__(self) -> None:
        rows = np.random.default_rng(3).normal(size=(ITEMS, D)).astype(np.float32)
        self.rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:
        found = self.rows[[int(text.split()[-1]) for text in texts]]
        if query:
            found = found + 2 * np.eye(D, dtype=np.float32)[0]
        return found / np.linalg.norm(found, axis=1, keepdims=True)


class Vectors:
    """Items that are found by their vectors alone; each has one."""

    kind = FILES_MAP

    def __init__(self) -> None:
        drawn = Drawn()
        self.rows, self.owners = drawn.rows, np.arange(ITEMS)
        self.embedder = Switched(drawn)

    def items(self, name: str) -> tuple[int, ...]:
        return (int(name),) if name.isdecimal() else ()

    def copies(self, item: int) -> tuple[int, ...]:
        return (item + 1,) if item == 0 else ()

    def search(self, query: str) -> Sequence[int]:
        near = self.rows @ self.embedder.embed([query], query=True)[0]
        return np.argsort(-near, kind="stable").tolist()


def test_a_map_that_gains_is_written_for_use_and_read_again(tmp_path: Path) -> None:
    target = Vectors()
    pairs = [Pair(f"number {n}", (str(n),), line=n + 1) for n in range(ITEMS)]
    material = bind(target, pairs)
    recipe = Recipe(l2=0.01, rate=0.01, epochs=20)
    found = train(target, material, tmp_path / "a", recipe, {"from": "pairs"})
    alone, whole = found.compared
    assert found.better
    assert whole.recall(1)[1] > whole.recall(1)[0] + 0.2
    assert (whole.before, whole.after) == (alone.before, alone.after)
    model = read_trained(tmp_path / "a").models[FILES_MAP]
    assert (model.embedder, model.better, model.made["from"]) == ("drawn", True, "pairs")
    matrix = read_map(str(tmp_path / "a"), FILES_MAP, target.embedder)
    with target.embedder.using(matrix):
        first = np.mean([target.search(f"number {n}")[0] == n for n in range(ITEMS)])
    assert first > whole.recall(1)[0] + 0.2
    train(target, bind(target, pairs), tmp_path / "b", recipe, {"from": "pairs"})
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_pairs_are_bound_to_rows_texts_and_hard_negatives() -> None:
    target = Vectors()
    pairs = [
        Pair("number 0", ("0",), wrong=("7", "the text 9"), line=1),
        Pair("number 5", ("a text 5",), line=2),
        Pair("number 6", ("gone.sv",), line=3),
    ]
    material = bind(target, pairs)
    first, second = material.asked
    assert [pair.line for pair in material.unknown] == [3]
    assert len(material.rows) == ITEMS + 2
    assert first.example.right.tolist() == [0]
    assert first.ignored == {1}
    assert {7, ITEMS + 1} <= set(first.example.wrong.tolist())
    assert not {0, 1} & set(first.example.wrong.tolist())
    order = [n for n in target.search("number 0") if n not in (0, 1)]
    assert set(order[:10]) <= set(first.example.wrong.tolist())
    assert second.example.right.tolist() == [ITEMS]
    assert second.order == ()


def test_a_fold_holds_all_questions_of_a_file() -> None:
    groups = [n // 3 for n in range(60)]
    found = folds(groups, 0)
    assert sorted(set(found.tolist())) == [0, 1, 2, 3, 4]
    assert all(len({f for f, g in zip(found, groups, strict=True) if g == n}) == 1 for n in groups)
    assert found.tolist() == folds(groups, 0).tolist() != folds(groups, 1).tolist()


@pytest.fixture
def copied(soc_project: Project, tmp_path: Path) -> Project:
    return Project(shutil.copytree(soc_project.root, tmp_path / "soc"))


def test_what_gains_nothing_is_written_and_never_used(copied: Project, tmp_path: Path) -> None:
    before = copied.search("who grants the bus in turn?")
    pairs = write_pairs(tmp_path / "pairs.jsonl", prefix="")
    report = train_model(copied, "embedder", pairs)
    (model,) = report.models
    assert (model.kind, model.better, model.used) == (FILES_MAP, False, 24)
    assert report.notes == ()
    assert "not better: written, and never used" in report.to_text()
    folder = copied.folder / "trained"
    assert Path(report.folder) == folder
    kept = read_trained(folder).models[FILES_MAP]
    assert kept.made["from"] == "pairs.jsonl"
    assert str(tmp_path) not in (folder / "trained.json").read_text()
    settings = dataclasses.replace(
        copied.settings, trained=dataclasses.replace(copied.settings.trained, path=str(folder))
    )
    assert Project(copied.root, settings=settings).search(before.question).hits == before.hits


def test_too_few_pairs_and_no_vectors_are_named(
    copied: Project, soc_words: Path, tmp_path: Path
) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text('{"query": "who?", "positive": "rtl/uart.sv"}\n')
    with pytest.raises(UsageError, match=r"nothing to train: .*1 pairs are of it \(20 needed\)"):
        train_model(copied, "embedder", few)
    with pytest.raises(UsageError, match="it has no vectors"):
        train_embedder(Project(soc_words), read_pairs(few), tmp_path, Recipe(), {})
    few.write_text('{"question": "who?", "relevant": ["rtl/uart.sv"]}\n')
    with pytest.raises(UsageError, match="nothing to train: 1 labels"):
        train_model(copied, "reranker", few)


def test_a_reranker_learns_what_its_labels_prefer() -> None:
    dice = np.random.default_rng(1)
    good, bad = INPUTS.index("head"), INPUTS.index("size")
    cards = []
    for group in range(40):
        values = np.zeros((6, len(INPUTS)))
        values[:, good], values[:, bad] = 0.5 * dice.random(6), dice.random(6)
        values[0, good] = 0.6
        values[:, 0] = values[:, 1:].sum(axis=1)
        order = np.argsort(-values[:, 0])
        right = int(np.flatnonzero(order == 0)[0])
        rank = np.ones(6)
        rank[right] = 0
        none: frozenset[int] = frozenset()
        cards.append(Cards(values[order], rank, frozenset([right]), none, True, group))
    weights = fit(cards)
    assert weights[good] > 0 > weights[bad]
    found = judge(cards, 0)
    assert found.better
    assert found.recall(1)[1] > found.recall(1)[0] + 0.3
    named = dataclasses.replace(cards[0], moved=False)
    assert ranked(named, weights) == ranked(named)


def test_cards_are_those_of_the_search(copied: Project, tmp_path: Path) -> None:
    lines = [
        {
            "question": "how are requests for the bus granted in turn?",
            "relevant": ["rtl/bus_arbiter.sv"],
        },
        {"question": "who grants the bus?", "paths": ["rtl/uart.sv", "rtl/timer.v"], "order": [2]},
        {"question": "where?", "relevant": ["gone.sv"]},
        {"question": "what does bus_arbiter do?", "relevant": ["rtl/bus_arbiter.sv"]},
    ]
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (one, two, named), unknown = collect(copied, read_labels(path))
    assert unknown == (3,)
    found = copied.searcher().ranking(lines[0]["question"], 1)
    np.testing.assert_allclose(one.values[:, 0], found.score[found.order[:20]], rtol=1e-6)
    assert ranked(one) == 1
    assert np.isnan(two.rank).sum() == len(two.rank) - 2
    assert (one.moved, named.moved) == (True, False)


def test_repositories_are_left_out(
    copied: Project,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(left_out, "RECIPES", (Recipe(epochs=3),))
    monkeypatch.setattr(left_out, "STRENGTHS", (0.1,))
    other = Project(shutil.copytree(copied.root, tmp_path / "other"))
    sets = write_pairs(tmp_path / "questions.jsonl", prefix="", key="relevant")
    more = write_pairs(tmp_path / "pairs.jsonl", prefix="again: ")
    arguments = [f"{one.folder}={sets}" for one in (copied, other)]
    assert left_out.main([*arguments, "--pairs", f"{other.folder}={more}"]) == 0
    told = capsys.readouterr().out
    assert told.count("\nreranker C") == 1
    assert told.count("  whole search  all              48  ") == 2
    assert left_out.main(["nothing"]) == 2
    assert "write INDEX=FILE.jsonl" in capsys.readouterr().err


def test_a_written_matrix_is_that_of_the_files(copied: Project, tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.jsonl")
    train_model(copied, "embedder", pairs, tmp_path / "models")
    model = read_trained(tmp_path / "models").models[FILES_MAP]
    matrix = read_weights(tmp_path / "models", FILES_MAP, model)[MATRIX]
    target = files_of(copied)
    assert target is not None
    assert matrix.shape == (target.embedder.dim, target.embedder.dim)
    vector = target.embedder.embed(["who?"], query=True)
    with target.embedder.using(matrix):
        np.testing.assert_array_equal(
            target.embedder.embed(["who?"], query=True), mapped(vector, matrix)
        )
    assert RERANKER not in read_trained(tmp_path / "models").models
    assert len(ASKED) == 12


def test_passages_are_measured_by_folds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "design"
    (root / "doc").mkdir(parents=True)
    things = ("pump", "valve", "heater", "lamp", "door", "motor")
    for one in things:
        (root / "doc" / f"{one}.md").write_text(
            f"# The {one}\n\n## Start\n\nTo start the {one}, press its green button.\n\n"
            f"## Stop\n\nTo stop the {one}, press its red button.\n"
        )
    Project(root).index(graphrag="never", jobs=1, documents=True)
    lines = [
        {"question": f"how do I {verb} the {one}?", "paths": [f"doc/{one}.md#{verb}"]}
        for one in things
        for verb in ("start", "stop")
    ]
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = [str(path), str(root), "--seeds", "1", "--folds", "3"]
    for option in ([], ["--by-document"]):
        assert passages.main([*command, *option]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["questions"], found["judged"]) == (12, 12)
        assert found["before"]["20"] == found["after"]["20"] == 1.0
        assert list(found["after"]) == ["1", "3", "5", "10", "20"]
    assert passages.main([str(path), str(tmp_path / "none")]) == 2
    assert "error: " in capsys.readouterr().err
