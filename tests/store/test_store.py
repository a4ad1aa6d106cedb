from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from hdlgraph.errors import (
    HdlgraphError,
    IndexLockedError,
    IndexMissingError,
    IndexVersionError,
    UsageError,
)
from hdlgraph.store.cache import SPARE, Cache
from hdlgraph.store.folder import Store
from hdlgraph.store.format_version import INDEX_VERSION
from hdlgraph.store.full_disk import full_disk_explained
from hdlgraph.store.lock import index_lock
from hdlgraph.store.manifest import Manifest, read_manifest, write_manifest


def manifest(generation: int = 1) -> Manifest:
    return Manifest(generation=generation, version="0", root="/repo", inputs="x")


def python(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def write_generation(store: Store, text: str) -> None:
    with store.write() as run:
        (run.begin() / "facts").write_text(text)
        run.commit(manifest(run.number))


def test_second_writer_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    holder = python(
        """
        import sys, time
        from pathlib import Path
        from hdlgraph.store.lock import index_lock
        with index_lock(Path(sys.argv[1])):
            print("held", flush=True)
            time.sleep(60)
        """,
        str(tmp_path),
    )
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(IndexLockedError, match=f"process {holder.pid} is writing it"):  # noqa: SIM117
            with index_lock(tmp_path):
                pass
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with index_lock(tmp_path):  # the lock died with its holder
        pass


def test_second_writer_in_the_same_process_is_refused(tmp_path: Path) -> None:
    with index_lock(tmp_path), pytest.raises(IndexLockedError, match=str(os.getpid())):  # noqa: SIM117
        with index_lock(tmp_path):
            pass
    with index_lock(tmp_path):
        pass


def test_a_run_that_fails_leaves_the_former_generation(tmp_path: Path) -> None:
    store = Store(tmp_path / "index")
    write_generation(store, "one")
    with pytest.raises(RuntimeError), store.write() as run:  # noqa: PT012
        (run.begin() / "facts").write_text("two")
        raise RuntimeError
    assert (store.hold().folder / "facts").read_text() == "one"
    assert [path.name for path in store.folder.glob("gen-*")] == ["gen-1"]


def test_a_commit_replaces_the_generation_and_removes_the_former(tmp_path: Path) -> None:
    store = Store(tmp_path / "index")
    write_generation(store, "one")
    write_generation(store, "two")
    assert (store.hold().folder / "facts").read_text() == "two"
    assert [path.name for path in store.folder.glob("gen-*")] == ["gen-2"]


def test_a_file_that_changes_after_its_checksum_was_taken_is_read_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "index")
    with store.write() as run:
        folder = run.begin()
        for name in ("first", "second"):
            (folder / name).write_bytes(b"as it was")
        run.finished(["first", "second"])
        for one in run._ahead:
            one.wait()
        (folder / "second").write_bytes(b"otherwise")
        told = run.commit(manifest(run.number))
    sums = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in told.checksums
    }
    assert sums == {name: digest for name, (_, digest) in told.checksums.items()}
    assert len(sums) == 2
    assert store.sound(store.manifest())[1] == ()


def test_leftovers_of_a_killed_run_are_swept_by_the_next(tmp_path: Path) -> None:
    store = Store(tmp_path / "index")
    write_generation(store, "one")
    writer = python(
        """
        import os, sys
        from pathlib import Path
        from hdlgraph.store.folder import Store
        with Store(Path(sys.argv[1])).write() as run:
            (run.begin() / "facts").write_text("half")
            print("written", flush=True)
            os.kill(os.getpid(), 9)
        """,
        str(store.folder),
    )
    writer.wait()
    assert (store.hold().folder / "facts").read_text() == "one"
    assert (store.folder / "gen-2").is_dir()
    write_generation(store, "two")
    assert (store.hold().folder / "facts").read_text() == "two"


def test_missing_damaged_and_foreign_manifests(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match="hdlgraph index REPO"):
        read_manifest(tmp_path)
    path = tmp_path / "manifest.json"
    path.write_text('{"schema": 1, "generation')
    with pytest.raises(IndexMissingError, match="damaged"):
        read_manifest(tmp_path)
    path.write_text(json.dumps({"schema": INDEX_VERSION + 1, "unheard": "of"}))
    with pytest.raises(IndexVersionError, match=f"version {INDEX_VERSION + 1}"):
        read_manifest(tmp_path)
    write_manifest(tmp_path, manifest())
    assert read_manifest(tmp_path) == manifest()


def test_a_generation_that_is_gone_is_told(tmp_path: Path) -> None:
    write_manifest(tmp_path, manifest(7))
    with pytest.raises(IndexMissingError, match="gen-7 is gone"):
        Store(tmp_path).hold()


def test_cache_returns_what_was_put(tmp_path: Path) -> None:
    values = {f"key {n}": bytes([n % 256]) * n for n in range(1200)}
    cache = Cache(tmp_path / "cache.sqlite")
    cache.put_many("facts", values)
    cache.close()
    cache = Cache(tmp_path / "cache.sqlite")
    assert cache.get_many("facts", [*values, "unknown"]) == values
    assert cache.get_many("tokens", values) == {}
    cache.close()


def test_cache_survives_a_kill_after_put(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    writer = python(
        """
        import os, sys
        from pathlib import Path
        from hdlgraph.store.cache import Cache
        Cache(Path(sys.argv[1])).put_many("facts", {"a": b"1"})
        os.kill(os.getpid(), 9)
        """,
        str(path),
    )
    writer.wait()
    assert Cache(path).get_many("facts", ["a"]) == {"a": b"1"}


def test_cache_keeps_some_unused_entries_and_drops_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    cache = Cache(path)
    cache.put_many("facts", {str(n): b"x" for n in range(SPARE)})
    cache.close()
    cache = Cache(path)
    cache.get_many("facts", ["1", "2"])
    assert cache.prune() == 0
    cache.put_many("facts", {f"new {n}": b"x" for n in range(10)})
    cache.used["facts"] = {"1", "2"}
    assert cache.prune() == SPARE + 8
    assert set(cache.get_many("facts", ["1", "2", "3"])) == {"1", "2"}


def test_a_damaged_cache_starts_anew(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    path.write_bytes(b"this is no database, " * 500)
    cache = Cache(path)
    cache.put_many("facts", {"a": b"1"})
    assert cache.get_many("facts", ["a"]) == {"a": b"1"}


def test_no_space_is_one_message_and_the_former_index_stays(indexed_soc: Path) -> None:
    """A real limit: the system refuses to let any file grow beyond 4 KiB."""
    from hdlgraph.project import Project

    project = Project(indexed_soc)
    before = project.manifest()
    with (indexed_soc / "rtl/timer.v").open("a") as file:
        file.write("// edited\n")
    run = python(
        """
        import resource, signal, sys
        from hdlgraph.project import Project
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        from hdlgraph.errors import HdlgraphError
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            Project(sys.argv[1]).index(graphrag="never", embeddings=False, jobs=1)
        except HdlgraphError as error:
            print(error)
        """,
        str(indexed_soc),
    )
    out, err = run.communicate(timeout=60)
    assert "no space left to write it" in out, err
    assert Project(indexed_soc).manifest() == before
    assert Project(indexed_soc).search("timer", k=1).hits
    report = project.index(graphrag="never", embeddings=False, jobs=1)
    assert report.changed == ("rtl/timer.v",)


def test_full_disk_message_hides_no_other_error() -> None:
    with pytest.raises(HdlgraphError, match="no space left"), full_disk_explained(Path("x")):
        raise OSError(28, "No space left on device")
    with pytest.raises(PermissionError), full_disk_explained(Path("x")):
        raise PermissionError(13, "Permission denied")


@pytest.mark.kill
def test_killed_while_indexing_then_resumed(indexed_soc: Path) -> None:
    """The former index stays usable; facts parsed before the kill are not parsed again."""
    from hdlgraph.project import Project

    project = Project(indexed_soc)
    for path in indexed_soc.rglob("*.*v*"):
        path.write_text(path.read_text() + "// moved\n")
    run = python(
        """
        import os, sys
        from hdlgraph.project import Project
        def progress(stage, done, total):
            if stage == "link":
                os.kill(os.getpid(), 9)
        Project(sys.argv[1]).index(graphrag="never", embeddings=False, progress=progress, jobs=1)
        """,
        str(indexed_soc),
    )
    run.wait(timeout=60)
    assert run.returncode == -signal.SIGKILL
    assert Project(indexed_soc).search("counter compare", k=1).hits[0].path == "rtl/timer.v"
    seen: list[tuple[str, int]] = []
    report = project.index(
        graphrag="never",
        embeddings=False,
        progress=lambda stage, done, total: seen.append((stage, done)),
    )
    assert len(report.changed) == report.files
    # All facts came from the cache at once.
    assert [done for stage, done in seen if stage == "parse"][1] == report.files


def test_reading_goes_on_while_another_process_writes(indexed_soc: Path) -> None:
    from hdlgraph.project import Project

    project = Project(indexed_soc)
    with index_lock(project.folder):
        assert project.search("arbiter", k=1).hits
        started = time.monotonic()
        with pytest.raises(IndexLockedError):
            project.index(graphrag="never", embeddings=False, jobs=1)
        assert time.monotonic() - started < 10


def test_an_index_where_no_folder_can_be_is_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with (
        pytest.raises(UsageError, match=r"cannot create it .* choose another folder with --index"),
        Store(tmp_path / "file" / "index").write(),
    ):
        pass
