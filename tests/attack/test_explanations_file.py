"""A file of explanations from a stranger."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.serve.cli.main import run
from hdlgraph.store.explanations import read_jsonl


@pytest.mark.parametrize("path", ["/etc/passwd", "../../home/notes.sv", "rtl/../../x.sv"])
def test_a_path_that_leads_out_is_refused(tmp_path: Path, path: str) -> None:
    file = tmp_path / "shared.jsonl"
    file.write_text(json.dumps({"path": path, "sha256": "0" * 64, "purpose": "Counts."}) + "\n")
    with pytest.raises(UsageError, match=r"shared\.jsonl:1: .*relative to the repository root"):
        read_jsonl(file)


def test_a_pipe_is_refused_at_once(tmp_path: Path, indexed_soc: Path) -> None:

    os.mkfifo(tmp_path / "shared.jsonl")
    target = str(tmp_path / "shared.jsonl")
    assert run(["explanations", "import", target, "--index", str(indexed_soc)]) == 2
