"""What is put aside on the disk, or held as hashes, is what it was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hdlgraph.errors import IndexDamagedError
from hdlgraph.store.packed import key_set
from hdlgraph.store.packed.key_set import KeySet
from hdlgraph.store.packed.pieces import Pieces
from hdlgraph.store.packed.spilled import Spilled, aside_in
from hdlgraph.store.packed.values import Packed, write_packed


def test_a_value_is_what_was_put_aside_last() -> None:
    aside: Spilled[str] = Spilled()
    assert aside.get("a") is None
    for key, value in (("a", b"one"), ("b", b""), ("a", b"another one")):
        aside.put(key, value)
    assert (aside.get("a"), aside.get("b"), aside.get("c")) == (b"another one", b"", None)
    assert "b" in aside
    aside.drop("b")
    assert "b" not in aside


def test_a_copy_of_the_process_reads_and_leaves_the_file_alone() -> None:
    aside: Spilled[int] = Spilled()
    aside.put(1, b"one")
    child = os.fork()
    if not child:
        aside.put(2, b"xxx")
        os._exit(0 if (aside.get(1), aside.get(2)) == (b"one", None) else 1)
    assert os.waitpid(child, 0)[1] == 0
    aside.put(2, b"two")
    assert (aside.get(1), aside.get(2)) == (b"one", b"two")


def test_what_cannot_be_put_aside_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    aside: Spilled[int] = Spilled()
    aside.put(1, b"one")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    aside.put(1, b"two")
    assert aside.get(1) is None


@pytest.mark.parametrize("recent", [1, 3, 1000])
def test_a_set_of_keys_has_those_that_were_added(
    recent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_set, "_RECENT", recent)
    keys = KeySet()
    assert len(keys) == 0
    assert "1" not in keys
    keys.update(str(number % 70) for number in range(100))
    keys.add("more")
    assert len(keys) == 71
    assert all(str(number) in keys for number in range(70))
    assert "more" in keys
    assert "70" not in keys


def test_pieces_are_read_where_they_lie(tmp_path: Path) -> None:
    path = tmp_path / "pieces"
    path.write_bytes(b"headonetwothree")
    pieces = Pieces(path, 4)
    reads = [pieces.add(size) for size in (3, 3, 5)]
    assert [read() for read in reads] == [b"one", b"two", b"three"]
    path.write_bytes(b"headon")
    with pytest.raises(IndexDamagedError, match="shorter"):
        reads[2]()


def test_a_packed_value_is_copied_or_shown_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "some.packed"
    write_packed(path, [("a", b"one"), ("b", b""), ("c", b"three")])
    packed = Packed(path)
    assert [packed.read(key) for key in "abcd"] == [b"one", b"", b"three", None]
    assert [bytes(packed.get(key) or b"") for key in "abc"] == [b"one", b"", b"three"]
    with path.open("r+b") as stream:
        stream.write(b"x")
    assert packed.read("a") is None
    assert packed.read("c") == b"three"
    assert Packed().read("a") is None


def test_values_lie_on_the_disk_of_a_folder(tmp_path: Path) -> None:
    with aside_in(tmp_path):
        aside: Spilled[int] = Spilled()
        aside.put(1, b"one")
        gone: Spilled[int] = Spilled()
        with aside_in(tmp_path / "none"):
            gone.put(1, b"one")
    assert (aside.get(1), gone.get(1)) == (b"one", None)
    assert list(tmp_path.iterdir()) == []
