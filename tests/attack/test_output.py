"""What a repository puts into names and texts neither steers the terminal nor forges a line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.safety.printable import is_plain, visible
from hdlgraph.serve.cli.main import _complain
from hdlgraph.serve.cli.output import clean, emit, put, say

FORGED = "a\nhdlgraph: error: forged"
ODD = (
    "\x07\x1b[31m\x7f\x85\x9b\u061c\u200b\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff\U000e0041"
)
LONE = os.fsdecode(b"caf\xe9")


def cli(*arguments: str, cwd: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "hdlgraph.serve.cli.main", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=cwd)


def lines_of(error: str) -> list[str]:
    """Returns the lines as a terminal shows them."""
    return [line for line in error.splitlines() if line]


@pytest.mark.parametrize("command", [["index"], ["doctor"], ["init"], ["index", "--dry-run"]])
def test_a_newline_in_a_path_forges_no_line(tmp_path, command):
    done = cli(*command, FORGED + ".d", cwd=tmp_path)
    assert "Traceback" not in done.stderr
    assert not any(line.startswith("hdlgraph: error: forged") for line in lines_of(done.stderr))


def test_names_in_a_repository_forge_no_line(tmp_path):
    (tmp_path / "good.v").write_text("module good; endmodule\n")
    (tmp_path / f"{FORGED}.v").write_text("module forged; endmodule\n")
    (tmp_path / f"{FORGED}\x9b.d").mkdir()
    (tmp_path / "verible.filelist").write_text(f"good.v\n'{FORGED}.v'\n'../{FORGED}.v'\n")
    options = ("--no-embeddings", "--graphrag", "never", "--jobs", "1")
    done = cli("index", ".", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = lines_of(done.stderr) + lines_of(done.stdout)
    assert not any(line.startswith("hdlgraph: error") for line in found)
    assert r"a\nhdlgraph: error: forged" in done.stderr


def test_an_error_of_several_lines_keeps_them(capsys):
    assert _complain(UsageError("one", f"two {FORGED}").lines, 2) == 2
    assert capsys.readouterr().err.splitlines() == [
        "hdlgraph: error: one",
        r"hdlgraph: error: two a\nhdlgraph: error: forged",
    ]
    assert str(UsageError("one", "two")) == "one\ntwo"


def test_json_is_escaped_and_reads_back(capsys):
    data = {"text": ODD, "lone": LONE, FORGED: ["größer µ 中", "\t\n"]}
    emit(data)
    out = capsys.readouterr().out
    assert not any(char in out for char in ODD.replace("[31m", ""))
    assert r"\u202e" in out
    assert r"\udce9" in out
    assert "größer µ 中" in out
    assert json.loads(out) == data
    emit(data, indent=None)
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_text_for_people(capsys):
    put(f"{ODD}{LONE}\nnext")
    say(f"{ODD}{LONE}{FORGED}")
    shown = capsys.readouterr()
    for text in (shown.out, shown.err):
        text.encode()
        assert not any(char in text for char in ODD.replace("[31m", ""))
    assert len(shown.out.splitlines()) == 2
    assert len(shown.err.splitlines()) == 1
    assert len(clean(ODD)) == len(ODD)


def test_visible_is_one_line_and_plain_text_stays():
    assert visible(LONE) == r"caf\xe9"
    assert visible(FORGED) == r"a\nhdlgraph: error: forged"
    assert visible("\u202e\x9b\U000e0041") == r"\u202e\x9b\U000e0041"
    for text in ("", "rtl/top.sv", "a\\b", "größer µ 中", "C:\\x"):
        assert visible(text) == text


def test_names_that_an_index_can_hold():
    assert is_plain("rtl/größer 中.sv")
    for name in ("a\nb", "a\0b", LONE, "a\x7f", "a\x9b", "\x1b[0m"):
        assert not is_plain(name)
