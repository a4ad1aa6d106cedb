"""Processes that search beside a server's own: `hdlgraph.project.resident.helpers`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from hdlgraph.project import Project
from hdlgraph.project.resident import Resident
from hdlgraph.project.resident.helpers import HERE, Asked, Helpers

QUESTIONS = [
    f"{a} {b}"
    for a in ("uart", "timer", "fifo", "bus", "clock", "interrupt")
    for b in ("receiver", "reset", "arbiter", "depth", "error", "enable", "width")
]


def plain(found: object) -> object:
    return msgspec.structs.replace(found, seconds=0.0)  # type: ignore[type-var]


def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def resident(indexed_soc: Path) -> Iterator[Resident]:
    found = Resident(indexed_soc, searchers=1)
    found.warm()
    yield found
    if found._helpers is not None:
        found._helpers.stop()


def asked_by_many(resident: Resident, questions: list[str]) -> dict[str, object]:
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda q: (q, plain(resident.search(q, k=4, roles=["rtl"]))), questions)
        return dict(found)


def helpers_of(resident: Resident) -> Helpers:
    asked_by_many(resident, QUESTIONS[:14])
    assert resident._helpers is not None
    until(lambda: any(one.ready for one in resident._helpers._all))  # type: ignore[union-attr]
    return resident._helpers


def test_a_helper_finds_what_this_process_finds(resident: Resident, indexed_soc: Path) -> None:
    alone = {q: plain(Project(indexed_soc).search(q, k=4, roles=["rtl"])) for q in QUESTIONS}
    [helper] = helpers_of(resident)._all
    answered: list[bytes] = []
    answer = helper._answer
    helper._answer = lambda data: answered.append(answer(data)) or answered[-1]  # type: ignore
    assert asked_by_many(resident, QUESTIONS[14:]) == {q: alone[q] for q in QUESTIONS[14:]}
    assert answered
    assert all(answered)


def test_one_user_has_no_helper(resident: Resident) -> None:
    for question in QUESTIONS[:5]:
        resident.search(question)
    assert resident._helpers is None or resident._helpers._all == []


def test_a_helper_that_is_killed_loses_no_search(resident: Resident) -> None:
    helpers = helpers_of(resident)
    [helper] = helpers._all
    assert helper._process is not None
    helper._process.kill()
    helper._process.wait()
    assert len(asked_by_many(resident, QUESTIONS[14:28])) == 14
    until(lambda: helper.ended)
    asked_by_many(resident, QUESTIONS[28:])
    until(lambda: bool(helpers._all) and helpers._all[0] is not helper)  # another one is started


def test_a_helper_that_says_nothing_is_ended(
    resident: Resident, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os
    import signal

    helpers = helpers_of(resident)
    [helper] = helpers._all
    assert helper._process is not None
    monkeypatch.setattr("hdlgraph.project.resident.helpers.ANSWER_S", 0.3)
    os.kill(helper._process.pid, signal.SIGSTOP)
    assert len(asked_by_many(resident, QUESTIONS[14:28])) == 14
    until(lambda: helper.ended)


def test_a_helper_answers_for_the_generation_that_is_meant(
    resident: Resident, indexed_soc: Path
) -> None:
    [helper] = helpers_of(resident)._all
    number = resident._generation().manifest.generation
    asked = Asked([number + 7, 0, 0], resident.settings.digest(), "uart receiver", {})
    assert helper.search(asked) is None
    (indexed_soc / "rtl" / "brand_new.sv").write_text("module brand_new; endmodule\n")
    Project(indexed_soc).index(embeddings=False, graphrag="never", jobs=1)
    resident.refresh()
    found = asked_by_many(resident, [f"brand_new {q}" for q in QUESTIONS[:14]])
    assert all(one.hits[0].path == "rtl/brand_new.sv" for one in found.values())  # type: ignore


def test_places_are_given_in_the_order_of_coming() -> None:
    helpers = Helpers((), 0)
    held = [helpers._taken() for _ in range(HERE)]
    assert held == [None] * HERE
    order: list[int] = []
    with ThreadPoolExecutor(4) as pool:
        for number in range(4):
            pool.submit(lambda n=number: (helpers._taken(), order.append(n), helpers._give(None)))
            until(lambda n=number: len(helpers._waiting) == n + 1)  # type: ignore[misc]
        helpers._give(None)
    assert order == [0, 1, 2, 3]
