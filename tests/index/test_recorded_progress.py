"""Progress of real runs, recorded: no stage ever goes back, and each one ends."""

from __future__ import annotations

import io
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress

from hdlgraph.index.progress import Meter
from hdlgraph.project import Project
from hdlgraph.serve.cli import progress as shown

SOC = Path(__file__).parents[1] / "designs" / "soc"
STAGES = ["discover", "parse", "explain", "words", "embed", "embed tokens", "link"]

Calls = list[tuple[str, int, int]]


def recorded(project: Project, **options: object) -> Calls:
    calls: Calls = []
    project.index(progress=lambda *call: calls.append(call), graphrag="never", **options)
    return calls


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Calls]:
    """The calls of a first run, one without changes, one after a change, one without vectors."""
    root = shutil.copytree(SOC, tmp_path_factory.mktemp("progress") / "soc")
    project = Project(root)
    found = {"first": recorded(project), "again": recorded(project)}
    with (root / "rtl" / "timer.v").open("a") as text:
        text.write("\n// A timer for tests of progress.\n")
    found["changed"] = recorded(project)
    found["bare"] = recorded(Project(root, root.parent / "bare"), embeddings=False)
    return found


def stages(calls: Calls) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for stage, done, total in calls:
        found.setdefault(stage, []).append((done, total))
    return found


def test_the_recorded_runs_did_what_they_should(runs: dict[str, Calls]) -> None:
    assert list(stages(runs["first"])) == STAGES
    assert list(stages(runs["again"])) == ["discover"]
    assert [one for one in stages(runs["bare"]) if "embed" in one] == ["embed"]


def test_no_stage_goes_back_and_each_one_ends(runs: dict[str, Calls]) -> None:
    for name, calls in runs.items():
        for stage, told in stages(calls).items():
            where = f"{stage} of the {name} run: {told}"
            assert all(a <= b for (a, _), (b, _) in pairwise(told)), where
            totals = [total for _, total in told]
            known = [total for total in totals if total]
            assert len(set(known)) == 1, where
            assert totals == [0] * (len(totals) - len(known)) + known, where
            assert told[-1][0] == told[-1][1] > 0, where


def test_discovery_counts_files(runs: dict[str, Calls]) -> None:
    assert stages(runs["first"])["discover"][-1] == (14, 14)
    assert stages(runs["again"])["discover"][-1] == (14, 14)


def test_texts_that_are_known_count_as_done(runs: dict[str, Calls]) -> None:
    told = stages(runs["changed"])["embed"]
    assert told[0] == (0, 0)
    assert told[1][0] > 0.5 * told[1][1]


def test_bars_show_the_recorded_runs(runs: dict[str, Calls]) -> None:
    console = Console(file=io.StringIO(), width=140, force_terminal=True)
    with Progress(*shown.columns(), console=console) as bars:
        shower = shown.Bars(bars)
        for calls in (runs["first"], runs["changed"]):
            highest: dict[str, float] = {}
            for stage, done, total in calls:
                shower(stage, done, total)
                now = bars.tasks[shower.tasks[stage]].completed
                assert now >= highest.get(stage, 0)
                highest[stage] = now
        shower("words", 3, 14)  # a call out of turn
        assert bars.tasks[shower.tasks["words"]].completed == 14
        assert all(task.finished for task in bars.tasks)


def test_a_stage_that_learns_its_total_later_ends_with_it() -> None:
    calls: Calls = []
    with Meter(lambda *call: calls.append(call)) as meter:
        with meter.stage("walk") as tick:
            tick(3, 10)
            tick(10)
        with meter.stage("short") as tick:
            tick(1, 10)
        with meter.stage("alone"):
            pass
        with meter.stage("answers") as tick:
            tick(4)
    told = stages(calls)
    assert told["walk"] == [(0, 0), (3, 10), (10, 10)]
    assert told["short"][-1] == (10, 10)
    assert told["alone"] == [(0, 0), (1, 1)]
    assert told["answers"][-1] == (4, 4)


@pytest.mark.parametrize(
    ("speed", "remaining", "finished", "says"),
    [
        (None, 5, False, ""),
        (0.5, 5, False, "0.5/s, 10 s left"),
        (20.4, 5000, False, "20/s, 4 min left"),
        (1.0, 8000, False, "1.0/s, 2 h 13 min left"),
        (3.0, 0, True, "3.0/s"),
        (3.0, None, False, "3.0/s"),
    ],
)
def test_rate_and_time_left(
    speed: float | None, remaining: float | None, finished: bool, says: str
) -> None:
    assert shown.pace(speed, remaining, finished) == says
