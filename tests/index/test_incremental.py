"""An incremental result equals a fresh one, byte for byte; and what counts as a change."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from hdlgraph.index.changes import compare
from hdlgraph.index.discover.source_file import SourceFile
from hdlgraph.index.explain import collect
from hdlgraph.index.kept import derived
from hdlgraph.index.parse import cache as parse_cache
from hdlgraph.index.parse import late
from hdlgraph.index.stages import reading
from hdlgraph.project import Project
from hdlgraph.results import IndexReport
from hdlgraph.store import cache
from hdlgraph.store.manifest import FileEntry


def index(root: Path, **options: object) -> IndexReport:
    return Project(root).index(graphrag="never", jobs=1, **options)


def generation(root: Path) -> dict[str, bytes]:
    folder = next((root / ".hdlgraph").glob("gen-*"))
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def assert_equals_fresh(root: Path, tmp_path: Path, embeddings: bool) -> None:
    other = tmp_path / "fresh"
    shutil.copytree(root, other, ignore=shutil.ignore_patterns(".hdlgraph"))
    index(other, embeddings=embeddings)
    updated, fresh = generation(root), generation(other)
    assert updated.keys() == fresh.keys()
    assert [name for name in fresh if updated[name] != fresh[name]] == []
    assert len(fresh) > 10


def parsed(report: IndexReport, seen: list[tuple[str, int, int]]) -> int:
    first = [done for stage, done, _ in seen if stage == "parse"]
    return report.files - first[1]


def edit_comment(soc: Path) -> None:
    path = soc / "rtl/sync_fifo.sv"
    path.write_text(path.read_text().replace("first-in first-out queue", "small elastic buffer"))


def edit_instance_comment(soc: Path) -> None:
    """Changes what the explanation of another file, sync_fifo.sv, says."""
    path = soc / "rtl/uart.sv"
    path.write_text(path.read_text().replace("Bytes wait here", "Characters queue up here"))


def rename_module(soc: Path) -> None:
    for name in ("rtl/timer.v", "rtl/soc_top.sv"):
        path = soc / name
        path.write_text(path.read_text().replace("timer ", "tick_source "))


def rename_file(soc: Path) -> None:
    (soc / "rtl/timer.v").rename(soc / "rtl/a_timer.v")


def remove_file(soc: Path) -> None:
    (soc / "rtl/uart_rx.sv").unlink()


def add_file(soc: Path) -> None:
    text = "// The memory that was missing.\nmodule vendor_sram_1k (input CLK);\nendmodule\n"
    (soc / "rtl/vendor_sram_1k.v").write_text(text)


def edit_header(soc: Path) -> None:
    path = soc / "include/soc_defs.svh"
    path.write_text(path.read_text().replace("32", "64"))


def add_nearer_header(soc: Path) -> None:
    shutil.copy(soc / "include/soc_defs.svh", soc / "rtl/soc_defs.svh")


@pytest.mark.parametrize(
    ("embeddings", "changes"),
    [
        # Interpreters of their own: each has another order of sets.
        pytest.param(False, [edit_comment, add_file], marks=pytest.mark.cold),
        (False, [edit_instance_comment, edit_header]),
        (False, [add_nearer_header, rename_module]),
        (True, [rename_file, remove_file]),
    ],
)
def test_incremental_equals_fresh(
    soc_words: Path,
    soc_project: Project,
    tmp_path: Path,
    embeddings: bool,
    changes: list[Callable[[Path], None]],
) -> None:
    soc = tmp_path / "soc"
    shutil.copytree(soc_project.root if embeddings else soc_words, soc)
    for change in changes:
        change(soc)
    assert index(soc, embeddings=embeddings).unchanged > 0
    assert_equals_fresh(soc, tmp_path, embeddings)


def test_incremental_equals_fresh_where_values_are_packed(
    soc_words: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "LEAST", 0)
    monkeypatch.setattr(cache, "SCATTERED", 0.5)
    soc = tmp_path / "soc"
    shutil.copytree(soc_words, soc)
    for change in (add_file, rename_module, edit_instance_comment, remove_file):
        change(soc)
        index(soc, embeddings=False)
        assert_equals_fresh(soc, tmp_path, False)
        shutil.rmtree(tmp_path / "fresh")
    names = {path.name for path in (soc / ".hdlgraph").glob("*.packed")}
    assert names == {f"cache-{name}.packed" for name in cache.PACKED}


def test_an_index_whose_facts_are_read_again_equals_one_that_holds_them(
    soc_words: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in (
        *((reading, "LARGE"), (parse_cache, "LARGE"), (collect, "HELD"), (derived, "OPEN")),
        *((late._filled, "most"), (late._filled, "least")),
    ):
        monkeypatch.setattr(module, name, 1)
    monkeypatch.setattr(cache, "LEAST", 0)
    decoded, sizes = late._Decoded(2000), []
    monkeypatch.setattr(late, "_decoded", decoded)
    add = decoded.add
    monkeypatch.setattr(decoded, "add", lambda *given: (add(*given), sizes.append(decoded.size)))
    again = tmp_path / "again"
    shutil.copytree(soc_words, again, ignore=shutil.ignore_patterns(".hdlgraph"))
    index(again, embeddings=False)
    assert 0 < max(sizes) <= 2000
    assert decoded.size == 0
    monkeypatch.undo()
    assert_equals_fresh(again, tmp_path, False)


def edit_package(soc: Path) -> None:
    path = soc / "rtl/soc_pkg.sv"
    path.write_text(path.read_text().replace("BUS_WRITE\n", "BUS_WRITE,\n    BUS_LOCK\n"))


def add_second_package(soc: Path) -> None:
    (soc / "dv/soc_pkg.sv").write_text("package soc_pkg;\n  parameter int Other = 1;\nendpackage\n")


def add_second_unit(soc: Path) -> None:
    text = "module sync_fifo (input clk_i, input extra_i);\n  timer u_timer (.*);\nendmodule\n"
    (soc / "dv/sync_fifo.sv").write_text(text)


def drop_include(soc: Path) -> None:
    path = soc / "rtl/bus_arbiter.sv"
    path.write_text(path.read_text().replace('`include "soc_defs.svh"\n', ""))


def rename_macro(soc: Path) -> None:
    for name in ("include/soc_defs.svh", "rtl/uart_tx.sv"):
        path = soc / name
        path.write_text(path.read_text().replace("SOC_ASSERT", "SOC_CHECK"))


def move_lines(soc: Path) -> None:
    for path in sorted((soc / "rtl").glob("*.sv"))[::3]:
        path.write_text("// A line more.\n" + path.read_text())


def list_files(soc: Path) -> None:
    text = "CAPI=2:\nname: a:b:c\nfilesets:\n  rtl:\n    files:\n      - rtl/soc_pkg.sv\n"
    (soc / "soc.core").write_text(text + "      - rtl/uart.sv\n")


EDITS = (
    *(edit_comment, edit_instance_comment, rename_module, rename_file, remove_file, add_file),
    *(edit_header, add_nearer_header, edit_package, add_second_package, add_second_unit),
    *(drop_include, rename_macro, move_lines, list_files),
)


@pytest.mark.parametrize("seed", range(3))
def test_random_edits_one_run_after_another_equal_a_fresh_index(
    soc_words: Path, tmp_path: Path, seed: int
) -> None:
    soc, random = tmp_path / "soc", Random(seed)
    shutil.copytree(soc_words, soc)
    edits = random.sample(EDITS, 6)
    for first in (0, 2, 4):
        for edit in edits[first : first + 2]:
            with suppress(FileNotFoundError):  # another edit moved the file
                edit(soc)
        index(soc, embeddings=False)
    assert_equals_fresh(soc, tmp_path, embeddings=False)


def test_a_neighbours_comment_changes_the_explanation_beside_it(indexed_soc: Path) -> None:
    edit_instance_comment(indexed_soc)
    report = index(indexed_soc, embeddings=False)
    assert report.changed == ("rtl/uart.sv",)
    fifo = Project(indexed_soc).explanations()["rtl/sync_fifo.sv"]
    assert "Characters queue up here" in fifo.to_text()


def test_nothing_changed_writes_no_generation(indexed_soc: Path) -> None:
    before = Project(indexed_soc).manifest()
    report = index(indexed_soc, embeddings=False)
    assert (report.unchanged, report.added, report.changed) == (14, (), ())
    assert Project(indexed_soc).manifest().generation == before.generation


def test_touched_files_are_unchanged(indexed_soc: Path) -> None:
    generation_before = Project(indexed_soc).manifest().generation
    for path in indexed_soc.rglob("*.sv"):
        os.utime(path, ns=(1, 1))
    assert index(indexed_soc, embeddings=False).unchanged == 14
    assert Project(indexed_soc).manifest().generation == generation_before


def test_an_edit_that_keeps_size_and_time_is_seen_right_after_a_run(soc: Path) -> None:
    path = soc / "rtl/timer.v"
    path.touch()
    index(soc, embeddings=False)
    times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    path.write_text(path.read_text().replace("free-running", "slow-running"))
    os.utime(path, ns=times)
    assert index(soc, embeddings=False).changed == ("rtl/timer.v",)


def test_added_changed_removed_renamed_are_told_apart(indexed_soc: Path) -> None:
    rename_file(indexed_soc)
    remove_file(indexed_soc)
    add_file(indexed_soc)
    edit_comment(indexed_soc)
    report = index(indexed_soc, embeddings=False)
    assert report.renamed == (("rtl/timer.v", "rtl/a_timer.v"),)
    assert report.removed == ("rtl/uart_rx.sv",)
    assert report.added == ("rtl/vendor_sram_1k.v",)
    assert report.changed == ("rtl/sync_fifo.sv",)
    assert report.unchanged == 11


def test_a_changed_header_parses_its_includers_again_and_no_others(indexed_soc: Path) -> None:
    edit_header(indexed_soc)
    seen: list[tuple[str, int, int]] = []
    report = index(indexed_soc, embeddings=False, progress=lambda *step: seen.append(step))
    # The header itself and the three files that include it.
    assert parsed(report, seen) == 4
    assert report.changed == ("include/soc_defs.svh",)


def test_a_define_of_the_filelist_counts(soc: Path) -> None:
    index(soc, embeddings=False, filelist=soc / "soc.f")
    before = Project(soc).manifest()
    assert before.defines
    path = soc / "soc.f"
    path.write_text(path.read_text().replace("SYNTHESIS", "SIMULATION"))
    report = index(soc, embeddings=False, filelist=path)
    assert report.changed == ()
    assert Project(soc).manifest().generation == before.generation + 1


def test_other_settings_make_a_new_generation(indexed_soc: Path) -> None:
    assert Project(indexed_soc).manifest().embedder == ""
    index(indexed_soc, embeddings=True)  # without vectors is remembered
    assert Project(indexed_soc).manifest().embedder != ""


def test_fresh_ignores_the_caches(indexed_soc: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    report = index(
        indexed_soc, embeddings=False, fresh=True, progress=lambda *step: seen.append(step)
    )
    assert len(report.added) == report.files
    assert parsed(report, seen) == report.files


@pytest.mark.parametrize(
    ("former", "present", "renamed", "added", "removed"),
    [
        ({"a": "1"}, {"b": "1"}, (("a", "b"),), (), ()),
        ({"a": "1", "b": "1"}, {"c": "1"}, (("a", "c"),), (), ("b",)),
        ({"a": "1"}, {"c": "1", "b": "1"}, (("a", "b"),), ("c",), ()),
        ({"a": "1"}, {"b": "2"}, (), ("b",), ("a",)),
    ],
)
def test_compare(former, present, renamed, added, removed) -> None:
    entries = {path: FileEntry(sha, 1, 1, "rtl") for path, sha in former.items()}
    sources = [SourceFile(path, 1, 1, sha, "rtl") for path, sha in present.items()]
    found = compare(entries, sources)
    assert (found.renamed, found.added, found.removed) == (renamed, added, removed)


def key_changes(
    monkeypatch: pytest.MonkeyPatch, digest: Callable[[], str], changed: list[Path]
) -> list[Path]:
    """Returns those of the changed files, one byte longer each, that leave a digest as it was."""
    read, before = Path.read_bytes, digest()
    unseen = []
    for one in changed:
        with monkeypatch.context() as patch:
            patch.setattr(
                Path, "read_bytes", lambda path, one=one: read(path) + b" " * (path == one)
            )
            if digest() == before:
                unseen.append(one)
    assert digest() == before
    return unseen


def test_a_changed_byte_in_any_reader_changes_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    import hdlgraph
    import hdlgraph.parsers
    from hdlgraph.index.request import readers_digest

    package = Path(hdlgraph.__file__).parent
    readers = [*Path(hdlgraph.parsers.__path__[0]).rglob("*.py")]
    own = [
        path
        for folder in ("model", "index/parse", "index/discover")
        for path in (package / folder).rglob("*.py")
    ]
    names = {path.name for path in own}
    assert {"file.py", "unit.py", "kinds.py", "worker.py", "one_file.py", "roles.py"} <= names
    assert len(readers) > 20
    alone = [package / "safety" / "safe_files.py"]
    assert key_changes(monkeypatch, readers_digest, [*readers, *own, *alone]) == []
    elsewhere = package / "serve" / "cli" / "main.py"
    assert key_changes(monkeypatch, readers_digest, [elsewhere]) == [elsewhere]


def test_a_changed_byte_in_what_makes_terms_changes_their_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from hdlgraph import words
    from hdlgraph.index.discover import texts
    from hdlgraph.index.lexical import tokens
    from hdlgraph.index.request import terms_digest
    from hdlgraph.parsers.text import source

    changed = [Path(module.__file__) for module in (words, tokens, texts, source)]
    assert key_changes(monkeypatch, terms_digest, changed) == []


def test_another_version_of_a_library_changes_the_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import metadata

    from hdlgraph.index.request import readers_digest, terms_digest

    version = metadata.version
    for library, digest in (("pyslang", readers_digest), ("PyStemmer", terms_digest)):
        before = digest()
        with monkeypatch.context() as patch:
            patch.setattr(
                metadata, "version", lambda name, one=library: version(name) + "+" * (name == one)
            )
            assert digest() != before


def test_a_kind_that_another_package_adds_makes_a_new_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hdlgraph.index.request import Request
    from hdlgraph.model import kinds
    from hdlgraph.settings.records import Settings

    monkeypatch.setattr(kinds, "_RELATIONS", dict(kinds._RELATIONS))
    before = Request(tmp_path, tmp_path / ".hdlgraph", Settings()).inputs
    kinds.add_relation(kinds.Relation("DRIVES", "drives", "driven by"))
    assert Request(tmp_path, tmp_path / ".hdlgraph", Settings()).inputs != before


def test_a_folder_below_the_readers_counts(tmp_path: Path) -> None:
    from hdlgraph.index.request import _python

    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "reader.py").touch()
    assert [path.name for path in _python(tmp_path)] == ["reader.py"]
