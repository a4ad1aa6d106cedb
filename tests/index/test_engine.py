"""Engines without a cluster: what is refused, and work that is carried elsewhere and back."""

from __future__ import annotations

import os
import pickle
import shutil
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from _bank import FILES, MODEL, explanation, settings
from _bank import index as index_bank

from hdlgraph.errors import HdlgraphError, SettingsError, UsageError
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.index import run as index_run
from hdlgraph.index.engine import ray_engine, worker
from hdlgraph.index.engine.engine import HERE, address_of, check_engine, open_engine
from hdlgraph.project import Project
from hdlgraph.safety.telemetry import switched_off

NESTED = f"module nested;\n{'if (1) begin ' * 5000}leaf u_l ();{' end' * 5000}\nendmodule\n"
ODD = '`define HEADER "../include/soc_defs.svh"\n`include `HEADER\nmodule odd; endmodule\n'


class Carried:
    """Pickles work, batches and results as a cluster does, and does the work here."""

    spreads = True
    notes = ("carried",)

    def __init__(self) -> None:
        self.parcels: list[tuple[str, Any]] = []

    def start(self) -> None:
        pass

    def map(
        self, what: str, work: Callable[[Any], Any], batches: Iterable[Any]
    ) -> Iterator[tuple[int, Any]]:
        done = [(at, self._do(what, work, batch)) for at, batch in enumerate(batches)]
        yield from reversed(done)  # a cluster promises no order

    def _do(self, what: str, work: Any, batch: Any) -> Any:
        self.parcels.append((what, batch))
        name = f"{os.getpid()} {id(self)} {type(work).__name__}"
        sent = pickle.dumps(work), worker.code_digest(), pickle.dumps(batch)
        done, value = pickle.loads(worker.run(name, *sent))
        if not done:
            raise value
        return value

    @contextmanager
    def calls(
        self,
        what: str,
        work: Any,
        share: float,
    ) -> Iterator[Callable[[Any], Awaitable[Any]]]:
        assert 0 < share < 1

        async def call(batch: Any) -> Any:
            return self._do(what, work, batch)

        yield call

    def close(self) -> None:
        for one in list(worker._open):
            worker._close(worker._open.pop(one))


@pytest.fixture
def carried(monkeypatch: pytest.MonkeyPatch) -> Carried:
    engine = Carried()
    monkeypatch.setattr(index_run, "open_engine", lambda *_: engine)
    return engine


def generation(root: Path) -> dict[str, bytes]:
    (folder,) = (root / ".hdlgraph").glob("gen-*")
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.cold
def test_work_that_is_carried_gives_the_same_bytes(
    soc: Path, tmp_path: Path, carried: Carried, monkeypatch: pytest.MonkeyPatch
) -> None:
    (soc / "rtl/nested.sv").write_text(NESTED)
    (soc / "rtl/odd.sv").write_text(ODD)
    (soc / "rtl/gone.sv").symlink_to("nowhere.sv")
    other = Path(shutil.copytree(soc, tmp_path / "other", symlinks=True))
    away = Project(soc).index(graphrag="never")
    monkeypatch.setattr(index_run, "open_engine", open_engine)
    here = Project(other).index(graphrag="never")
    assert generation(soc) == generation(other)
    assert away.degraded == here.degraded
    assert any(line.startswith("rtl/nested.sv") for line in away.degraded)
    assert away.embedded == here.embedded > 0
    assert {what for what, _ in carried.parcels} == {"parse", "explain", "embed", "embed tokens"}
    sent = {path for what, one in carried.parcels if what == "parse" for path in one.files}
    # What only a preprocessor finds is looked for where the repository is.
    assert "rtl/odd.sv" not in sent
    assert {"rtl/soc_top.sv", "include/soc_defs.svh", "rtl/nested.sv"} <= sent
    assert away.notes[0] == "carried"


def test_only_what_changed_is_carried(soc: Path, carried: Carried) -> None:
    Project(soc).index(graphrag="never", embeddings=False)
    carried.parcels.clear()
    path = soc / "rtl/timer.v"
    path.write_text(path.read_text() + "// The end.\n")
    Project(soc).index(graphrag="never", embeddings=False)
    (parcel,) = [one for what, one in carried.parcels if what == "parse"]
    assert [source.path for source in parcel.sources] == ["rtl/timer.v"]


def test_a_model_is_asked_from_elsewhere(bank: Path, tmp_path: Path, carried: Carried) -> None:
    with Stub(explanation, retry_after_s=0.01) as stub:
        report = index_bank(bank, settings(tmp_path, stub, concurrency=1))
        assert (stub.calls, report.writers) == (FILES, {MODEL: FILES})
    assert len([one for what, one in carried.parcels if what == "asking the model"]) == FILES
    key = os.environ.get("OPENAI_API_KEY", "unused")
    assert key not in repr(carried.parcels)


def test_a_refused_request_is_told_as_ever(bank: Path, tmp_path: Path, carried: Carried) -> None:
    assert carried.spreads
    with Stub(explanation, retry_after_s=0.01) as stub:
        stub.faults = lambda number, body: "401"
        file = settings(tmp_path, stub, concurrency=1)
        with pytest.raises(UsageError, match="check the key"):
            index_bank(bank, file)


@pytest.mark.parametrize(
    "address", ["cluster", "ray://10.0.0.5:10001", "10.0.0.5:", ":6379", "10.0.0.5:99999", "a/b:1"]
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="HOST:PORT"):
        address_of(address)


def test_the_environment_names_a_cluster_and_the_command_line_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert address_of(None) == ""
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.5:6379")
    assert address_of(None) == "10.0.0.5:6379"
    assert address_of("[::1]:7000") == "[::1]:7000"
    assert address_of("local") == ""
    check_engine("local", None)  # no business of a run that asks for no cluster


def test_wrong_wishes_are_refused(soc: Path) -> None:
    with pytest.raises(UsageError, match="add --engine ray"):
        Project(soc).index(address="10.0.0.5:6379")
    with pytest.raises(UsageError, match="known are local, ray"):
        Project(soc).index(engine="dask")
    assert not (soc / ".hdlgraph").exists()


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
def test_without_ray_the_remedy_is_told(soc: Path) -> None:
    with pytest.raises(UsageError, match=r"pip install 'hdlgraph\[cluster\]'"):
        Project(soc).index(engine="ray")


@pytest.mark.parametrize("key", ["engine: ray", "address: 10.0.0.5:6379"])
def test_no_settings_file_names_a_cluster(soc: Path, key: str) -> None:
    (soc / "settings.yaml").write_text(f"hdlgraph:\n  parse:\n    {key}\n")
    with pytest.raises(SettingsError, match=r"engine|address"):
        Project(soc).index(embeddings=False)


def test_an_index_does_not_remember_one(soc: Path, carried: Carried) -> None:
    Project(soc).index(graphrag="never", embeddings=False)
    assert carried.parcels
    assert "engine" not in Project(soc).manifest().options
    assert "address" not in Project(soc).manifest().options


def test_other_code_on_a_machine_is_refused() -> None:
    outcome = worker.run("name", pickle.dumps(len), "other code", pickle.dumps([]))
    done, error = pickle.loads(outcome)
    assert not done
    assert isinstance(error, UsageError)
    assert "install the same versions on all machines" in str(error)


def test_a_fault_of_a_batch_is_told_and_keeps_the_process() -> None:
    code = worker.code_digest()
    done, error = pickle.loads(worker.run("n", pickle.dumps(len), code, pickle.dumps(3)))
    assert (done, type(error)) == (False, HdlgraphError)
    assert "TypeError" in str(error)
    done, value = pickle.loads(worker.run("n", pickle.dumps(len), code, pickle.dumps("four")))
    assert (done, value) == (True, 4)
    worker._open.clear()


def test_a_process_keeps_few_models_open() -> None:
    code = worker.code_digest()
    for n in range(worker.KEPT + 3):
        worker.run(f"work {n}", pickle.dumps(len), code, pickle.dumps(""))
    assert [*worker._open] == [f"work {n}" for n in range(3, worker.KEPT + 3)]
    worker._open.clear()


def test_a_machine_without_hdlgraph_is_named() -> None:
    engine = ray_engine.RayEngine("10.0.0.5:6379", 1)
    with pytest.raises(UsageError, match=r"machine farm7: No module named .* install the same"):
        engine._value("parse", pickle.dumps((None, "machine farm7: No module named 'hdlgraph'")))


def test_no_process_of_ours_sends_usage_of_ray() -> None:
    assert switched_off()["RAY_USAGE_STATS_ENABLED"]
    assert list(HERE.map("parse", len, ["a", "bc"])) == [(0, 1), (1, 2)]
    assert "ray" not in sys.modules
