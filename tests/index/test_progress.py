"""What a run says of itself on stderr while it goes on."""

from __future__ import annotations

import io
import threading

import pytest
from rich.console import Console
from rich.progress import Progress

from hdlgraph.index.explain.by_model.language_model import usage_text
from hdlgraph.index.progress import Meter
from hdlgraph.results import StageUsage
from hdlgraph.serve.cli import progress as module
from hdlgraph.serve.cli.progress import progress_bar

USAGE = StageUsage("total", 12, 3, 45_000, 6_000, cost=0.0276)


def test_usage_is_told_in_one_line() -> None:
    assert usage_text(USAGE) == "12 calls, 3 stored, 45,000 + 6,000 tokens, $0.0276 so far"
    assert usage_text(StageUsage("total", 1, cost=None)) == "1 calls, 0 + 0 tokens so far"
    assert "$1,234.50" in usage_text(StageUsage("total", cost=1234.5))


def test_a_log_has_a_line_for_each_stage_with_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar() as progress:
        progress("discover", 0, 0)
        progress("write", 0, 4)
        progress("write", 3, 4)
        progress.detail("write", usage_text(USAGE))  # type: ignore[attr-defined]
        progress.detail("other", "not under way")  # type: ignore[attr-defined]
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("hdlgraph: write 3/4 (0.0 s): 12 calls, 3 stored")


def test_a_long_stage_says_now_and_then_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LINE_S", 0.0)
    with progress_bar() as progress:
        progress("write", 1, 4)
        progress.detail("write", "1 calls")  # type: ignore[attr-defined]
        said = capsys.readouterr().err
    assert said == "hdlgraph: write 1/4: 1 calls\n"


def test_an_interrupted_stage_says_how_far_it_came(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt), progress_bar() as progress:  # noqa: PT012
        progress("write", 2, 4)
        progress.detail("write", "2 calls")  # type: ignore[attr-defined]
        raise KeyboardInterrupt
    assert "hdlgraph: write 2/4 (0.0 s): 2 calls" in capsys.readouterr().err


def test_a_quiet_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar(quiet=True) as progress:
        progress("write", 1, 4)
    assert capsys.readouterr().err == ""


def test_a_bar_shows_the_price_beside_it() -> None:
    console = Console(file=io.StringIO(), width=120, force_terminal=True)
    with Progress(*module.columns(), console=console) as bars:
        shower = module.Bars(bars)
        shower("write", 1, 4)
        shower.detail("write", "12 calls, \x1b[31m$0.0276 [bold]")
        shower("discover", 0, 0)
        shower.end()
        task, alone = bars.tasks
    assert (task.completed, task.fields["text"]) == (1, "12 calls,  [31m$0.0276 [bold]")
    assert alone.finished


def test_no_thread_draws_while_a_process_is_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr("sys.stderr", terminal)
    before = set(threading.enumerate())  # of earlier tests some may end meanwhile

    def own() -> int:
        return len(set(threading.enumerate()) - before)

    with progress_bar() as progress, Meter(progress) as meter:
        progress("write", 1, 4)
        assert own() == 2  # it draws, and samples memory
        with meter.paused():
            assert own() == 0
        assert own() == 2
    assert own() == 0
    assert "write" in terminal.getvalue()
