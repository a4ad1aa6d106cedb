"""The command line on a terminal and in a pipe: options of every command, help, links, widths."""

from __future__ import annotations

import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from hdlgraph.project import Project
from hdlgraph.results import Hit, SourceLine
from hdlgraph.serve.cli.common import commands
from hdlgraph.serve.cli.examples import EXAMPLES
from hdlgraph.serve.cli.main import app, run
from hdlgraph.serve.cli.text.links import address
from hdlgraph.serve.cli.text.vimgrep import matches
from hdlgraph.serve.cli.text.wrap import Wrapper

COMMANDS = [path for path, _ in commands(app)]
SOC = Path(__file__).parents[1] / "designs" / "soc"


@pytest.fixture(scope="module")
def soc_index(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = shutil.copytree(SOC, tmp_path_factory.mktemp("terminal") / "soc")
    project = Project(root)
    project.index(embeddings=False, graphrag="never")
    return project


@pytest.fixture
def at(soc_index: Project) -> list[str]:
    return ["--index", str(soc_index.folder)]


def on_terminal(*arguments: str, columns: int = 80) -> str:
    """Returns what a command writes to a terminal of a width."""
    mine, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        [sys.executable, "-m", "hdlgraph.serve.cli.main", *arguments],
        stdout=theirs, stderr=subprocess.DEVNULL, env=environment,
    ):  # fmt: skip
        os.close(theirs)
        found = b""
        try:
            while piece := os.read(mine, 65536):
                found += piece
        except OSError:  # the other end is closed
            pass
        os.close(mine)
    return found.decode().replace("\r\n", "\n")


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m|\x1b\]8;[^\x1b]*\x1b\\", "", text)


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_has_examples_in_its_help(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert EXAMPLES.get(path), f"hdlgraph {path}: give it examples in serve/cli/examples.py"
    assert run([*path.split(), "--help"]) == 0
    told = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for example in EXAMPLES[path]:
        assert f"$ hdlgraph {example}" in told
    assert "--quiet -q" in told.replace(",", "")
    assert "--verbose -v" in told.replace(",", "")


@pytest.mark.parametrize("example", [one for path in COMMANDS for one in EXAMPLES.get(path, ())])
def test_every_example_parses(example: str) -> None:
    group = typer.main.get_command(app)
    context = group.make_context("hdlgraph", shlex.split(example))
    while isinstance(group, typer.core.TyperGroup):
        rest = [*context._protected_args, *context.args]
        name, group, rest = group.resolve_command(context, rest)
        context = group.make_context(name, list(rest), parent=context)
    assert context.args == []


def test_no_example_is_of_a_command_that_there_is_not() -> None:
    assert set(EXAMPLES) <= set(COMMANDS)


def test_the_version_has_a_short_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["-V"]) == 0
    short = capsys.readouterr().out
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == short


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["search", "x", "--bogus"], "hdlgraph search"),
        (["search", "x", "--format", "xml"], "hdlgraph search"),
        (["search", "x", "--json", "--format", "vimgrep"], "hdlgraph search"),
        (["who"], "hdlgraph who"),
        (["explanations", "import"], "hdlgraph explanations import"),
        (["explanations", "lend"], "hdlgraph explanations"),
        (["eval", "corpora", "--bogus"], "hdlgraph eval corpora"),
        (["export", "x"], "hdlgraph export"),
        (["serch"], "hdlgraph"),
    ],
)
def test_an_error_points_to_the_help_of_its_own_command(
    arguments: list[str], command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert capsys.readouterr().err.endswith(f"(see `{command} --help`)\n")


def test_an_error_that_names_a_command_points_nowhere_else(
    at: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "zzzzzz", *at]) == 2
    assert "--help" not in capsys.readouterr().err


def test_quiet_leaves_errors_alone(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["-q", "search", "uart", *at], ["search", "uart", "-q", *at]):
        assert run(arguments) == 0
        shown = capsys.readouterr()
        assert "rtl/uart.sv" in shown.out
        assert shown.err == ""
    assert run(["-q", "show", "zzzzzz", *at]) == 2
    assert capsys.readouterr().err.startswith("hdlgraph: error: nothing is called")
    assert run(["search", "uart", *at]) == 0
    assert capsys.readouterr().err != ""  # the next command of a process is not quiet


def test_verbose_tells_the_times_of_the_stages(
    at: list[str], soc_index: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["search", "-v", "uart", *at]) == 0
    shown = capsys.readouterr()
    times = (
        r"hdlgraph: search \d+\.\d\d s \(start [\d.]+, open [\d.]+, answer [\d.]+, print [\d.]+\)"
    )
    assert re.fullmatch(times, shown.err.splitlines()[-1])
    assert re.search(r"^ 1  rtl/uart\.sv:\d+  rtl  \d+\.\d+$", shown.out, re.M)  # the scores too
    assert run(["tree", "soc_top", "-v", "--json", *at]) == 0
    assert re.search(r"hdlgraph: tree .* \(start [\d.]+, answer [\d.]+", capsys.readouterr().err)
    assert run(["index", str(soc_index.root), "-v", "--json"]) == 0
    assert "hdlgraph: discover 14 (0." in capsys.readouterr().err


def test_index_takes_the_working_directory(
    soc_index: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(soc_index.root)
    assert run(["index"]) == 0
    assert capsys.readouterr().out.startswith("14 files: 14 unchanged")


def _absolute(folder: Path, line: str) -> str:
    path, rest = line.split(":", 1)
    return f"{os.path.normpath(folder / path)}:{rest}"


def test_vimgrep_gives_places_that_an_editor_finds(
    soc_index: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    question = ["search", "round", "robin", "arbiter", "--format", "vimgrep"]
    monkeypatch.chdir(soc_index.root / "rtl")
    assert run([*question, "-k", "3"]) == 0
    inside = capsys.readouterr().out.splitlines()
    monkeypatch.chdir("/")
    assert run([*question, "-k", "3", "--index", str(soc_index.folder)]) == 0
    outside = capsys.readouterr().out.splitlines()
    assert inside[0].startswith("bus_arbiter.sv:")
    assert outside == [_absolute(soc_index.root / "rtl", line) for line in inside]
    for line in outside:
        path, row, column, text = line.split(":", 3)
        whole = Path(path).read_text().splitlines()[int(row) - 1]
        assert text in ("", whole.strip()) or int(column) == 1
        assert 1 <= int(column) <= len(whole) + 1


def test_a_column_counts_bytes_of_the_line_in_the_file() -> None:
    text = "module m;\n\t// Größe: the baud rate\nendmodule\n"
    shown = "// Größe: the baud rate"
    at = shown.index("baud")
    hit = Hit(1, "a.sv", 1, 1.0, lines=(SourceLine(2, shown, ((at, at + 4),)),))
    ((line, column, told),) = matches(hit, lambda path: text)
    assert (line, told) == (2, shown)
    assert "\t// Größe: the baud rate".encode()[column - 1 :].startswith(b"baud")
    cut = Hit(1, "a.sv", 1, 1.0, lines=(SourceLine(2, "…the baud rate", ((5, 9),)),))
    assert list(matches(cut, lambda path: text)) == [(2, column, shown)]
    assert list(matches(cut, lambda path: "")) == [(2, 8, "…the baud rate")]
    assert list(matches(Hit(1, "a.sv", 3, 1.0, summary="x\ny"), lambda path: "")) == [(3, 1, "x y")]


def test_json_by_format_is_that_of_the_option(
    at: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for option in (["--json"], ["--format", "json"]):
        assert run(["search", "uart", *option, *at]) == 0
        told.append(re.sub(r'"seconds": [\d.e-]+', "", capsys.readouterr().out))
    assert told[0] == told[1]


def test_places_are_links_on_a_terminal_and_plain_in_a_pipe(
    soc_index: Project, at: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    told = on_terminal("search", "uart", "-k", "1", *at)
    uri = (soc_index.root / "rtl" / "uart.sv").as_uri()
    assert re.search(rf"\x1b\]8;[^;]*;{re.escape(uri)}\x1b\\", told)
    assert uri in on_terminal("show", "uart", *at)
    assert run(["search", "uart", "-k", "1", *at]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_links_lead_nowhere_outside_of_the_repository(tmp_path: Path) -> None:
    root = tmp_path / "a b"
    root.mkdir()
    (tmp_path / "secret").write_text("")
    (root / "own;\x1b].sv").write_text("")
    (root / "out.sv").symlink_to(tmp_path / "secret")
    (root / "in.sv").symlink_to(root / "own;\x1b].sv")
    assert address(root, "own;\x1b].sv") == f"file://{tmp_path}/a%20b/own%3B%1B%5D.sv"
    assert address(root, "in.sv") == address(root, "own;\x1b].sv")
    for path in ("out.sv", "../secret", "/etc/passwd", ".", "no.sv", "", "a\0b"):
        assert address(root, path) == "", path
    assert address(None, "in.sv") == ""


Told = Callable[[int], str]


@pytest.mark.parametrize("arguments", [["search", "uart"], ["ask", "what does the uart do?"],
                                       ["show", "uart"], ["who", "soc_pkg"]])  # fmt: skip
def test_no_line_passes_the_edge_of_the_terminal(arguments: list[str], at: list[str]) -> None:
    for columns in (60, 100):
        told = plain(on_terminal(*arguments, *at, columns=columns))
        wide = [
            line for line in told.splitlines()
            if len(line) > columns and len(line.split()) > 1 and not re.match(r" *\d*\s*[|]", line)
        ]  # fmt: skip
        assert wide == []


def test_a_pipe_gets_all_of_a_text(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["search", "uart", "--explain", *at]) == 0
    assert "…" not in capsys.readouterr().out
    assert run(["status", *at]) == 0
    (row,) = [x for x in capsys.readouterr().out.splitlines() if x.startswith("syntax")]
    assert row.endswith("(`hdlgraph unresolved --syntax` lists them)")


def test_streamed_prose_is_broken_between_words_and_code_is_not() -> None:
    text = "one two three four five six seven\n    assign a = b + c + d + e + f;\n\nlast words"
    for size in (1, 3, 100):
        wrapper = Wrapper(20)
        told = "".join(wrapper.feed(text[at : at + size]) for at in range(0, len(text), size))
        told += wrapper.end()
        assert told.splitlines() == [
            "one two three four", "five six seven", "    assign a = b + c + d + e + f;", "",
            "last words",
        ]  # fmt: skip


def test_the_vim_snippet_of_the_page_fills_a_quickfix_list(
    at: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "editor.md").read_text()
    program = re.search(r"set grepprg=(.+)", page)
    assert program
    command = program[1].replace("\\ ", " ").split()
    assert command[0] == "hdlgraph"
    assert run([*command[1:], "which block counts down?", *at]) == 0
    told = capsys.readouterr()
    assert told.err == ""  # an editor takes both streams
    assert re.fullmatch(r"(?:[^:\n]+:\d+:\d+:[^\n]*\n)+", told.out)


def test_a_terminal_shows_the_most_telling_lines_of_an_answer(at: list[str]) -> None:
    asked = ["ask", "how does the uart receive a byte and report errors?", *at]
    short, whole = on_terminal(*asked, columns=400), on_terminal(*asked, "--whole", columns=400)
    piped = subprocess.run(
        [sys.executable, "-m", "hdlgraph.serve.cli.main", *asked],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    rows = [row.strip() for row in short.splitlines() if re.match(r"\s*\d+\| ", row)]
    assert rows
    assert len(short) < len(whole)
    assert {row for row in rows if "…" not in row} <= {row.strip() for row in piped.splitlines()}
    assert len([row for row in whole.splitlines() if re.match(r"\s*\d+\| ", row)]) == len(
        [row for row in piped.splitlines() if re.match(r"\s*\d+\| ", row)]
    )


def test_chat_shows_the_whole_of_its_last_answer(at: list[str]) -> None:
    found = subprocess.run(
        [sys.executable, "-m", "hdlgraph.serve.cli.main", "chat", *at],
        input="/whole\nhow does the uart receive a byte?\n/whole\n",
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "nothing was asked yet" in found.stderr
    line = next(row for row in found.stdout.splitlines() if re.match(r"\s*\d+\| ", row))
    assert found.stdout.count(line) >= 2
