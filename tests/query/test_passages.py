"""Passages are ranked by words and vectors, whole question and best clause; each way of fusion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hdlgraph.index.documents.passages import Source, make_contents
from hdlgraph.index.documents.terms import fields_of
from hdlgraph.index.documents.vectors import WINDOW, plain, texts_of, windows
from hdlgraph.parsers.documents.records import Document, Section
from hdlgraph.query.documents.clauses import clauses
from hdlgraph.query.documents.rank import ranked
from hdlgraph.query.documents.scores import Field, Shape, spread
from hdlgraph.query.documents.show import CHARACTERS, best_lines, url_of
from hdlgraph.query.documents.view import DocumentsView
from hdlgraph.store.documents.folder import DocumentsManifest, Stored
from hdlgraph.store.documents.records import Place
from hdlgraph.store.documents.words import Postings, count, make_field

TEXTS = {
    "Reset": "The reset of the timer is synchronous.",
    "Baud rate": "The divider sets the baud rate of the uart.",
    "Interrupts": "An interrupt is raised when the fifo of the uart is full.",
    "Interrupts again": "An interrupt is raised when the fifo of the uart is nearly full.",
    "Power": "The supply is 3 volts.",
}


class Letters:
    """An embedder without meaning: how often each letter is there."""

    name = "letters"

    def embed(self, texts: list[str], *, query: bool = False) -> np.ndarray:
        rows = np.asarray([[t.lower().count(chr(97 + n)) + 0.01 for n in range(26)] for t in texts])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def view(embedder: Letters | None = None, path: str = "doc/a.md") -> DocumentsView:
    sections = tuple(
        Section(title, text, (), n, n) for n, (title, text) in enumerate(TEXTS.items())
    )
    contents = make_contents([Source(path, "markdown", "", Document("", sections))], ())
    words = {
        n: Postings(f, len(contents.passages)) for n, f in fields_of(contents.passages).items()
    }
    vectors = None
    if embedder is not None:
        rows = embedder.embed([f"{p.title}. {p.text}" for p in contents.passages])
        vectors = (np.arange(len(rows)), rows)
    manifest = DocumentsManifest(embedder="letters")
    parts = {"passages": contents, "words": words, "vectors": vectors}
    return DocumentsView(Stored(manifest, parts), lambda: embedder)


def titles(found: DocumentsView, question: str, k: int = 2, fusion: str = "sum") -> list[str]:
    return [found.passages[n].title for n, _ in ranked(found, question, k, fusion=fusion)]


@pytest.mark.parametrize("fusion", ["sum", "rrf", "mmr"])
@pytest.mark.parametrize("embedder", [None, Letters()])
def test_the_right_section_is_first(fusion: str, embedder: Letters | None) -> None:
    found = view(embedder)
    assert titles(found, "what sets the baud rate", 1, fusion) == ["Baud rate"]
    assert titles(found, "is the timer reset synchronous?", 1, fusion) == ["Reset"]


def test_each_clause_of_a_question_brings_its_section() -> None:
    question = "how is the timer reset, and then at how many volts is the supply?"
    assert clauses(question) == ["how is the timer reset", "at how many volts is the supply?"]
    assert set(titles(view(), question)) == {"Reset", "Power"}
    assert clauses("what sets the baud rate?") == []


def test_mmr_puts_back_what_says_the_same() -> None:
    question = "fifo of the uart baud interrupt full"
    assert titles(view(), question, 3) == ["Interrupts", "Interrupts again", "Baud rate"]
    assert titles(view(), question, 3, "mmr") == ["Interrupts", "Baud rate", "Interrupts again"]


def test_what_seldom_answers_ranks_lower() -> None:
    score = dict(ranked(view(), "baud rate", 1))
    aside = dict(ranked(view(path="vendor/x/doc/checklist.md"), "baud rate", 1))
    assert max(aside.values()) == pytest.approx(max(score.values()) - 0.2, abs=1e-3)


def test_a_question_without_known_words_finds_nothing() -> None:
    assert ranked(view(), "zymurgy", 5) == []


def test_bm25_and_tfidf_are_those_of_the_books() -> None:
    texts = [["a", "b"], ["a", "a", "c", "d"], ["c"]]
    field = Field(Postings(make_field([count(one) for one in texts]), 3))
    mean = 7 / 3
    idf = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    wanted = [
        idf * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / mean)),
        idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / mean)),
        0,
    ]
    assert field.bm25(["a", "a", "zz"], Shape(1.2, 0.75)) == pytest.approx(wanted, rel=1e-5)
    rare, often = np.log(4 / 2) + 1, np.log(4 / 3) + 1
    second = (1 + np.log(2)) * often
    length = np.sqrt(second**2 + often**2 + rare**2)
    assert field.tfidf({"a": 1})[1] == pytest.approx(second / length * often, rel=1e-5)
    assert spread(np.asarray([2.0, 4.0, 3.0])).tolist() == [0, 1, 0.5]
    assert spread(np.asarray([2.0, 2.0])).tolist() == [1, 1]  # a passage that is the only one
    assert spread(np.asarray([0.0, 0.0])).tolist() == [0, 0]


def test_postings_that_lead_nowhere_are_refused() -> None:
    stored = make_field([{"a": 1}, {"a": 2}])
    assert Postings(stored, 2).of("a")[1].tolist() == [1, 2]
    with pytest.raises(ValueError, match="nowhere"):
        Postings(stored, 1)


def test_a_long_passage_has_windows_and_loses_nothing() -> None:
    text = "\n".join(f"sentence {n} about the pump " + "and so on " * 9 for n in range(60))
    assert "".join("".join(windows(text)).split()) == "".join(text.split())
    assert all(len(one) <= WINDOW for one in windows("word " * 5000))
    section = Section("Pump", text)
    source = Source("a.md", "markdown", "", Document("", (section,)))
    found = list(texts_of(make_contents([source], ()).passages[0]))
    assert len(found) == len(list(windows(plain(text))))
    assert plain("| a | `b` |\n|---|---|\n[see](http://x/y) **this**") == "a b\nsee this"


def test_the_lines_with_the_words_of_the_question_are_shown() -> None:
    text = "\n".join(["filler line of text"] * 60 + ["the divider sets the rate"] + ["more"] * 60)
    shown, first = best_lines(text, frozenset({"divid", "rate"}))
    assert "the divider sets the rate" in shown
    assert len(shown) <= CHARACTERS
    assert text.split("\n")[first] == shown.split("\n")[0]


def test_an_address_is_that_of_the_longest_folder() -> None:
    urls = {".": "https://a.example/", "doc": "https://b.example/m", "x": "javascript:alert(1)//"}
    assert url_of("doc/a b.md", Place(0, anchor="t"), urls) == "https://b.example/m/a%20b.md#t"
    assert url_of("hw/a.md", Place(0), urls) == "https://a.example/hw/a.md"
    assert url_of("x/a.md", Place(0), urls) == ""
    assert url_of("y/a.md", Place(0), {"z": "https://z.example"}) == ""


def test_vectors_of_the_whole_and_of_the_best_window() -> None:
    found = view(Letters())
    rows = np.asarray([[1.0, 0], [0, 1.0], [0.6, 0.8]], np.float32)
    found.vectors = (np.asarray([0, 0, 1]), rows)
    whole, best = found.cosines(np.asarray([0.0, 1.0], np.float32))
    assert whole[:2].tolist() == pytest.approx([0, 0.8])
    assert best[:2].tolist() == pytest.approx([1, 0.8])


def test_the_real_embedder_finds_by_meaning(tmp_path: Path) -> None:
    from hdlgraph.project import Project

    (tmp_path / "doc").mkdir()
    (tmp_path / "doc" / "a.md").write_text(
        "# Thermal\n\nKeep the junction below 125 degrees.\n\n# Colours\n\nThe case is blue.\n"
    )
    report = Project(tmp_path).index(graphrag="never", documents=True)
    assert report.documents is not None
    assert report.documents.embedded == 2
    found = Project(tmp_path).search("how hot may the chip get?").passages
    assert found[0].title == "Thermal"
