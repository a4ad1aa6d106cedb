"""An index made on a Ray cluster of several nodes is that of a local run, whatever is lost."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from _bank import FILES, explanation, settings
from _bank import index as index_bank
from _cluster import NodesOfRay

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.index.engine import ray_engine
from hdlgraph.project import Project
from hdlgraph.results import IndexReport

pytestmark = [
    pytest.mark.cold,
    pytest.mark.cluster,
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed (make test-cluster)"),
]
SETTINGS = "hdlgraph:\n  parse:\n    memory_mb: 512\n    deadline_s: 10\n"
CRASHES = f"module terms(output o);\nassign o = {' + '.join(['a'] * 300_000)};\nendmodule\n"
CONDITIONAL = '`define HEADER "../include/soc_defs.svh"\n`include `HEADER\nmodule odd; endmodule\n'


@pytest.fixture(scope="module")
def cluster() -> Iterator[NodesOfRay]:
    nodes = NodesOfRay(3)
    yield nodes
    nodes.end()


@pytest.fixture(autouse=True)
def _its_token(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "cluster" in request.fixturenames:
        for name, value in request.getfixturevalue("cluster").variables.items():
            monkeypatch.setenv(name, value)


@pytest.fixture
def design(soc: Path) -> Path:
    """The little system, with a file that is parsed here."""
    (soc / "settings.yaml").write_text(SETTINGS)
    (soc / "rtl/odd.sv").write_text(CONDITIONAL)
    return soc


def index(root: Path, address: str = "", **options: object) -> IndexReport:
    where = {"engine": "ray", "address": address} if address else {}
    return Project(root).index(graphrag="never", **where, **options)


def generation(root: Path) -> dict[str, bytes]:
    (folder,) = (root / ".hdlgraph").glob("gen-*")
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def assert_as_local(root: Path) -> IndexReport:
    other = root.parent / "local"
    shutil.copytree(root, other, ignore=shutil.ignore_patterns(".hdlgraph"))
    report = index(other)
    here, there = generation(root), generation(other)
    assert here.keys() == there.keys()
    assert [name for name in there if here[name] != there[name]] == []
    return report


def test_a_cluster_gives_the_bytes_of_a_local_run(design: Path, cluster: NodesOfRay) -> None:
    (design / "rtl/terms.sv").write_text(CRASHES)
    seen: list[tuple[str, int, int]] = []
    report = index(design, cluster.address, progress=lambda *told: seen.append(told))
    local = assert_as_local(design)
    assert report.degraded == local.degraded
    (crash,) = [line for line in report.degraded if line.startswith("rtl/terms.sv")]
    assert "SIGSEGV" in crash
    assert report.embedded == local.embedded > 0
    assert report.notes[0].startswith(f"worked on Ray cluster {cluster.address}: ")
    done = [now for stage, now, _ in seen if stage == "parse"]
    assert done == sorted(done)
    assert done[-1] == report.files
    assert "ray" not in sys.modules


def test_a_node_that_is_lost_costs_nothing(design: Path, cluster: NodesOfRay) -> None:
    lost: list[str] = []

    def progress(stage: str, done: int, total: int) -> None:
        for place in ("parse", "embed"):
            if stage == place and 0 < done < total and place not in lost:
                lost.append(place)
                cluster.tell("kill")
                cluster.tell("add")

    for n in range(120):  # enough for several batches, so that some are under way
        (design / f"rtl/lane_{n}.sv").write_text(
            f"// Lane {n}.\nmodule lane_{n}(input a, output b);\nassign b = a;\nendmodule\n"
        )
    report = index(design, cluster.address, progress=progress)
    assert lost == ["parse", "embed"]
    assert report.failed == ()
    assert_as_local(design)


def test_one_that_is_gone_leaves_the_former_index(
    design: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(design, embeddings=False)
    (design / "rtl/late.sv").write_text("module late_arrival; endmodule\n")
    own = NodesOfRay(1)
    for name, value in own.variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(ray_engine, "GONE_S", 2)
    gone: list[str] = []

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "parse" and not gone:
            gone.append(stage)
            own.tell("head")

    try:
        with pytest.raises(HdlgraphError, match="the former index is still valid") as caught:
            index(design, own.address, progress=progress)
    finally:
        own.end()
    assert gone
    assert f"Ray cluster {own.address}" in str(caught.value)
    project = Project(design)
    assert project.search("fifo").hits
    assert "late_arrival" not in str(project.status())


def test_the_nodes_ask_the_model(bank: Path, tmp_path: Path, cluster: NodesOfRay) -> None:
    copy = Path(shutil.copytree(bank, tmp_path / "copy"))
    with Stub(explanation, retry_after_s=0.01) as stub:
        file = settings(tmp_path, stub)
        away = index_bank(bank, file, engine="ray", address=cluster.address)
        assert (stub.calls, away.models.done["explain"]) == (FILES, FILES)
        here = index_bank(copy, file)
    assert away.models.usage == here.models.usage
    assert generation(bank) == generation(copy)


def test_a_wrong_address_is_one_message(design: Path) -> None:
    with pytest.raises(UsageError, match=r"127\.0\.0\.1:9: nothing answers there .*--head"):
        index(design, "127.0.0.1:9")


def test_ray_alone_listens_on_loopback_and_leaves_nothing(
    design: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    temp = Path(tempfile.mkdtemp(prefix="hg-"))  # short, as a socket's path has 107 bytes
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TMPDIR", str(temp))
    monkeypatch.setattr(tempfile, "tempdir", None)
    heard: set[str] = set()

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "parse" and done:
            heard.update(_listening(temp))

    index(design, "local", embeddings=False, progress=progress)
    assert heard == {"127.0.0.1"}
    assert [*home.iterdir(), *temp.iterdir()] == []
    temp.rmdir()


def _listening(temp: Path) -> Iterator[str]:
    """Yields the addresses on which processes listen whose command line names a folder."""
    sockets = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A":
                sockets[f"socket:[{fields[9]}]"] = fields[1].partition(":")[0]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(temp).encode() not in (process / "cmdline").read_bytes():
                continue
            for handle in (process / "fd").iterdir():
                found = sockets.get(str(handle.readlink()))
                if found is not None:
                    yield "127.0.0.1" if found.endswith("0100007F") else found
        except OSError:
            continue


def test_another_python_is_refused(cluster: NodesOfRay, design: Path) -> None:
    cluster.tell("older")
    try:
        with pytest.raises(UsageError, match=r"Version mismatch.*Python: 3\.9\.1"):
            index(design, cluster.address)
    finally:
        cluster.tell("newer")
