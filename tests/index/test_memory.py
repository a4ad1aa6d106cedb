"""What runs of one process keep of unchanged files: `hdlgraph.index.kept.memory`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hdlgraph.index.kept import memory
from hdlgraph.index.kept.memory import decoded, next_run, once, recall, remember, remembering
from hdlgraph.index.lexical import mine_short_forms, write
from hdlgraph.knowledge.dictionary import read_defined
from hdlgraph.project import Project
from hdlgraph.store.cache import Cache

DESIGNS = Path(__file__).parents[1] / "designs"


class Thing:
    pass


def test_nothing_is_kept_by_a_single_run() -> None:
    calls: list[object] = []
    count = once(lambda one: calls.append(one) or len(calls))
    thing = Thing()
    assert (count(thing), count(thing)) == (1, 2)
    assert remember("a", 1, "x") == "x"
    assert recall("a", 1) is None


def test_a_value_is_made_once_for_each_object_while_remembering() -> None:
    calls: list[object] = []
    count = once(lambda one: calls.append(one) or len(calls))
    one, other = Thing(), Thing()
    with remembering():
        assert [count(one), count(other), count(one)] == [1, 2, 1]
        next_run()
        assert count(one) == 1
        next_run()
        assert count(one) == 1
        assert count(other) == 3  # the run before did not ask for it
    assert count(one) == 4


def test_further_arguments_count_and_keywords_do_not() -> None:
    calls: list[object] = []
    count = once(lambda one, *more, by=0: calls.append((one, more, by)) or len(calls))
    one = Thing()
    with remembering():
        assert [count(one, "a"), count(one, "b"), count(one, "a", by=1)] == [1, 2, 1]


def test_linking_derives_nothing_of_unchanged_files_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "soc"
    (root / "rtl").mkdir(parents=True)
    (root / "rtl" / "pmp.sv").write_text(
        "// Checks each access (Physical Memory Protection, PMP).\n"
        "// The Physical Memory Protection (PMP) is off after reset.\nmodule pmp; endmodule\n"
    )
    (root / "rtl" / "other.sv").write_text("module other; endmodule\n")
    (root / "README.md").write_text("The Direct Memory Access (DMA) moves data.\n")
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    kept = mine_short_forms.definitions

    def only_new(text: str) -> Iterator[tuple[str, str]]:
        """Ends the run, also in a process that is forked for linking, where an old text comes."""
        assert "PMP" not in text
        assert "DMA" not in text
        return kept(text)

    monkeypatch.setattr(mine_short_forms, "definitions", only_new)
    (root / "rtl" / "other.sv").write_text("// The Wide Data Bus (WDB).\nmodule other; endmodule\n")
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    (generation,) = (root / ".hdlgraph").glob("gen-*")
    assert {short for short, _ in read_defined(generation)} == {"PMP", "DMA", "WDB"}


def test_what_two_runs_do_not_ask_for_is_forgotten() -> None:
    with remembering():
        remember("a", 1, "x")
        next_run()
        assert recall("a", 1) == "x"
        next_run()
        next_run()
        assert recall("a", 1) is None


def test_remembered_entries_of_the_cache_are_neither_read_nor_pruned(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    with remembering():
        cache = Cache(path)
        cache.put_many("n", {"k": b"1"})
        assert decoded(cache, "n", ["k", "none"], int) == {"k": 1}
        cache.close()
        cache = Cache(path)
        assert decoded(cache, "n", ["k"], lambda blob: pytest.fail("read again")) == {"k": 1}
        assert [*cache.used] == ["n"]
        assert ("k" in cache.used["n"], len(cache.used["n"])) == (True, 1)
        cache.close()
    assert decoded(None, "n", ["k"], int) == {}


def test_runs_that_remember_write_what_a_single_run_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "soc"
    shutil.copytree(DESIGNS / "soc", root)
    file = sorted(root.rglob("*.sv"))[0]
    made: list[str] = []
    tokenise = write.tokenise
    monkeypatch.setattr(write, "tokenise", lambda p, t: made.append(p) or tokenise(p, t))
    with remembering():
        for number in range(3):
            with file.open("a") as stream:
                stream.write(f"// gizmo{number} turns the wheel\n")
            Project(root).index(embeddings=False, graphrag="never", jobs=1)
        assert made[-2:] == [str(file.relative_to(root))] * 2
        assert memory._memory is not None
        kept = {key for what, key in memory._memory.now if what == "facts"}
        assert len(kept) == len(Project(root).manifest().files) - 1  # the changed one is new
    once_more = tmp_path / "once"
    Project(root, once_more).index(embeddings=False, graphrag="never", jobs=1)
    assert content(root / ".hdlgraph") == content(once_more)


def content(folder: Path) -> dict[str, bytes]:
    [generation] = folder.glob("gen-*")
    return {
        str(path.relative_to(generation)): path.read_bytes()
        for path in sorted(generation.rglob("*"))
        if path.is_file()
    }
