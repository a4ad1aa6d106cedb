"""The figures of README.md: what stands there is what the stored runs and the session give."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.eval.figures import stored, tables
from hdlgraph.eval.figures.blocks import blocks, filled
from hdlgraph.eval.figures.command import figures, main, session
from hdlgraph.eval.figures.session import replayed, run, steps
from hdlgraph.eval.protocols.suite import RUNS
from hdlgraph.eval.sets.corpora import cache_folder
from hdlgraph.project import Project

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
TWO = "a\n<!-- figures:one -->\nold\n<!-- end -->\nb\n<!-- figures:two -->\n<!-- end -->\n"


def test_blocks_are_found_and_filled() -> None:
    assert blocks(TWO) == {"figures:one": "old\n", "figures:two": ""}
    new = filled(TWO, {"figures:two": "| 1 |\n"})
    assert blocks(new) == {"figures:one": "old\n", "figures:two": "| 1 |\n"}
    assert filled(new, {"figures:two": ""}) == TWO


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("<!-- figures:one -->\nold\n", "no end"),
        (TWO + TWO, "twice"),
        ("old\n<!-- end -->\n", "no end"),
    ],
)
def test_a_broken_page_is_refused(page: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        blocks(page)


def test_a_block_that_the_page_lacks_is_named() -> None:
    with pytest.raises(UsageError, match="figures:three"):
        filled(TWO, {"figures:three": ""})


def test_the_readme_is_what_the_stored_runs_give() -> None:
    written = blocks(PAGE)
    wanted = figures()
    assert written.keys() == {*wanted, "session"}
    assert {name: written[name] for name in wanted} == wanted


@pytest.mark.parametrize("name", tables.BENCHES)
def test_a_stored_run_says_where_it_comes_from(name: str) -> None:
    found = stored.read(name)
    assert found.schema == 1
    assert found.commands
    assert all(one.startswith("hdlgraph eval suite ") for one in found.commands)
    assert re.fullmatch(r"[0-9a-f]{7,40}", found.commit)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found.date)
    assert set(found.runs) <= set(RUNS)
    assert {"cpus", "memory_gb"} <= set(found.machine)
    assert not re.search(
        r"/(home|root|work|tmp)/", stored.FOLDER.joinpath(f"{name}.json").read_text()
    )


def report(name: str, recall: float) -> dict:
    measures = {key: {"mean": recall, "low": 0.0, "high": 1.0} for key in stored.MEASURES}
    return {
        "name": name,
        "corpus": "some 1.0",
        "pool": "development",
        "n_files": 7,
        "n_questions": 2,
        "date": "2026-01-02",
        "machine": {"cpus": 2, "memory_gb": 25, "python": "3.11", "hdlgraph": "0.1.0"},
        "systems": [{"name": "hdlgraph", "measures": measures, "questions": []}],
    }


def test_a_summary_keeps_means_and_leaves_single_answers_out(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "aspects.json").write_text(json.dumps(report("aspects", 0.25)))
    made = stored.summary(out, ["hdlgraph eval suite aspects"], "abcdef0")
    assert made.runs["aspects"].systems == {"hdlgraph": dict.fromkeys(stored.MEASURES, 0.25)}
    assert stored.write(made, "suite", tmp_path) == tmp_path / "suite.json"
    assert stored.read("suite", tmp_path) == made
    with pytest.raises(UsageError, match="no stored run"):
        stored.read("no-projects", tmp_path)
    with pytest.raises(UsageError, match="--out folder"):
        stored.summary(tmp_path / "none", [], "")


def test_another_figure_is_found_and_written(tmp_path: Path, capsys) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.replace("| **hdlgraph**, 1 hop", "| **hdlgraph**, 3 hops", 1))
    assert main(["--page", str(page), "--check"]) == 1
    assert "figures:retrieval" in capsys.readouterr().out
    assert main(["--page", str(page)]) == 0
    assert page.read_text() == PAGE
    assert main(["--page", str(page), "--check"]) == 0


def test_the_session_of_the_readme_is_one_of_hdlgraph_alone() -> None:
    found = steps(blocks(PAGE)["session"])
    assert len(found) >= 3
    assert all(step.command.startswith("hdlgraph ") and step.output for step in found)


@pytest.mark.parametrize(
    "block", ["", "```\n$ rm -r x\n```\n", "```\nhdlgraph\n```\n", "$ hdlgraph x"]
)
def test_another_form_of_session_is_refused(block: str) -> None:
    with pytest.raises(UsageError, match="session"):
        steps(block)


def test_a_session_is_run_again(soc: Path, tmp_path: Path) -> None:
    """The same way as the README's, on a design of the tests."""
    index = tmp_path / "index"
    Project(soc, index).index(graphrag="never", embeddings=False)
    block = "```\n$ hdlgraph tree bus_arbiter\nold\n\n$ hdlgraph who uart_tx\n```\n"
    first = replayed(block, index)
    told = steps(first)
    assert [step.command for step in told] == ["hdlgraph tree bus_arbiter", "hdlgraph who uart_tx"]
    assert "rtl/bus_arbiter.sv:" in told[0].output
    assert "old" not in told[0].output
    assert "instantiates" in told[1].output
    assert steps(replayed(first, index)) == told
    with pytest.raises(UsageError, match="exit code"):
        run("hdlgraph tree no_such_unit", index)
    with pytest.raises(UsageError, match="hdlgraph alone"):
        run("ls", index)


def test_the_readme_s_session_prints_what_it_shows() -> None:
    """Where the corpus and its index are at hand; `make figures` makes both."""
    home = cache_folder()
    if not (home / "demo" / "manifest.json").is_file():
        pytest.skip("needs the index of `hdlgraph demo` in the cache folder")
    told = session(PAGE)
    assert told is not None
    # Scores differ by a little from processor to processor, as the weights are of 8 bit.
    score = re.compile(r"  \d+\.\d{3}$", re.M)
    assert score.sub("", told) == score.sub("", blocks(PAGE)["session"])
