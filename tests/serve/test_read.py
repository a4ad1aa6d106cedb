"""Reading lines of indexed files: `hdlgraph read` and `Project.read_lines`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.project.reading import CHARACTERS, LINES, WIDE
from hdlgraph.serve.cli.main import run
from hdlgraph.serve.cli.text.vimgrep import matches

FILE = "rtl/bus_arbiter.sv"


@pytest.fixture
def project(indexed_soc: Path) -> Project:
    return Project(indexed_soc)


def test_lines_come_with_their_numbers(project: Project) -> None:
    text = (project.root / FILE).read_text().splitlines()
    found = project.read_lines(FILE, 3, 5)
    assert found["lines"] == {"3": text[2], "4": text[3], "5": text[4]}
    assert (found["line"], found["end_line"], found["total_lines"]) == (3, 5, len(text))
    assert found["truncated"] == ""
    assert list(project.read_lines(FILE)["lines"].values()) == text
    assert project.read_lines(FILE, len(text), len(text) + 50)["end_line"] == len(text)


def test_what_is_cut_is_told(project: Project) -> None:
    path = project.root / FILE
    path.write_text(f"// {'x' * 3000}\n" + "// line\n" * 2 * LINES)
    found = project.read_lines(FILE)
    assert len(found["lines"]) == LINES
    assert found["truncated"] == f"read on from line {LINES + 1}"
    assert len(found["lines"]["1"]) == WIDE + 1
    path.write_text(f"// {'x' * 900}\n" * LINES)
    found = project.read_lines(FILE, 2, 399)
    assert sum(map(len, found["lines"].values())) <= CHARACTERS
    assert found["truncated"] == f"read on from line {found['end_line'] + 1}"


def test_a_changed_file_is_told(project: Project) -> None:
    (project.root / FILE).write_text("module other; endmodule\n")
    found = project.read_lines(FILE)
    assert found["lines"] == {"1": "module other; endmodule"}
    assert found["stale"]["changed"] == [FILE]
    assert "run `hdlgraph index" in found["notes"][0]
    (project.root / FILE).unlink()
    with pytest.raises(UsageError, match="is gone since it was indexed"):
        project.read_lines(FILE)


@pytest.mark.parametrize(
    "path", ["../secret.sv", "/etc/passwd", "rtl/../../secret.sv", "secret.sv", "", "rtl", "a\0b"]
)
def test_only_indexed_files_are_read(project: Project, path: str) -> None:
    (project.root.parent / "secret.sv").write_text("// secret")
    (project.root / "secret.sv").write_text("// not indexed")
    with pytest.raises(UsageError, match="is no file of the index"):
        project.read_lines(path)


def test_a_link_out_of_the_repository_is_not_followed(project: Project) -> None:
    secret = project.root.parent / "secret.sv"
    secret.write_text("// secret")
    (project.root / FILE).unlink()
    (project.root / FILE).symlink_to(secret)
    with pytest.raises(UsageError, match="cannot be read"):
        project.read_lines(FILE)


def test_an_index_that_names_its_repository_reads_what_was_indexed_alone(
    soc: Path, tmp_path: Path
) -> None:
    Project(soc, tmp_path / "elsewhere").index(embeddings=False, graphrag="never", jobs=1)
    project = Project.open(tmp_path / "elsewhere")
    assert project.read_lines(FILE)["lines"]
    (soc / FILE).write_text("another content")
    with pytest.raises(UsageError, match="changed or is gone"):
        project.read_lines(FILE)


def test_a_near_name_is_offered(project: Project) -> None:
    with pytest.raises(UsageError, match=f"did you mean {FILE}"):
        project.read_lines("src/bus_arbiter.sv")
    with pytest.raises(UsageError, match="no such range"):
        project.read_lines(FILE, 9, 3)
    with pytest.raises(UsageError, match="none from 9999 on"):
        project.read_lines(FILE, 9999)


def test_the_command_shows_the_same(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--index", str(project.folder)]
    assert run(["read", f"{FILE}:3-5", "--json", *at]) == 0
    assert json.loads(capsys.readouterr().out) == project.read_lines(FILE, 3, 5)
    assert run(["read", f"{FILE}:4", *at]) == 0
    line = (project.root / FILE).read_text().splitlines()[3]
    assert capsys.readouterr().out == f"     4 | {line}\n"
    assert run(["read", f"{FILE}:0", *at]) == 2
    assert "the first line is 1" in capsys.readouterr().err


def test_nothing_in_a_line_steers_the_terminal(project: Project, capsys) -> None:
    (project.root / FILE).write_text("\t// \x1b[2J\u202egone\n")
    assert run(["read", FILE, "--index", str(project.folder)]) == 0
    assert capsys.readouterr().out == "     1 | \t// \\x1b[2J\\u202egone\n"


def test_every_key_is_documented(project: Project) -> None:
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
    section = page.partition("## `read")[2].partition("\n## ")[0]
    for key in set(project.read_lines(FILE)) - {"schema", "notes", "stale"}:
        assert f"`{key}`" in section, key


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_the_index_counts_them(soc: Path, end: str) -> None:
    """A form feed, a line separator and the like stand within a line."""
    lines = ["// one\f two", "module paged; // \v\x1c\x85\u2028 three", "endmodule"]
    (soc / "rtl" / "paged.sv").write_text(end.join([*lines, ""]), encoding="utf-8", newline="")
    project = Project(soc)
    project.index(embeddings=False, graphrag="never", jobs=1)
    assert project.show("paged")["definitions"][0]["line"] == 2
    found = project.read_lines("rtl/paged.sv")
    assert list(found["lines"].values()) == lines
    assert project.read_lines("rtl/paged.sv", 2, 2)["lines"] == {"2": lines[1]}
    if end == "\r":
        return  # shows no lines of hits
    hit = next(hit for hit in project.search("paged").hits if hit.path == "rtl/paged.sv")
    assert [text for line, _, text in matches(hit, project.source_text) if line == 2] == lines[1:2]
