"""Places of shared indexes: a folder, and a bucket of an S3 server where one is installed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from _bucket import VARIABLES, environment, make_bucket, s3_server

_names = itertools.count()


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own, and an environment that knows no server."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HDLGRAPH_SHARED_SECONDS", "0")
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def s3_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an S3 server on loopback."""
    with s3_server(tmp_path_factory.mktemp("s3") / "log") as endpoint:
        yield endpoint


@pytest.fixture
def s3_address(s3_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an index in a bucket of its own; the environment has the credentials."""
    bucket = f"bucket-{next(_names)}"
    make_bucket(s3_endpoint, bucket)
    for name, value in environment(s3_endpoint).items():
        monkeypatch.setenv(name, value)
    return f"s3://{bucket}/team/soc"


@pytest.fixture(params=["file", "s3"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a shared index, of each kind."""
    if request.param == "file":
        return f"file://{tmp_path}/bucket"
    return str(request.getfixturevalue("s3_address"))
