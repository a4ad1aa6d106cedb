"""The campaign of kills in short; `make attack` runs it at length."""

from __future__ import annotations

from pathlib import Path

from campaigns import kills


def test_a_killed_run_leaves_nothing_alive_and_nothing_wrong(tmp_path: Path) -> None:
    outcomes = kills.run(6, tmp_path, seed=3, copies=1)
    assert [one.attack for one in outcomes] == [
        f"kill {kind}, {mode}"
        for kind in ("group", "main", "worker")
        for mode in ("embeddings", "no embeddings")
    ]
    assert [failure for one in outcomes for failure in one.failures] == []
    assert [one.tried for one in outcomes] == [1] * 6
