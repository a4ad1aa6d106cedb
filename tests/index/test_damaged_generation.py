"""A run beside a generation that is damaged makes all anew, whether a file was edited or not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.results import IndexReport


def index(root: Path) -> IndexReport:
    return Project(root).index(embeddings=False, graphrag="never", jobs=1)


def generation(root: Path) -> dict[str, bytes]:
    folder = next((root / ".hdlgraph").glob("gen-*"))
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("edited", [True, False])
def test_all_is_made_anew(soc_words: Path, tmp_path: Path, edited: bool) -> None:
    soc, fresh = tmp_path / "soc", tmp_path / "fresh"
    shutil.copytree(soc_words, soc)
    facts = next((soc / ".hdlgraph").glob("gen-*/facts.msgpack"))
    facts.write_bytes(facts.read_bytes()[:-1] + b"?")
    if edited:
        (soc / "rtl/uart.sv").write_text("// more\n" + (soc / "rtl/uart.sv").read_text())
    report = index(soc)
    assert len(report.added) == report.files
    assert any("rebuilt: " in note and "facts.msgpack" in note for note in report.notes)
    shutil.copytree(soc, fresh, ignore=shutil.ignore_patterns(".hdlgraph"))
    index(fresh)
    assert generation(soc) == generation(fresh)
