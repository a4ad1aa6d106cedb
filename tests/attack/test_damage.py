"""Damaged indexes: told by checksum, refused with the remedy, healed by the next `index`."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from pathlib import Path

import pytest
from campaigns import damage

from hdlgraph.errors import IndexDamagedError, IndexMissingError
from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run
from hdlgraph.store.cache import Cache

pytestmark = pytest.mark.warm

QUESTION = "which timer counts down?"


@pytest.fixture
def repo(indexed_soc: Path) -> Path:
    """A copy of the little system and its index."""
    return indexed_soc


def heal(repo: Path) -> list[str]:
    Project(repo).index(embeddings=False, graphrag="never", jobs=1)
    return [hit.path for hit in Project(repo).search(QUESTION).hits]


@pytest.mark.parametrize("file", ["lexical/post_doc.npy", "lexical/paths.json", "facts.msgpack"])
def test_a_flipped_byte_is_told_and_healed(repo: Path, file: str) -> None:
    good = [hit.path for hit in Project(repo).search(QUESTION).hits]
    place = repo / ".hdlgraph" / "gen-1" / file
    data = bytearray(place.read_bytes())
    data[-2] ^= 0x40
    place.write_bytes(data)
    if file.startswith("lexical"):
        with pytest.raises(IndexDamagedError, match=rf"gen-1/{file}.*hdlgraph index"):
            Project(repo).search(QUESTION)
    report = Project(repo).index(embeddings=False, graphrag="never", jobs=1)
    assert any(file in note for note in report.notes)
    assert [hit.path for hit in Project(repo).search(QUESTION).hits] == good


def test_an_empty_array_is_damage_and_no_interruption(
    repo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repo / ".hdlgraph" / "gen-1" / "lexical" / "occ_ptr.npy").write_bytes(b"")
    assert run(["search", "fifo", "--index", str(repo)]) == 2
    error = capsys.readouterr().err
    assert "occ_ptr.npy" in error
    assert "hdlgraph index" in error
    assert "interrupted" not in error
    assert heal(repo)


def test_a_manifest_with_another_digit_is_refused(repo: Path) -> None:
    file = repo / ".hdlgraph" / "manifest.json"
    text = file.read_text()
    file.write_text(text.replace('"size": 1', '"size": 2', 1) if '"size": 1' in text else text[:-9])
    with pytest.raises(IndexMissingError, match=r"manifest\.json is damaged.*hdlgraph index"):
        Project(repo).search(QUESTION)
    assert heal(repo)


def test_damage_in_a_table_is_told_by_every_command_that_reads_it(repo: Path) -> None:
    place = repo / ".hdlgraph" / "gen-1" / "nodes.parquet"
    data = bytearray(place.read_bytes())
    data[len(data) // 2] ^= 1
    place.write_bytes(data)
    for call in (lambda p: p.tree(), lambda p: p.who("uart"), lambda p: p.show("uart")):
        with pytest.raises(IndexDamagedError, match=r"nodes\.parquet"):
            call(Project(repo))


def test_doctor_tells_the_owner_and_every_damaged_file(repo: Path) -> None:
    def found() -> dict[str, str]:
        return next(c for c in Project(repo).doctor() if c["name"] == "integrity")

    assert found()["state"] == "ok"
    assert "owned by" in found()["detail"]
    place = repo / ".hdlgraph" / "gen-1" / "facts.msgpack"
    place.write_bytes(place.read_bytes()[:-1] + b"\0")
    assert found()["state"] == "fail"
    assert "facts.msgpack" in found()["detail"]


def test_a_value_of_the_cache_that_changed_is_computed_again(repo: Path) -> None:
    good = damage.contents(repo)
    cache = repo / ".hdlgraph" / "cache.sqlite"
    with sqlite3.connect(cache) as db:
        db.execute("UPDATE kv SET value = zeroblob(length(value))")
    db.close()
    shutil.rmtree(repo / ".hdlgraph" / "gen-1")
    heal(repo)
    assert damage.contents(repo) == good


def test_a_cache_with_a_stranger_s_schema_is_made_anew(tmp_path: Path) -> None:
    file = tmp_path / "cache.sqlite"
    with sqlite3.connect(file) as db:
        db.execute(
            "CREATE VIEW kv AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            "SELECT 'a' AS namespace, i AS key, i AS value FROM n"
        )
    db.close()
    cache = Cache(file)
    assert cache.get_many("a", ["k"]) == {}
    cache.put_many("a", {"k": b"v"})
    assert cache.get_many("a", ["k"]) == {"k": b"v"}
    cache.close()


def test_damage_in_the_middle_of_a_cache_costs_time_only(repo: Path) -> None:
    good = damage.contents(repo)
    cache = repo / ".hdlgraph" / "cache.sqlite"
    data = bytearray(cache.read_bytes())
    dice = random.Random(3)
    for at in range(4096, len(data), 2048):
        data[at : at + 40] = dice.randbytes(40)
    cache.write_bytes(data)
    os.utime(repo / "rtl" / "uart.sv")
    shutil.rmtree(repo / ".hdlgraph" / "gen-1")
    heal(repo)
    assert damage.contents(repo) == good


def test_a_few_damaged_indexes_of_the_campaign(tmp_path: Path) -> None:
    for outcome in damage.run(8, tmp_path, seed=5):
        assert outcome.failures == ()
        assert outcome.tried
