"""Designs that several tests index."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hdlgraph.project import Project

DESIGNS = Path(__file__).parent / "designs"


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
