"""Work shared out among copies of this process."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.index import shares as module
from hdlgraph.index.lexical import segments
from hdlgraph.index.progress import Meter
from hdlgraph.index.shares import ALONE, Shares
from hdlgraph.project import Project
from hdlgraph.store.cache import Cache

DESIGNS = Path(__file__).parents[1] / "designs"

ITEMS = range(5)


@pytest.fixture(autouse=True)
def _few_are_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EACH", 1)
    # A worker of tests has much in memory, and idle threads of earlier ones.
    monkeypatch.setattr(module, "LARGE_MB", float("inf"))
    monkeypatch.setattr("hdlgraph.index.fork.can_fork", lambda: True)


def whose(items: Sequence[int]) -> list[tuple[int, int]]:
    return [(item, os.getpid()) for item in items]


@pytest.mark.parametrize("jobs", [1, 2, 3, 9])
def test_work_comes_back_in_order_from_all_copies(jobs: int) -> None:
    with Meter() as meter:
        done = Shares(jobs, meter).map("squares", whose, ITEMS)
    assert [item for item, _ in done] == list(ITEMS)
    assert len({process for _, process in done}) == min(jobs, module.MOST)


def test_few_items_and_large_processes_make_no_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    here = os.getpid()
    assert ALONE.map("squares", whose, ITEMS) == [(item, here) for item in ITEMS]
    monkeypatch.setattr(module, "EACH", 3)
    assert {process for _, process in Shares(4).map("squares", whose, ITEMS)} == {here}
    monkeypatch.setattr(module, "EACH", 1)
    monkeypatch.setattr(module, "LARGE_MB", 1.0)
    monkeypatch.setattr(module, "free_mb", lambda: 1.0)
    assert {process for _, process in Shares(4).map("squares", whose, ITEMS)} == {here}


def test_of_a_large_process_as_many_copies_are_made_as_there_is_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LARGE_MB", 1.0)
    monkeypatch.setattr(module, "_resident_mb", lambda: 1000.0)
    for free, processes in ((1999.0, 1), (2001.0, 2), (4001.0, 3), (0.0, 1)):
        monkeypatch.setattr(module, "free_mb", lambda free=free: free)
        done = Shares(3).map("squares", whose, ITEMS)
        assert len({process for _, process in done}) == processes
        assert [item for item, _ in done] == list(ITEMS)


def test_free_memory_is_told() -> None:
    assert 0 <= module.free_mb() < 2**30
    if Path("/proc/meminfo").exists() and not Path("/sys/fs/cgroup/memory.max").exists():
        assert module.free_mb() > 0


def test_no_copy_is_made_beside_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hdlgraph.index.fork.can_fork", lambda: threading.active_count() == 1)
    over = threading.Event()
    busy = threading.Thread(target=over.wait, name="busy")
    busy.start()
    try:
        done = Shares(4).map("squares", whose, ITEMS)
    finally:
        over.set()
        busy.join()
    assert done == [(item, os.getpid()) for item in ITEMS]


def test_an_error_in_a_copy_is_raised_here() -> None:
    def work(items: Sequence[int]) -> list[int]:
        if 1 in items:
            raise UsageError("item 1: cannot be worked on")
        return list(items)

    with pytest.raises(UsageError, match="item 1: cannot be worked on"):
        Shares(2).map("items", work, ITEMS)


def test_the_share_of_a_killed_copy_is_done_here() -> None:
    here = os.getpid()

    def work(items: Sequence[int]) -> list[tuple[int, int]]:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return whose(items)

    assert Shares(3).map("items", work, ITEMS) == [(item, here) for item in ITEMS]


def test_an_index_is_the_same_whoever_made_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    begin = Shares._begin

    def noted(name: str, work: Any, parts: Any) -> Any:
        begun.append(name)
        return begin(name, work, parts)

    monkeypatch.setattr(Shares, "_begin", staticmethod(noted))
    written = []
    for jobs in (1, 3):
        folder = tmp_path / f"index-{jobs}"
        Project(DESIGNS / "soc", folder).index(embeddings=False, graphrag="never", jobs=jobs)
        (generation,) = folder.glob("gen-*")
        files = sorted(path for path in generation.rglob("*") if path.is_file())
        written.append({path.relative_to(generation): path.read_bytes() for path in files})
        assert begun == (
            [] if jobs == 1 else ["includes", "macros", "near copies", "explanations", "words"]
        )
    assert written[0] == written[1]


WORDS = ("tokens", "mined", "terms", "segments")


def test_segments_are_the_same_whoever_made_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LEAST", "USUAL", "MOST"):
        monkeypatch.setattr(segments, name, 1)
    begin, shared = Shares._begin, []

    def noted(name: str, work: Any, parts: Any) -> Any:
        shared.extend(len(part.planned) for part in parts if isinstance(part, segments._Part))
        return begin(name, work, parts)

    monkeypatch.setattr(Shares, "_begin", staticmethod(noted))
    written, kept = [], []
    for jobs in (1, 3):
        folder = tmp_path / f"index-{jobs}"
        Project(DESIGNS / "soc", folder).index(embeddings=False, graphrag="never", jobs=jobs)
        (generation,) = folder.glob("gen-*")
        files = sorted(path for path in generation.rglob("*") if path.is_file())
        written.append({path.relative_to(generation): path.read_bytes() for path in files})
        cache = Cache(folder / "cache.sqlite")
        kept.append({name: cache.get_many(name, cache._keys(name)) for name in WORDS})
        cache.close()
        assert len(shared) == (0 if jobs == 1 else 2)
    assert min(shared) > 0
    assert written[0] == written[1]
    assert kept[0] == kept[1]
    assert all(kept[0].values())


def test_a_segment_with_most_of_the_files_is_made_by_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, shared = Shares._begin, []

    def noted(name: str, work: Any, parts: Any) -> Any:
        shared.append((name, any(isinstance(part, segments._Part) for part in parts)))
        return begin(name, work, parts)

    monkeypatch.setattr(Shares, "_begin", staticmethod(noted))
    Project(DESIGNS / "soc", tmp_path).index(embeddings=False, graphrag="never", jobs=2)
    assert ("words", False) in shared
    assert not any(whole for _, whole in shared)
