import json
import sys

import pytest

from hdlgraph.eval.bench import bench
from hdlgraph.eval.bench.hostile import write_hostile
from hdlgraph.eval.bench.process import watch
from hdlgraph.eval.bench.workbench import Bench, Row


def test_watch_sees_output_code_time_and_memory():
    code = (
        "import subprocess, sys, time; x = bytearray(60_000_000); print('out');"
        "print('err', file=sys.stderr);"
        "subprocess.run([sys.executable, '-c', 'import time; x=bytearray(90_000_000);"
        "time.sleep(.4)']); sys.exit(3)"
    )
    done = watch([sys.executable, "-c", code])
    assert (done.code, done.stdout, done.stderr) == (3, "out\n", "err\n")
    assert 0.4 < done.seconds < 30
    if sys.platform == "linux":
        assert 150 < done.rss_mb < 400  # parent and child together
        assert 0 < done.pss_mb <= done.rss_mb


def test_watch_kills_what_takes_too_long():
    done = watch([sys.executable, "-c", "import time; time.sleep(60)"], timeout_s=0.3)
    assert done.code == -9
    assert done.seconds < 20


def test_hostile_files_are_what_they_say(tmp_path):
    kinds = write_hostile(tmp_path)
    found = sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.*v*"))
    assert list(kinds) == found
    assert (tmp_path / "rtl/long_expression.v").read_text().count(" + ") == 300_000
    assert (tmp_path / "rtl/utf16.sv").read_bytes()[:2] in (b"\xff\xfe", b"\xfe\xff")
    assert "`include" in (tmp_path / "rtl/self_include.sv").read_text()
    assert b"\0" in (tmp_path / "rtl/binary.v").read_bytes()


def test_rows_are_printed_and_a_broken_figure_fails(monkeypatch, capsys, tmp_path):
    def good(_):
        return [Row("good", "a figure", "1.0 s", "<= 2 s", True, "beside it")]

    def broken(_):
        raise RuntimeError("no disk")

    monkeypatch.setattr(bench, "rows", lambda: {"good": good, "broken": broken})
    assert bench.main(["--work", str(tmp_path)]) == 1
    text = capsys.readouterr().out
    assert "pass  a figure: 1.0 s  (expected: <= 2 s)\n      beside it" in text
    assert "FAIL  broken: RuntimeError: no disk" in text
    assert "1 of 2 figures reached" in text
    assert bench.main(["--only", "good", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"][0]["measured"] == "1.0 s"
    assert {"date", "cores", "memory_gb", "load"} <= found["machine"].keys()


def test_unknown_row(capsys):
    assert bench.main(["--only", "speed"]) == 2
    assert "no row speed; known: ibex, index, " in capsys.readouterr().err


def test_a_command_that_is_used_wrongly_is_named(tmp_path):
    with pytest.raises(Exception, match="hdlgraph index ended with 2"):
        Bench(tmp_path).run("index", str(tmp_path / "nowhere"))
