"""Runs of a question's words: what was pasted is found where it stands word by word."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from _texts import indexed

from hdlgraph.project import Project
from hdlgraph.query.features.verbatim import runs, spoken
from hdlgraph.query.search import Searcher

FILES = {
    "drain.sv": 'module drain;\n initial\n   $error("drain %0d: credits %0d above limit", n, m);\n'
    "endmodule\n",
    "fill.sv": "module fill;\n  // limit of credits above which drain stops\n"
    "  logic credits, limit, above, drain;\nendmodule\n",
    "other.sv": "module other(input clk);\nendmodule\n",
}


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    root = tmp_path_factory.mktemp("verbatim")
    project = indexed(root, FILES)
    return project.searcher()


PASTED = "Error: drain 3: credits 17 above limit"


def test_a_message_is_found_though_its_values_are_filled_in(searcher: Searcher) -> None:
    found = searcher.search(PASTED)
    assert found.hits[0].path == "drain.sv"
    (run,) = [one for one in found.hits[0].evidence if one.kind == "verbatim"]
    assert run.line == 3


def test_shares_are_of_the_whole_question(searcher: Searcher) -> None:
    lexicon = searcher.lexicon
    share = dict(zip(lexicon.paths, runs(lexicon, spoken(PASTED)).share.tolist(), strict=True))
    assert share["drain.sv"] > share["fill.sv"] >= 0 == share["other.sv"]
    assert share["drain.sv"] <= 1
    whole = runs(lexicon, spoken("limit of credits above which drain stops")).share
    np.testing.assert_allclose(whole[lexicon.number("fill.sv")], 1.0, rtol=1e-6)


def test_a_single_word_is_no_run(searcher: Searcher) -> None:
    assert not runs(searcher.lexicon, spoken("credits")).share.any()
    assert not runs(searcher.lexicon, spoken("")).share.any()
    assert not runs(searcher.lexicon, spoken("nowhere written at all")).share.any()


def test_no_run_goes_over_the_end_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.sv").write_text("module a; endmodule // alpha beta\n")
    (tmp_path / "gamma.sv").write_text("module gamma; endmodule\n")
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    found = runs(project.searcher().lexicon, spoken("alpha beta gamma"))
    assert found.words.tolist() == [2, 0]


def test_a_long_log_takes_bounded_work(searcher: Searcher) -> None:
    assert len(spoken(f"{PASTED} " * 4000)) == 160
