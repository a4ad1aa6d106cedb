"""Without the extra, the command says what to install."""

from __future__ import annotations

from pathlib import Path

import pytest
from _jargon import write_pairs

from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run
from hdlgraph.train.full import fine_tune


def test_what_is_missing_is_named(
    soc_project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.setattr(fine_tune, "find_spec", lambda name: None)
    pairs = write_pairs(tmp_path / "pairs.jsonl")
    assert run(["train", "embedder", str(pairs), "--full", "--index", str(soc_project.root)]) == 2
    assert 'install them with `pip install "hdlgraph[train]"`' in capsys.readouterr().err
