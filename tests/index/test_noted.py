"""What a run notes for the next one: back and forth, and written by somebody else."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hdlgraph.index.lexical import write
from hdlgraph.project import Project
from hdlgraph.results import IndexReport
from hdlgraph.store import cache

NOTES = (
    *("neighbourhoods", "explained", "counts-of-words", "comments", "sentences", "stamps"),
    *("incoming", "likenesses", "near-copies", "ends-of-segments-4", "structures", "described"),
)
LINKED = ("verified-", "standing-", "asked-", "file-", "descriptions", "filesets-", "short-forms-")
"""What the names of the notes of linking begin with."""


def index(root: Path) -> IndexReport:
    return Project(root).index(graphrag="never", embeddings=False, jobs=1)


def generation(root: Path) -> dict[str, bytes]:
    folder = next((root / ".hdlgraph").glob("gen-*"))
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def fresh(root: Path, tmp_path: Path) -> dict[str, bytes]:
    other = tmp_path / "fresh"
    shutil.copytree(root, other, ignore=shutil.ignore_patterns(".hdlgraph"))
    index(other)
    found = generation(other)
    shutil.rmtree(other)
    return found


def tamper(root: Path, change: Callable[[str, Any], Any]) -> set[str]:
    """Writes other notes; returns the names of those that were there."""
    found = set()
    with sqlite3.connect(root / ".hdlgraph" / "cache.sqlite") as db:
        query = "SELECT namespace, key, value FROM kv WHERE namespace LIKE '% contents'"
        for namespace, key, value in db.execute(query).fetchall():
            name = key.rpartition(":")[2]
            if name in NOTES or name.startswith(LINKED):
                found.add(name)
                new = msgspec.msgpack.encode(change(name, msgspec.msgpack.decode(value)))
                db.execute(
                    "UPDATE kv SET value = ?, crc = NULL WHERE namespace = ? AND key = ?",
                    (new, namespace, key),
                )
    return found


@pytest.fixture
def soc(indexed_soc: Path) -> Path:
    return indexed_soc


def test_an_edit_and_its_reverse_give_what_a_fresh_index_gives(soc: Path, tmp_path: Path) -> None:
    before = fresh(soc, tmp_path)
    second, moved = soc / "dv/soc_pkg.sv", soc / "rtl/soc_top.sv"
    text = moved.read_text()
    for _ in range(2):
        second.write_text("package soc_pkg;\n  parameter int Other = 1;\nendpackage\n")
        index(soc)
        moved.write_text("// One line more, so that all its instances move.\n" + text)
        index(soc)
        assert generation(soc) == fresh(soc, tmp_path)
        second.unlink()
        index(soc)
        assert generation(soc) == fresh(soc, tmp_path)
        moved.write_text(text)
        index(soc)
        assert generation(soc) == before


def test_a_killed_run_leaves_no_note_of_parts_that_are_not_there(soc: Path, tmp_path: Path) -> None:
    """The parts of a run may be kept and its notes not; then the former files come back."""
    second = soc / "dv/soc_pkg.sv"
    kept: dict[str, Any] = {}
    tamper(soc, lambda name, value: kept.setdefault(name, value))
    assert {name.partition("-")[0] for name in kept} >= {"verified", "standing", "asked"}
    second.write_text("package soc_pkg;\n  parameter int Other = 1;\nendpackage\n")
    index(soc)
    second.unlink()
    tamper(soc, lambda name, value: kept.get(name, value) if name.startswith(LINKED) else value)
    index(soc)
    assert generation(soc) == fresh(soc, tmp_path)


def emptied(_: str, value: Any) -> Any:
    return [value[0], type(value[1])()] if isinstance(value, list) else {}


def mixed_up(_: str, value: Any) -> Any:
    if isinstance(value, list) and isinstance(value[1], dict):
        return [value[0], dict.fromkeys(value[1], b"\xc1" * 40)]
    return value


def of_another_type(_: str, value: Any) -> Any:
    return ["not", "what", 1, "was", "noted"]


@pytest.mark.parametrize("change", [emptied, mixed_up, of_another_type])
def test_notes_of_somebody_else_change_nothing_that_is_written(
    soc: Path, tmp_path: Path, change: Callable[[str, Any], Any]
) -> None:
    found = tamper(soc, change)
    assert set(NOTES[:6]) <= found
    path = soc / "rtl/sync_fifo.sv"
    path.write_text(path.read_text() + "// The end.\n")
    index(soc)
    assert generation(soc) == fresh(soc, tmp_path)


def no_explanations(root: Path) -> None:
    """Removes what the cache keeps of explanations; what is noted of their keys stays."""
    (root / ".hdlgraph" / "cache-explanations.packed").unlink(missing_ok=True)
    with sqlite3.connect(root / ".hdlgraph" / "cache.sqlite") as db:
        gone = db.execute("DELETE FROM kv WHERE namespace = 'explanations'").rowcount
    assert gone > 5


def no_slices(root: Path) -> None:
    """Removes what is noted of slices: all are made again, those of unchanged files as well."""
    with sqlite3.connect(root / ".hdlgraph" / "cache.sqlite") as db:
        assert db.execute("DELETE FROM kv WHERE namespace = 'slices'").rowcount == 1


def neither(root: Path) -> None:
    no_explanations(root)
    no_slices(root)


@pytest.mark.parametrize("remove", [no_explanations, no_slices, neither])
def test_what_is_gone_from_the_cache_is_made_again(
    soc: Path, tmp_path: Path, remove: Callable[[Path], None]
) -> None:
    remove(soc)
    path = soc / "rtl/sync_fifo.sv"
    path.write_text(path.read_text() + "// The end.\n")
    index(soc)
    assert generation(soc) == fresh(soc, tmp_path)


def test_an_edited_document_tells_of_a_file_in_the_next_run(soc: Path, tmp_path: Path) -> None:
    document, path = soc / "rtl/rain_gauge.md", soc / "rtl/uart.sv"
    (soc / "rtl/rain_gauge.sv").write_text("module rain_gauge (input logic clk);\nendmodule\n")
    for text in ("It keeps what waits for a slower reader.", "It holds words for a while."):
        document.write_text(f"# rain_gauge\n\n{text}\n")
        path.write_text(path.read_text() + "// The end.\n")
        index(soc)
        found = generation(soc)
        assert text.encode() in found["surfaces/surfaces.msgpack"]
        assert found == fresh(soc, tmp_path)


def test_an_edit_of_one_file_after_another_cuts_no_third_into_words(
    soc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a run does not use is dropped, but what was mined of each file is still there."""
    monkeypatch.setattr(cache, "SPARE", 0)
    read: list[str] = []
    whole = write.tokenise

    def tokenise(path: str, text: str) -> object:
        read.append(path)
        return whole(path, text)

    monkeypatch.setattr(write, "tokenise", tokenise)
    for name in ("rtl/sync_fifo.sv", "rtl/uart.sv", "rtl/timer.v"):
        path = soc / name
        path.write_text(path.read_text() + "// The end.\n")
        read.clear()
        index(soc)
        assert read == [name]
    assert generation(soc) == fresh(soc, tmp_path)
