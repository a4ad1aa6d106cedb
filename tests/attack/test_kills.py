"""The campaign of kills in short; `make attack` runs it at length, and with embeddings."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import kills

pytestmark = pytest.mark.kill


def test_a_killed_run_leaves_nothing_alive_and_nothing_wrong(tmp_path: Path) -> None:
    outcomes = kills.run(3, tmp_path, seed=3, copies=1, modes=["no embeddings"])
    assert [(one.attack, one.tried) for one in outcomes] == [
        (f"kill {kind}, no embeddings", 1) for kind in ("group", "main", "worker")
    ]
    assert [failure for one in outcomes for failure in one.failures] == []
