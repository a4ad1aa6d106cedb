"""Designs that several tests index, and what tests of language models share."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from _llama import Llama, missing, required, serve

from hdlgraph.llm.answers import AnswerStore
from hdlgraph.project import Project

DESIGNS = Path(__file__).parent / "designs"
ENDPOINT_VARIABLES = (
    *("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"),
    *("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"),
)


def pytest_configure() -> None:
    """Makes Ctrl-C reach the programs that tests start: a job in the background ignores it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


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


@pytest.fixture(scope="session")
def soc_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The little system with a full index; read only."""
    root = tmp_path_factory.mktemp("indexed") / "soc"
    shutil.copytree(DESIGNS / "soc", root)
    project = Project(root)
    project.index(graphrag="never")
    return project


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
