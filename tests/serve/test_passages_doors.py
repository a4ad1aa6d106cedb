"""Every door gives passages beside the files: the command line, MCP and REST."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from _papers import write_manual
from _web import served

from hdlgraph.serve.cli.main import run
from hdlgraph.serve.mcp.calls import call
from hdlgraph.serve.warm.kept import Kept

DESIGN = Path(__file__).parent.parent / "designs" / "registers" / "pulse"
INDEX = ("index", "--no-embeddings", "--graphrag", "never", "-j", "1")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = Path(shutil.copytree(DESIGN, tmp_path_factory.mktemp("doors") / "pulse"))
    write_manual(root)
    (root / "doc" / "broken.pdf").write_bytes(b"%PDF-1.7 what")
    outside = root.parent / "board"
    outside.mkdir()
    (outside / "board.csv").write_text("jumper,meaning\nJ1,boot from flash\n")
    for path in (*root.rglob("*"), *outside.iterdir()):
        os.utime(path, (1_700_000_000, 1_700_000_000))  # files just touched are read once more
    # A document that cannot be read is a failure that the run survives.
    assert run([*INDEX, str(root), "--documents", "--docs", str(outside)]) == 1
    return root


def test_index_tells_documents(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*INDEX, str(built)]) == 1
    out, err = capsys.readouterr()
    assert "5 documents (1 csv, 1 markdown, 2 pdf, 2 rst)" in out
    assert "@board: documents of" in out
    assert "error: doc/broken.pdf: is broken" in err
    assert run([*INDEX, str(built), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)["documents"]
    assert told["failed"] == ["doc/broken.pdf: is broken: Failed to load document (PDFium: Data "
                              "format error)."]  # fmt: skip
    assert (told["documents"], told["read"]) == (5, 0)
    assert set(told["roots"]) == {"board"}


def test_index_refuses_a_folder_that_is_none(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*INDEX, str(built), "--docs", str(built / "none")]) == 2
    assert "no such folder; name one that holds documents" in capsys.readouterr().err


def test_search_prints_passages_below_the_files(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["search", "when does the counter run?", "--index", str(built)]) == 0
    out = capsys.readouterr().out
    files, _, passages = out.partition("Documents and registers")
    assert "rtl/pulse.sv" in files
    assert " 1  doc/pulse.md:5  doc" in passages
    assert "Pulse unit > Theory of operation" in passages
    assert "mentions rtl/pulse.sv" in passages
    assert run(["search", "jumper", "--kind", "doc", "--index", str(built)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(" 1  @board/board.csv:2  doc")
    assert "Documents and registers" not in out


def test_search_by_kind_gives_json(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["search", "pulse register", "--kind", "register", "--passages", "2"]
    assert run([*words, "--index", str(built), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["hits"] == []
    assert len(found["passages"]) == 2
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text("utf-8")
    part = page.partition("## `search`")[2].partition("\n## ")[0]
    first = found["passages"][0]
    assert first["links"]
    for key in (*first, *first["links"][0], "places"):
        assert f"`{key}`" in part, key
    assert run(["search", "control step", "--kind", "rtl", "--index", str(built), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passages"] == []
    assert run(["search", "x", "--kind", "cat", "--index", str(built)]) == 2


def test_a_passage_is_shown_whole_where_that_is_asked(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["search", "control", "--kind", "register", "--index", str(built), "--json"]
    assert run(words) == 0
    brief = json.loads(capsys.readouterr().out)["passages"][0]["text"]
    assert run([*words, "--full"]) == 0
    assert brief in json.loads(capsys.readouterr().out)["passages"][0]["text"]


def test_models_get_passages_in_few_words(built: Path) -> None:
    kept = {"pulse": Kept(built)}
    result = call(kept, "search_files", {"question": "when does the counter run?", "limit": 3})
    assert result.found is not None
    first = result.found["passages"][0]
    assert (first["path"], first["line"], first["kind"]) == ("doc/pulse.md", 5, "doc")
    assert "data/pulse.hjson:" in str(first["rtl"]) or "rtl/pulse.sv:1" in first["rtl"]
    assert "- doc/pulse.md:5 (doc) Pulse unit > Theory of operation" in "\n".join(result.blocks)
    alone = call(kept, "search_files", {"question": "junction degrees", "kind": "doc"})
    assert alone.found is not None
    assert alone.found["passages"][0]["page"] == 1
    assert "doc/manual.pdf page 1" in "\n".join(alone.blocks)
    without = call(kept, "search_files", {"question": "counter", "kind": "rtl"})
    assert "passages" not in (without.found or {})


def test_rest_gives_what_the_command_gives(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["search", "pulse", "--index", str(built), "--json", "--passages", "2"]) == 0
    told = json.loads(capsys.readouterr().out)["passages"]
    with served(built) as page:
        got = page.get("/api/v1/search", params={"q": "pulse", "passages": 2}).json()
        assert got["passages"] == told
        assert len(told) == 2
        only = page.get("/api/v1/search", params={"q": "pulse", "kind": "register"}).json()
        assert {one["kind"] for one in only["passages"]} == {"register"}
        assert page.get("/api/v1/search", params={"q": "a", "kind": "cat"}).status_code == 400
        assert page.get("/api/v1/ask", params={"q": "a", "kind": "doc"}).status_code == 400


def test_without_documents_a_search_for_them_says_how(
    indexed_soc: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["search", "arbiter", "--kind", "doc", "--index", str(indexed_soc)]) == 0
    out, err = capsys.readouterr()
    assert out == "no passage matches\n"
    assert "`hdlgraph index --documents` adds" in err


def test_documents_are_listed_and_shown(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["documents", "--index", str(built)]) == 0
    out, err = capsys.readouterr()
    assert "doc/manual.pdf  pdf, 1 sections, 1 pages  Thermal limits" in out
    assert "data/pulse.hjson  hjson" in out
    assert "error: doc/broken.pdf" in err
    assert run(["documents", "doc/pulse.md", "--index", str(built)]) == 0
    out = capsys.readouterr().out
    assert "Theory of operation  line 5" in out
    assert "mentions rtl/pulse.sv" in out
    assert run(["documents", "manual.pdf", "--full", "--index", str(built), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    part = found["documents"][0]["parts"][0]
    assert "stays below 125 degrees" in part["text"]
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text("utf-8")
    told = page.partition("## `documents [NAME]`")[2].partition("\n## ")[0]
    assert run(["documents", "--index", str(built), "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    for key in (*found, *found["documents"][0], *part, *whole, *whole["counts"]):
        assert key == "schema" or f"`{key}`" in told, key
    assert run(["documents", "doc/puls.md", "--index", str(built)]) == 2
    assert "did you mean doc/pulse.md" in capsys.readouterr().err
