"""A corpus without comments keeps its lines, its strings and nothing but its Verilog."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.eval.protocols import blanked
from hdlgraph.eval.sets import corpora
from hdlgraph.eval.sets.blanked import blanked_copy, without_header
from hdlgraph.serve.cli.main import run

CODE = """// A counter.
module top(input a /* clock */, output z); /* two
lines */ initial $display("// no comment"); // end
endmodule
"""


def test_comments_are_blanks_and_documents_are_left_out(tmp_path: Path) -> None:
    source = tmp_path / "corpus"
    (source / "rtl").mkdir(parents=True)
    (source / "rtl" / "a.v").write_text(CODE)
    (source / "rtl" / "b.sv").write_bytes(b"// caf\xe9\nmodule b; endmodule\n")
    (source / "README.md").write_text("A counter.")
    copy = blanked_copy(source, tmp_path / "copies" / "corpus")
    text = (copy / "rtl" / "a.v").read_text()
    assert [len(line) for line in text.split("\n")] == [len(line) for line in CODE.split("\n")]
    assert "counter" not in text
    assert "lines" not in text
    assert '"// no comment"' in text
    assert (copy / "rtl" / "b.sv").read_bytes() == b"       \nmodule b; endmodule\n"
    assert sorted(path.name for path in copy.rglob("*.*")) == ["a.v", "b.sv"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("// A.\n`timescale 1ns/1ps\n// B.\nmodule a; // C.\nendmodule // D.\n", "CD"),
        ("/* A.\nB. */ `define X 1 // C.\nlocalparam int P = 1; // D.\n", "D"),
        ("typedef int t; // A.\n// B.\nmodule m; // C.\nendmodule\n// D.\n", "CD"),
        ("// A. B.\n// C. D.\n", ""),
    ],
)
def test_of_a_head_alone_comments_are_blanks(text: str, kept: str) -> None:
    blank = without_header(text)
    assert [len(line) for line in blank.split("\n")] == [len(line) for line in text.split("\n")]
    assert [letter for letter in "ABCD" if f"{letter}." in blank] == list(kept)


@pytest.mark.parametrize(("option", "kept"), [("--blank-comments", 0), ("--blank-headers", 1)])
def test_the_command_tells_where_the_copies_are(
    option: str, kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    whole = tmp_path / "hdlgraph" / "corpora" / f"serv-{corpora.PACKAGES['serv'].version}"
    whole.mkdir(parents=True)
    (whole / "a.v").write_text("// Zebra.\nmodule a; // Heron.\nendmodule\n")
    assert run(["eval", "corpora", "serv", option]) == 0
    told = capsys.readouterr().out
    (copy,) = tmp_path.glob("hdlgraph/blanked*/corpora/serv-*/a.v")
    assert copy.parent.as_posix() in told
    assert "blanked, Verilog alone" in told
    text = copy.read_text()
    assert "Zebra" not in text
    assert ("Heron" in text) == bool(kept)
    assert "Zebra" in (whole / "a.v").read_text()


def test_two_ways_to_blank_at_once_are_an_error(capsys) -> None:
    assert run(["eval", "corpora", "serv", "--blank-comments", "--blank-headers"]) == 2
    assert "give one" in capsys.readouterr().err


def test_a_copy_that_exists_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    assert blanked_copy(tmp_path / "nowhere", tmp_path / "copy") == tmp_path / "copy"
    assert not list((tmp_path / "copy").iterdir())


def test_an_unknown_run_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert blanked.main(["nothing", "--home", str(tmp_path)]) == 2
    assert "nothing" in capsys.readouterr().err
    with pytest.raises(UsageError, match="not in the suite"):
        blanked.blanked_project("nothing", tmp_path)


def test_questions_are_asked_of_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = tmp_path / "corpora" / "small"
    corpus.mkdir(parents=True)
    (corpus / "adder.v").write_text("// zebra\nmodule adder(input a, output z); endmodule\n")
    (corpus / "other.v").write_text("module other(input a, output z); endmodule\n")
    questions = tmp_path / "q.jsonl"
    line = '{"id": "1", "question": "where is the adder", "kind": "x", "relevant": ["adder.v"]}'
    questions.write_text(line + "\n")
    run = blanked.RUNS["riscv-cores"]
    small = type(run)(str(questions), "small", "small", "", "", "", "")
    monkeypatch.setitem(blanked.RUNS, "small", small)
    monkeypatch.setattr(blanked, "materialise", lambda _name, home: home / "corpora" / "small")
    found = blanked.measure("small", tmp_path, ["bm25"])
    assert found.systems[0].name == "bm25"
    assert "zebra" not in (tmp_path / "blanked" / "corpora" / "small" / "adder.v").read_text()
