"""`hdlgraph watch`: rounds follow changes, and what is open answers from the new generation."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.results import Round
from hdlgraph.store.lock import index_lock

SOON_S = 60.0
"""No machine is so busy that a round of the little system takes longer."""


class Watched:
    """A project that is watched beside the test; `next` returns the rounds in their order."""

    def __init__(self, root: Path, **options: object) -> None:
        self.stop, self.rounds = threading.Event(), []
        given = {"embeddings": False, "graphrag": "never", "jobs": 1, **options}
        self._rounds: list[Round] = []
        self._arrived = threading.Condition()
        self._seen = 0
        self._watch = Project(root).watch(stop=self.stop, **given)
        self._thread = threading.Thread(target=self._run, name="embed watch", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        for one in self._watch:
            with self._arrived:
                self._rounds.append(one)
                self._arrived.notify_all()

    def next(self, seconds: float = SOON_S) -> Round | None:
        with self._arrived:
            self._arrived.wait_for(lambda: len(self._rounds) > self._seen, seconds)
            if len(self._rounds) == self._seen:
                return None
            self._seen += 1
            return self._rounds[self._seen - 1]

    def end(self) -> None:
        self.stop.set()
        self._thread.join(SOON_S)
        assert not self._thread.is_alive()


@pytest.fixture
def watched(indexed_soc: Path) -> Iterator[Callable[[], Watched]]:
    running: list[Watched] = []

    def begin() -> Watched:
        running.append(Watched(indexed_soc))
        first = running[-1].next()
        assert first
        assert first.report
        return running[-1]

    yield begin
    for one in running:
        one.end()


def test_a_warm_project_takes_each_new_generation(
    indexed_soc: Path, watched: Callable[[], Watched]
) -> None:
    warm = Project(indexed_soc)
    assert warm.search("which timer counts down?").hits
    before, watch = warm.generation(), watched()
    failures: list[str] = []
    done = threading.Event()

    def ask() -> None:  # without a moment of no index
        mine = Project(indexed_soc)
        while not done.is_set():
            if not mine.search("which timer counts down?").hits:
                failures.append("nothing found")
            if not mine.show("soc_top")["total"]:
                failures.append("nothing shown")

    # Its name says that it is no idle one: rounds do not fork beside it.
    asking = threading.Thread(target=ask, name="asking")
    asking.start()
    try:
        (indexed_soc / "rtl" / "squarer.sv").write_text(
            "// squares it\nmodule squarer; endmodule\n"
        )
        found = watch.next()
    finally:
        done.set()
        asking.join(SOON_S)
    assert found
    assert found.files in (("rtl/squarer.sv",), ())  # (): it came before the watch had begun
    assert found.report
    assert found.report.added == ("rtl/squarer.sv",)
    assert warm.search("squarer").hits[0].path == "rtl/squarer.sv"
    assert warm.show("squarer")["total"] == 1
    assert warm.generation() > before
    assert not failures


def test_new_folders_are_followed_ignored_ones_and_links_are_not(
    indexed_soc: Path, tmp_path: Path, watched: Callable[[], Watched]
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (indexed_soc / "out").symlink_to(elsewhere)
    watch = watched()
    (elsewhere / "far.sv").write_text("module far; endmodule\n")
    (indexed_soc / ".git").mkdir()
    (indexed_soc / ".git" / "no.sv").write_text("module no; endmodule\n")
    (indexed_soc / "rtl" / "notes.txt").write_text("no design\n")
    (indexed_soc / "more" / "deep").mkdir(parents=True)
    (indexed_soc / "more" / "deep" / "one.sv").write_text("module one; endmodule\n")
    found = watch.next()
    assert found
    assert found.report
    assert found.report.added == ("more/deep/one.sv",)
    (indexed_soc / "more" / "deep" / "two.sv").write_text("module two; endmodule\n")
    found = watch.next()
    assert found
    assert found.report
    assert found.report.added == ("more/deep/two.sv",)


def test_an_error_of_a_round_is_told_and_the_next_change_tries_again(
    indexed_soc: Path, watched: Callable[[], Watched]
) -> None:
    watch = watched()
    (indexed_soc / "settings.yaml").write_text("hdlgraph:\n  search: {k: many}\n")
    found = watch.next()
    assert found
    assert "settings.yaml" in found.error
    assert found.report is None
    (indexed_soc / "settings.yaml").unlink()
    (indexed_soc / "rtl" / "again.sv").write_text("module again; endmodule\n")
    found = watch.next()
    assert found
    assert found.report
    assert found.report.added == ("rtl/again.sv",)


def test_a_round_waits_for_another_run(indexed_soc: Path, watched: Callable[[], Watched]) -> None:
    watch = watched()
    file = indexed_soc / "rtl" / "timer.v"
    with index_lock(indexed_soc / ".hdlgraph"):
        file.write_text(file.read_text() + "\n")
        assert watch.next(2.5) is None
    found = watch.next()
    assert found
    assert found.report
    assert found.report.changed == ("rtl/timer.v",)


def test_wrong_use_ends_it_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no Verilog"):
        next(Project(tmp_path).watch())
    with pytest.raises(UsageError, match="no such folder"):
        next(Project(tmp_path / "none").watch())


def test_the_command_tells_rounds_and_ends_with_ctrl_c(indexed_soc: Path) -> None:
    begun = subprocess.Popen(
        [sys.executable, "-m", "hdlgraph.serve.cli.main", "watch", str(indexed_soc), "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert begun.stdout
    assert begun.stderr
    try:
        first = json.loads(begun.stdout.readline())
        assert (first["files"], first["report"]["changed"]) == ([], [])
        time.sleep(0.5)
        file = indexed_soc / "rtl" / "timer.v"
        file.write_text(file.read_text() + "\n")
        assert json.loads(begun.stdout.readline())["report"]["changed"] == ["rtl/timer.v"]
        os.kill(begun.pid, signal.SIGINT)
        assert begun.wait(SOON_S) == 0
        assert "Traceback" not in begun.stderr.read()
    finally:
        begun.kill()
