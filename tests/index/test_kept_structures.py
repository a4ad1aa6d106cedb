"""Structures of the last run are kept as long as nothing that they are told by has changed."""

from pathlib import Path

import numpy as np
import pytest

from hdlgraph import Project
from hdlgraph.index.embed import structures as made
from hdlgraph.store.structures import StoredStructures

NAMED = "module round_robin_arbiter(input clk, input [3:0] req, output [3:0] grant);\nendmodule\n"
TELLING = "// Round robin arbiter: grants each requester in turn, so that none of them starves.\n"


def claims(root: Path) -> dict[str, list[bool]]:
    stored = StoredStructures.find(next(iter((root / ".hdlgraph").glob("gen-*"))))
    assert stored is not None
    return {name: stored.links.of(at)[2].tolist() for at, (name, _) in enumerate(stored.texts)}


def test_a_comment_that_says_what_a_file_is_counts_in_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "round_robin_arbiter.v").write_text(NAMED)
    (tmp_path / "other.v").write_text("module other(input clk);\nendmodule\n")
    project = Project(tmp_path)
    project.index(embeddings=False, graphrag="never", jobs=1)
    before = claims(tmp_path)
    asked: list[int] = []
    strengths = made.strengths

    def counted(*given: object) -> np.ndarray:
        asked.append(1)
        return strengths(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(made, "strengths", counted)
    (tmp_path / "other.v").write_text("// Nothing of note.\nmodule other(input clk);\nendmodule\n")
    project.index(embeddings=False, graphrag="never", jobs=1)
    assert (claims(tmp_path), asked) == (before, [])
    (tmp_path / "round_robin_arbiter.v").write_text(f"{TELLING}{NAMED}")
    project.index(embeddings=False, graphrag="never", jobs=1)
    after = claims(tmp_path)
    assert after.keys() == before.keys()
    assert after != before
    project.index(embeddings=False, graphrag="never", jobs=1, fresh=True)
    assert claims(tmp_path) == after
