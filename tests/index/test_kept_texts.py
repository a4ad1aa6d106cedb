"""Texts that a project keeps: never another one than the file has, and none from outside."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from hdlgraph.index.discover import texts
from hdlgraph.index.discover.texts import KeptTexts, TextReader

OLD_NS = 1_000_000_000_000_000_000


def write(path: Path, text: str, at_ns: int = OLD_NS) -> None:
    path.write_text(text)
    os.utime(path, ns=(at_ns, at_ns))


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes every file for one that nobody writes any more."""
    monkeypatch.setattr(texts, "SETTLED_NS", -(10**18))


@pytest.mark.usefixtures("settled")
def test_a_kept_text_is_read_once_and_anew_after_a_change(tmp_path: Path, monkeypatch):
    write(tmp_path / "a.sv", "module a;")
    read = KeptTexts(tmp_path)
    reads = []
    plain = texts.read_head
    monkeypatch.setattr(texts, "read_head", lambda *given: reads.append(given) or plain(*given))
    assert [read("a.sv"), read("a.sv")] == ["module a;"] * 2
    assert len(reads) == 1
    write(tmp_path / "a.sv", "module b;")  # as long, and as old: its inode says so
    assert read("a.sv") == "module b;"
    (tmp_path / "a.sv").unlink()
    assert read("a.sv") == ""


@pytest.mark.usefixtures("settled")
def test_a_text_is_kept_for_one_content_alone(tmp_path: Path):
    write(tmp_path / "a.sv", "module a;")
    read = KeptTexts(tmp_path)
    digest = hashlib.sha256(b"module a;").hexdigest()
    assert read("a.sv", "0" * 64) == ""
    assert read("a.sv", digest) == "module a;"
    assert read("a.sv", "0" * 64) == ""


@pytest.mark.usefixtures("settled")
def test_a_link_out_of_the_root_is_refused_before_and_after(tmp_path: Path):
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root / "rtl", outside):
        folder.mkdir(parents=True)
    write(root / "rtl" / "a.sv", "module a;")
    write(outside / "a.sv", "secret")
    read = KeptTexts(root)
    assert read("rtl/a.sv") == "module a;"
    (root / "rtl" / "a.sv").unlink()
    (root / "rtl").rmdir()
    (root / "rtl").symlink_to(outside)
    assert read("rtl/a.sv") == ""
    assert read("../outside/a.sv") == read(str(outside / "a.sv")) == ""


def test_a_file_that_was_just_written_is_not_kept(tmp_path: Path):
    read = KeptTexts(tmp_path)
    (tmp_path / "a.sv").write_text("module a;")
    assert read("a.sv") == "module a;"
    assert not read._known


@pytest.mark.usefixtures("settled")
def test_no_more_is_kept_than_is_allowed(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(texts, "KEPT_CHARACTERS", 25)
    for name in "abc":
        write(tmp_path / f"{name}.sv", name * 10)
    read, plain = KeptTexts(tmp_path), TextReader(tmp_path)
    for name in "abcabc":
        assert read(f"{name}.sv") == plain(f"{name}.sv")
    assert [path for path, _ in read._known] == ["b.sv", "c.sv"]
    assert read._characters == 20
