"""A text for people and one for a search: which is stored, shown and searched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hdlgraph import Project
from hdlgraph.index.embed.surfaces import surfaces_of
from hdlgraph.index.lexical.fields import field_texts
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.model.explanation import SearchText
from hdlgraph.store.explanations import read_jsonl, write_jsonl
from hdlgraph.store.lexical import make_folder, read_summaries, write_summaries
from hdlgraph.store.packed.slices import Slices

SHA = "0" * 64
FIFO = """// Hands beats on in the order of arrival. Never drops one, e.g. when full.
module axis_fifo(input clk);
endmodule
"""
RECORD = FileRecord("a.v", SHA, "rtl", "verilog", 1, 1, "ascii")
BOTH = Explanation(
    path="a.v",
    purpose="Module rd_fifo keeps beats.",
    behaviour="Counts rd_ptr_q up by one.",
    sha256=SHA,
    search=SearchText(purpose="Module read queue.", behaviour="Counts read pointer up by one."),
)


def test_a_search_reads_its_own_text_and_people_never_do():
    (text,) = field_texts("explanation", [RECORD], {"a.v": BOTH})
    surfaces = [surface.text for surface in surfaces_of(0, RECORD, BOTH)]
    for found in (text, " ".join(surfaces)):
        assert "read pointer" in found
        assert "rd_ptr_q" not in found
    assert "read" not in BOTH.for_people().to_text()


def test_what_a_model_wrote_is_searched_as_it_is():
    written = Explanation(path="a.v", purpose="Keeps beats.", model="m")
    assert written.for_search() is written


def test_files_of_explanations_hold_the_text_for_people_only(tmp_path: Path):
    file = tmp_path / "e.jsonl"
    write_jsonl([BOTH], file)
    assert "search" not in json.loads(file.read_text())
    line = json.loads(file.read_text()) | {"search": {"purpose": "Planted."}}
    file.write_text(json.dumps(line))
    assert read_jsonl(file)["a.v"] == BOTH.for_people()


@pytest.mark.parametrize(
    ("purpose", "sentence"),
    [
        ("Counts beats. Then rests.", "Counts beats."),
        ("Keeps, e.g. Some words. Then rests.", "Keeps, e.g. Some words."),
        ("See fig. 3 for it. Then rests.", "See fig. 3 for it."),
        ("Begins with `axis`. `axis` is next.", "Begins with `axis`."),
        ("No stop", "No stop"),
        ("", ""),
    ],
)
def test_the_first_sentence_stands_for_a_file(purpose: str, sentence: str):
    assert Explanation(path="a.v", purpose=purpose).sentence() == sentence


def test_hits_say_in_one_sentence_what_a_file_does(tmp_path: Path):
    (tmp_path / "axis_fifo.v").write_text(FIFO)
    (tmp_path / "other.v").write_text("module other(input clk); axis_fifo u_f(clk); endmodule\n")
    project = Project(tmp_path)
    project.index(embeddings=False, graphrag="never", jobs=1)
    hits = {hit.path: hit.summary for hit in project.search("axis_fifo").hits}
    assert hits["axis_fifo.v"] == "Hands beats on in the order of arrival."
    assert hits["other.v"] == "Wrapper of `axis_fifo`."


def test_an_index_without_sentences_has_empty_ones(tmp_path: Path):
    folder = make_folder(tmp_path)
    write_summaries(Slices(tmp_path, ["a.v", "b.v"]), ["Counts\nbeats.", ""].__getitem__)
    assert read_summaries(folder, 2) == ["Counts beats.", ""]
    assert read_summaries(folder, 4) == [""] * 4
    (folder / "summaries.txt").unlink()
    assert read_summaries(folder, 2) == ["", ""]


def test_a_long_sentence_is_cut_between_words() -> None:
    purpose = "This unit " + "counts many events " * 20 + "and stops."
    said = Explanation(path="a.v", purpose=purpose).sentence()
    assert len(said) <= 241
    assert said.endswith("…")
    assert purpose.startswith(said[:-1])
    assert purpose[len(said) - 1] == " "
