"""Which structures files are by their names, and which ones a question describes."""

import json
import re
from importlib.resources import files

import numpy as np
import pytest

from hdlgraph.index.embed.structures import HALF, build_structures, name_words, strengths
from hdlgraph.knowledge.projects import all_projects
from hdlgraph.knowledge.structures import Structure
from hdlgraph.model import FileRecord, Unit
from hdlgraph.query.features.described import MOST, POWER, SPAN, StructureTexts
from hdlgraph.store.structures import StoredStructures

FIFO = Structure("asynchronous fifo", ("asynchronous fifo", "async_fifo", "cdc fifo"), ("a", "b"))
TIMER = Structure("timer", ("timer",), ("counts",))


def record(path, *units):
    made = tuple(Unit("module", name, 1, 2) for name in units)
    return FileRecord(path, "0" * 64, "rtl", "systemverilog", 10, 2, "utf-8", units=made)


RECORDS = [record("hw/fifo_async.sv"), record("hw/timer/apb.sv", "apb_timer"), record("timer/x.v")]


def texts_of(generation, n_files):
    stored = StoredStructures.find(generation)
    assert stored is not None
    return StructureTexts(stored, n_files)


class Plain:
    """An embedder of three words."""

    name, dim = "plain", 3

    def embed(self, texts, *, query=False):
        return np.asarray([[float(w in t) for w in "abc"] for t in texts], np.float32)


def test_names_of_units_count_whole_and_folders_half():
    words = name_words(RECORDS[1])
    assert words["timer"] == 1.0
    assert words["apb"] == 1.0
    assert words["hw"] == HALF
    assert name_words(RECORDS[2])["timer"] == HALF


def test_short_forms_in_names_are_spelt_out():
    assert name_words(record("arb.v"))["arbit"] == 1.0


def test_strength_is_the_share_of_the_spelling_that_a_name_has():
    found = strengths(RECORDS, (FIFO, TIMER))
    assert found[0, 0] == pytest.approx(1.0)  # async_fifo, in any order
    assert found[1].tolist() == pytest.approx([0.0, 1.0, HALF])
    assert found.min() >= 0.0
    assert found.max() <= 1.0
    assert strengths([], (FIFO,)).shape == (1, 0)


def test_only_structures_that_some_file_is_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "hdlgraph.index.embed.structures.structures", lambda projects: (FIFO, TIMER)
    )
    assert build_structures(RECORDS[2:], Plain(), None, None, tmp_path / "none") == 0
    empty = texts_of(tmp_path / "none", 1)
    assert empty.described(np.ones(3, np.float32), None) is None
    assert build_structures(RECORDS, Plain(), None, None, tmp_path / "some") == 3
    texts = texts_of(tmp_path / "some", 3)
    assert texts.texts == [
        ("asynchronous fifo", "a"),
        ("asynchronous fifo", "b"),
        ("timer", "counts"),
    ]


def test_a_described_structure_scores_its_files_as_the_formula_says(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "hdlgraph.index.embed.structures.structures", lambda projects: (FIFO, TIMER)
    )
    build_structures(RECORDS, Plain(), None, None, tmp_path)
    texts = texts_of(tmp_path, 3)
    # nearness: a .70, b .65, "counts" (which has a c) .60; floor .70 - SPAN = .58
    found = texts.described(np.asarray([0.7, 0.65, 0.6], np.float32), None)
    wanted = [SPAN, 0.02, 0.02 * HALF**POWER]
    np.testing.assert_allclose(found.score, wanted, atol=1e-6)
    assert found.row.tolist() == [-1, -1, -1]  # nothing but the names says so
    assert len(texts.texts) < MOST
    assert texts.described(None, None) is None


def test_a_search_shows_the_structure_that_the_question_describes(soc_project):
    # No word of the question is in the name of the file or of its module.
    found = soc_project.search("what makes power-on clearing end in step with the clock?")
    (first, *_) = found.hits
    assert first.path == "rtl/reset_sync.v"
    (told,) = [e for e in first.evidence if e.kind == "structure"]
    assert told.score > 0
    assert "reset synchroniser" in told.text
    assert told.path == first.path


def runs(text, length):
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {tuple(words[n : n + length]) for n in range(len(words) - length + 1)}


@pytest.mark.parametrize(
    "name",
    ["structures.txt", "thesaurus.txt", *(f"projects/{one}.txt" for one in all_projects())],
)
def test_no_table_repeats_a_question(name):
    """Six words in a row would be a question's own wording, not how everybody says it."""
    data = files("hdlgraph.eval") / "data"
    sets = [f for part in (data, data / "training", data / "held-out") for f in part.iterdir()]
    asked = [
        json.loads(line)["question"]
        for file in sets
        if file.name.endswith(".jsonl")
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    assert len(asked) > 800
    questions = {run for text in asked for run in runs(text, 6)}
    lines = (files("hdlgraph.knowledge") / name).read_text(encoding="utf-8").splitlines()
    clauses = [c for line in lines if line[:1] != "#" for c in re.split("[|;=]", line)]
    assert not [clause for clause in clauses if runs(clause, 6) & questions]
