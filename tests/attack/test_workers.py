"""Parser workers that somebody, or the system, ends: no weaker facts stay in the index."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hdlgraph.errors import HdlgraphError
from hdlgraph.index.fork import SecondProcess
from hdlgraph.index.parse import pool as parse
from hdlgraph.index.parse.worker import START
from hdlgraph.project import Project
from hdlgraph.store.manifest import read_manifest

pytestmark = pytest.mark.kill

DESIGN = Path(__file__).parents[1] / "designs" / "soc"
VICTIM = "rtl/victim.sv"
# Long enough for a signal to arrive while it is read.
TEXT = (
    "module victim(input clk, input [7:0] a, output logic [7:0] q);\n"
    + "".join(
        f"  logic [7:0] r{n}; always_ff @(posedge clk) r{n} <= a + {n};\n" for n in range(400)
    )
    + "  fifo u_fifo (.clk(clk));\nendmodule\n"
)


class Killer:
    """Sends a signal to the worker that begins to read the victim, so many times."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.signals: list[int] = []
        self.starts: Counter[str] = Counter()
        told = parse.Pool._message

        def message(pool: Any, worker: Any, given: Any) -> None:
            told(pool, worker, given)
            if given[0] == START:
                self.starts[given[1]] += 1
                if given[1] == VICTIM and self.signals:
                    os.kill(worker.process.pid, self.signals.pop(0))

        monkeypatch.setattr(parse.Pool, "_message", message)


@pytest.fixture
def killer(monkeypatch: pytest.MonkeyPatch) -> Killer:
    return Killer(monkeypatch)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of an index that nobody disturbed."""
    root = design(tmp_path_factory.mktemp("undisturbed"))
    index(root)
    return content(root)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return design(tmp_path)


def design(folder: Path) -> Path:
    fewer = shutil.ignore_patterns("*.v", "dv")  # without Verilog-2001 workers start sooner
    root = Path(shutil.copytree(DESIGN, folder / "soc", ignore=fewer))
    (root / VICTIM).write_text(TEXT)
    return root


def index(root: Path) -> Any:
    return Project(root).index(embeddings=False, graphrag="never")


def content(root: Path) -> dict[str, bytes]:
    """Returns the files of the valid generation, by path in it."""
    place = root / ".hdlgraph"
    place = place / f"gen-{read_manifest(place).generation}"
    files = [path for path in sorted(place.rglob("*")) if path.is_file()]
    return {str(path.relative_to(place)): path.read_bytes() for path in files}


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSEGV])
def test_one_death_of_a_worker_costs_nothing(
    root: Path, killer: Killer, undisturbed: dict[str, bytes], sign: int
) -> None:
    killer.signals = [sign]
    report = index(root)
    assert killer.starts[VICTIM] == 2
    assert (report.degraded, report.failed) == ((), ())
    assert content(root) == undisturbed


def test_a_file_whose_workers_are_killed_is_read_again_by_the_next_run(
    root: Path, killer: Killer, undisturbed: dict[str, bytes]
) -> None:
    killer.signals = [signal.SIGKILL, signal.SIGTERM]
    report = index(root)
    assert report.failed == (
        f"{VICTIM}: pyslang was ended by SIGTERM; the next run reads it again",
    )
    assert report.degraded == ()
    assert content(root) != undisturbed
    killer.starts.clear()
    report = index(root)
    assert killer.starts == {VICTIM: 1}
    assert (report.failed, report.unchanged) == ((), report.files)
    assert content(root) == undisturbed
    killer.starts.clear()
    assert index(root).failed == ()
    assert not killer.starts


def test_a_file_stays_failed_as_long_as_its_workers_are_killed(root: Path, killer: Killer) -> None:
    for _ in range(2):
        killer.signals = [signal.SIGKILL] * 6
        (failed,) = index(root).failed
        assert "pyslang was ended by SIGKILL; tree-sitter was ended by SIGKILL" in failed


def test_a_file_that_crashes_its_reader_again_and_again_is_read_once(
    root: Path, killer: Killer
) -> None:
    killer.signals = [signal.SIGSEGV, signal.SIGSEGV]
    report = index(root)
    assert report.degraded == (f"{VICTIM}: pyslang was ended by SIGSEGV",)
    assert report.failed == ()
    (root / "rtl" / "new.sv").write_text("module new_one; endmodule\n")
    killer.starts.clear()
    report = index(root)
    assert killer.starts == {"rtl/new.sv": 1}
    assert report.degraded == (f"{VICTIM}: pyslang was ended by SIGSEGV",)


def test_a_kill_and_a_crash_leave_nothing_for_good(root: Path, killer: Killer) -> None:
    killer.signals = [signal.SIGINT, signal.SIGSEGV]
    assert len(index(root).failed) == 1
    assert index(root).failed == ()


def test_a_worker_that_dies_on_no_file_is_replaced(
    root: Path, undisturbed: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = parse.Pool._start
    killed: list[int] = []

    def start(pool: Any) -> Any:
        worker = begun(pool)
        if len(killed) < 3:  # while it loads its readers
            time.sleep(0.05)
            killed.append(worker.process.pid)
            worker.process.send_signal(signal.SIGKILL)
        return worker

    monkeypatch.setattr(parse.Pool, "_start", start)
    report = index(root)
    assert len(killed) == 3
    assert (report.degraded, report.failed) == ((), ())
    assert content(root) == undisturbed


def at_work(here: int) -> int:
    if os.getpid() != here:
        time.sleep(60)
    return 5


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
def test_work_whose_process_is_killed_is_done_again(
    sign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hdlgraph.index.fork.can_fork", lambda: True)  # tests before left threads
    here = os.getpid()
    second = SecondProcess("work", lambda: at_work(here))
    os.kill(second._process.pid, sign)
    assert second.result() == 5


def test_work_whose_process_crashes_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hdlgraph.index.fork.can_fork", lambda: True)  # tests before left threads
    here = os.getpid()
    second = SecondProcess("work", lambda: at_work(here))
    os.kill(second._process.pid, signal.SIGTRAP)
    with pytest.raises(HdlgraphError, match="work: its process ended with code -5"):
        second.result()


def test_a_run_whose_linking_is_killed_ends_well(
    root: Path, undisturbed: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = SecondProcess.__init__
    killed: list[int] = []

    def start(second: Any, *given: Any, **named: Any) -> None:
        begun(second, *given, **named)
        killed.append(second._process.pid)
        second._process.kill()

    monkeypatch.setattr(SecondProcess, "__init__", start)
    report = index(root)
    assert len(killed) == 1
    assert (report.degraded, report.failed) == ((), ())
    assert content(root) == undisturbed
