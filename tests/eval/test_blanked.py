"""A corpus without comments keeps its lines, its strings and nothing but its Verilog."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.eval.protocols import blanked
from hdlgraph.eval.protocols.blanked import blanked_copy

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
