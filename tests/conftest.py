"""Designs that several tests index, and what tests of language models share."""

from __future__ import annotations

import fcntl
import gc
import importlib
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import _warm
import hypothesis
import pytest
from _llama import Llama, missing, required, serve

from hdlgraph.llm.answers import AnswerStore
from hdlgraph.project import Project
from hdlgraph.safety import child_process
from hdlgraph.safety.open_files import allow_many
from hdlgraph.serve.cli.volume import fresh

# The idle threads of a BLAS spin: for little matrices beside another worker they only cost.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

DESIGNS = Path(__file__).parent / "designs"
ENDPOINT_VARIABLES = (
    *("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"),
    *("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"),
)


def pytest_configure() -> None:
    """Makes Ctrl-C reach the programs that tests start: a job in the background ignores it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    allow_many()
    # A busy machine is slow at drawing examples, and no fault of what is tested.
    slow = hypothesis.HealthCheck.too_slow
    hypothesis.settings.register_profile("tests", deadline=None, suppress_health_check=[slow])
    hypothesis.settings.load_profile("tests")
    gc.set_threshold(50_000, 20, 20)  # the modules and tests of a whole run are never garbage


MARKED = {"llama": "model", "with_tables": "graphrag", "soc_overview": "graphrag"}
"""Marker of every test that uses a fixture of that name."""
SLOW = ("model", "graphrag", "kill")
OF_A_RUN = (
    *("pandas", "pyarrow.parquet", "hdlgraph.graph.graph", "hdlgraph.index.concepts.kept"),
    *("hdlgraph.index.filesets.read", "hdlgraph.index.flow.write", "hdlgraph.index.link.concepts"),
    *("hdlgraph.index.lexical.mine_short_forms", "hdlgraph.index.link.kin"),
    *("hdlgraph.index.link.link", "hdlgraph.index.registers.write"),
    "hdlgraph.store.design.registers",
)
"""Modules that take longer to import than a little design to link."""
ONE_SERVER = (
    *("tests/index/test_build.py", "tests/index/test_overview.py", "tests/index/test_tables.py"),
    *("tests/index/test_tables_by_model.py", "tests/serve/test_web_overview.py"),
    "tests/eval/test_peers.py",
)
"""Test modules whose builds of GraphRAG's tables are forks of one server (`_warm.py`)."""
IDLE_THREADS = ("embed", "stub")
"""Beginnings of names of threads that hold no lock when a run of a test forks."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks tests by the slow fixtures that they use, and puts the slow kinds first.

    A long module that begins last keeps one worker busy while the others are done: those beside
    this one come last, for they are short. The commands of `test_network.py` leave no bytecode:
    they come after others have compiled the libraries.
    """
    slow = set()
    for item in items:
        for fixture, marker in MARKED.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(marker)
        if any(item.get_closest_marker(name) for name in SLOW):
            slow.add(item.path)

    def place(item: pytest.Item) -> tuple[bool, bool, bool]:
        is_network = item.path.name == "test_network.py"
        return item.path not in slow, is_network, item.path.parent == Path(__file__).parent

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Has the modules that share a server in one worker: to import GraphRAG takes 10 s."""
    from xdist.scheduler import LoadFileScheduling

    class OneWorker(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path: str = super()._split_scope(nodeid)
            return "GraphRAG" if path in ONE_SERVER else path

    return OneWorker(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.fixture(scope="session", autouse=True)
def _forks_beside_idle_threads() -> None:
    """Lets runs fork although threads of earlier tests wait, and stubs serve.

    Otherwise every index would start an interpreter, which takes longer than to link a little
    design. Both ways are tested in `index/test_fork.py`, beside a thread that is not idle.
    What a run imports in its fork is imported here before the first one: each fork has it then.
    """
    from hdlgraph.index import fork

    def can_fork() -> bool:
        for name in OF_A_RUN:
            importlib.import_module(name)
        busy = [one for one in threading.enumerate() if not one.name.startswith(IDLE_THREADS)]
        return sys.platform == "linux" and len(busy) == 1  # the main thread

    fork.can_fork = can_fork


@pytest.fixture(scope="session", autouse=True)
def _children_are_warm() -> Iterator[None]:
    """Ends the servers that children of tests are forked from."""
    yield
    _warm.end()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Has children forked from a warm process, but for tests that want real ones.

    Each test begins with the volume of a new command.
    """
    fresh(time.perf_counter())  # a test that ran a command with -q would silence the next ones
    is_attack = "attack" in item.path.parts and not item.get_closest_marker("warm")
    is_cold = is_attack or item.get_closest_marker("cold")
    child_process.start = _warm.cold_start if is_cold else _warm.start


@pytest.fixture(scope="session", autouse=True)
def _models_are_opened_once() -> None:
    """Lets all projects of a worker share the sessions of an embedding model's file.

    To open one takes longer than to embed a little design. A session keeps no state.
    """
    from hdlgraph.index.embed import onnx, token_vectors

    opened = onnx.open_session
    kept: dict[tuple[Path, int, int], Any] = {}

    def open_session(model: Path) -> Any:
        stat = model.stat() if model.exists() else os.stat_result((0,) * 10)
        key = model, stat.st_size, stat.st_mtime_ns
        if key not in kept:
            kept[key] = opened(model)
        return kept[key]

    onnx.open_session = token_vectors.open_session = open_session


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes away what the environment says of endpoints, keys and proxies."""
    for name in ENDPOINT_VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnswerStore]:
    """An empty store of paid answers."""
    answers = AnswerStore(tmp_path / "answers.sqlite")
    yield answers
    answers.close()


@pytest.fixture
def soc(tmp_path: Path) -> Path:
    """A private copy of the little system, free to be edited."""
    return Path(shutil.copytree(DESIGNS / "soc", tmp_path / "soc"))


@pytest.fixture
def indexed_soc(soc_words: Path, tmp_path: Path) -> Path:
    """A private copy of the little system with an index by words in it, free to be edited."""
    return Path(shutil.copytree(soc_words, tmp_path / "soc"))


@pytest.fixture(scope="session")
def soc_words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The little system with an index by words; read only, shared by the workers."""

    def build(root: Path) -> None:
        shutil.copytree(DESIGNS / "soc", root)
        Project(root).index(embeddings=False, graphrag="never", jobs=1)

    return once(tmp_path_factory, "soc-words", build)


@pytest.fixture(scope="session")
def soc_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The little system with a full index; read only."""

    def build(root: Path) -> None:
        shutil.copytree(DESIGNS / "soc", root)
        Project(root).index(graphrag="never")

    built = once(tmp_path_factory, "soc-full", build)
    return Project(shutil.copytree(built, tmp_path_factory.mktemp("indexed") / "soc"))


@pytest.fixture(scope="session")
def soc_overview(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The little system with an index by words and its overview; read only, shared."""

    def build(root: Path) -> None:
        shutil.copytree(DESIGNS / "soc", root)
        Project(root).index(embeddings=False, jobs=1)
        Project(root).overview()

    return once(tmp_path_factory, "soc-overview", build)


@pytest.fixture(scope="session")
def pulse_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A counter with a UVM testbench and its index; read only."""

    def build(root: Path) -> None:
        shutil.copytree(DESIGNS / "verification", root)
        Project(root).index(embeddings=False, graphrag="never", jobs=1)

    return Project(once(tmp_path_factory, "pulse-uvm", build))


def once(factory: pytest.TempPathFactory, name: str, build: Callable[[Path], None]) -> Path:
    """Returns a folder that is built once a run, by the worker that needs it first.

    An index inside its repository may be copied with it: its root is the folder around it.
    """
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # each worker has a folder of its own in that of the run
    folder = base / name
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            build(base / f"{name}.part")
            (base / f"{name}.part").rename(folder)
    return folder


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Llama]:
    """A real language model behind an OpenAI-compatible endpoint on loopback."""
    reason = missing()
    if reason and required():
        pytest.fail(f"{reason}; `make test` installs it")
    if reason:
        pytest.skip(reason)
    with serve(tmp_path_factory.mktemp("llama") / "server.log") as running:
        yield running
