"""Work in a second process: forked where no other thread runs, a new interpreter elsewhere."""

from __future__ import annotations

import _strptime
import json
import operator
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.index import fork
from hdlgraph.index.fork import SecondProcess, can_fork
from hdlgraph.index.progress import Meter
from hdlgraph.llm.endpoint.endpoint import find_endpoint
from hdlgraph.project import Project
from hdlgraph.settings.records import LlmSettings

YEAR = partial(time.strptime, "2020", "%Y")
"""Work that takes a lock of the standard library."""


@pytest.fixture
def other_thread() -> Iterator[None]:
    """A thread that holds the lock that `YEAR` takes."""
    held, end = threading.Event(), threading.Event()

    def hold() -> None:
        with _strptime._cache_lock:  # type: ignore[attr-defined]
            held.set()
            end.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    yield
    end.set()
    thread.join()


def test_work_does_not_wait_for_a_lock_of_another_thread(other_thread: None) -> None:
    assert not can_fork()  # the real one: `conftest` lets idle threads pass
    assert SecondProcess("work", YEAR, 30).result().tm_year == 2020


def test_a_fork_would_wait_for_it(other_thread: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork, "can_fork", lambda: True)
    with pytest.raises(HdlgraphError, match="work: no end after 1 s"):
        SecondProcess("work", YEAR, 1).result()


@pytest.fixture(params=["forked", "started"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(fork, "can_fork", lambda: request.param == "forked")
    return str(request.param)


def test_both_ways_bring_value_error_and_end(way: str) -> None:
    assert SecondProcess("work", os.getpid).result() != os.getpid()
    with pytest.raises(UsageError, match="no language model is configured"):
        SecondProcess("work", partial(find_endpoint, LlmSettings())).result()
    slow = SecondProcess("work", partial(time.sleep, 60), 0.5)
    with pytest.raises(HdlgraphError, match="work: no end after 0 s"):
        slow.result()
    crashed = SecondProcess("work", partial(os._exit, 3))
    with pytest.raises(HdlgraphError, match="its process ended with code 3"):
        crashed.result()


def test_work_apart_is_done_in_a_new_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork, "can_fork", lambda: True)
    monkeypatch.setattr(time, "only_here", True, raising=False)
    look = partial(eval, "hasattr(__import__('time'), 'only_here')")
    assert SecondProcess("work", look).result() is True
    assert SecondProcess("work", look, apart=True).result() is False


def test_both_ways_end_with_their_work(way: str) -> None:
    second = SecondProcess("work", partial(bytes, 5_000_000))  # more than a pipe holds
    assert second._pipe.poll(60)
    if way == "forked":
        second._process.join(60)
        assert second._process.exitcode == 0
    else:
        assert second._process.wait(60) == 0
    assert second.result() == bytes(5_000_000)


def test_both_ways_do_again_what_was_killed(way: str) -> None:
    killed = SecondProcess("work", os.getpid)
    killed._process.kill()
    assert killed.result() in (os.getpid(), killed._process.pid)
    stopped = SecondProcess("work", partial(time.sleep, 60))
    stopped.stop()
    stopped.stop()


def test_a_started_interpreter_ends_with_its_parent() -> None:
    code = """
import threading, time
from functools import partial
from hdlgraph.index.fork import SecondProcess, can_fork
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print(SecondProcess("work", partial(time.sleep, 60))._process.pid, flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        time.sleep(1)  # its interpreter starts
        parent.kill()
    until = time.monotonic() + 20
    while time.monotonic() < until and Path(f"/proc/{child}").exists():
        time.sleep(0.05)
    assert not Path(f"/proc/{child}").exists()


def test_a_paused_meter_has_no_thread() -> None:
    before = threading.active_count()
    with Meter() as meter:
        assert threading.active_count() == before + 1
        with meter.paused():
            assert threading.active_count() == before
        assert threading.active_count() == before + 1
    assert threading.active_count() == before
    with meter.paused():
        pass
    assert threading.active_count() == before
    assert meter.peak_mb > 1


RUNS = """
import json, sys
from pathlib import Path
from hdlgraph.index import fork
asked, real = [], fork.can_fork
def can_fork():
    asked.append(real())
    return asked[-1]
fork.can_fork = can_fork
from hdlgraph.project import Project
root = Path(sys.argv[1])
project = Project(root)
project.index(graphrag="never")
project.search("timer")  # its threads stay
(root / "more.sv").write_text("module more; endmodule\\n")
project.index(graphrag="never")
print(json.dumps(asked))
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    root = tmp_path / "small"
    root.mkdir()
    (root / "timer.sv").write_text("module timer (input clk); tick u_tick (.clk); endmodule\n")
    (root / "tick.sv").write_text("module tick (input clk); endmodule\n")
    return root


def test_a_run_forks_where_it_is_alone(small: Path) -> None:
    command = [sys.executable, "-c", RUNS, str(small)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    assert json.loads(done.stdout) == [sys.platform == "linux", False]
    assert Project(small).index(graphrag="never").unchanged == 3


def test_both_ways_write_the_same_graph(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = {}
    for forked in (True, False):
        monkeypatch.setattr(fork, "can_fork", lambda forked=forked: forked)
        project = Project(small)
        report = project.index(graphrag="never", embeddings=False, fresh=True)
        tables = sorted(project.folder.glob("gen-*/*.parquet"))
        written[forked] = (
            (report.nodes, report.edges, report.unresolved),
            {path.name: path.read_bytes() for path in tables},
        )
    assert written[True][1]
    assert written[True] == written[False]


def test_both_ways_wait_for_what_is_given_later(way: str) -> None:
    second = SecondProcess("work", operator.call, waits=True)
    time.sleep(0.2)
    second.give(list(range(300_000)))  # more than a pipe holds
    assert second.result()[-1] == 299_999
    failing = SecondProcess("work", find_endpoint, waits=True)  # of a function: an error
    failing.give(4)
    with pytest.raises(AttributeError):
        failing.result()


def test_both_ways_do_again_what_was_killed_as_it_waited(way: str) -> None:
    killed = SecondProcess("work", operator.call, waits=True)
    killed._process.kill()
    killed.give([4])
    assert killed.result() == [4]


def test_the_time_of_work_that_waits_begins_with_its_value(way: str) -> None:
    second = SecondProcess("work", operator.call, 5, waits=True)
    second._end = time.monotonic() - 1  # explanations may take hours
    second.give([1])
    assert second.result() == [1]


def test_work_that_waits_for_nothing_is_given_nothing() -> None:
    second = SecondProcess("work", os.getpid)
    with pytest.raises(ValueError, match="waits for nothing"):
        second.give(1)
    second.stop()
