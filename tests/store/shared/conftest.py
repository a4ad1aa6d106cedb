"""Places of shared indexes: a folder, and a bucket of an S3 server where one is installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from _bucket import own_cache, s3_address, s3_endpoint  # noqa: F401 (fixtures)
from _places import Team


@pytest.fixture(params=["file", "s3"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a shared index, of each kind."""
    if request.param == "file":
        return f"file://{tmp_path}/bucket"
    return str(request.getfixturevalue("s3_address"))


@pytest.fixture
def team(address: str, tmp_path: Path) -> Team:
    return Team(address, tmp_path)


@pytest.fixture
def folder_team(tmp_path: Path) -> Team:
    return Team(f"file://{tmp_path}/bucket", tmp_path)
