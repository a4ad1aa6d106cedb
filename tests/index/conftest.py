"""A bank of small files: indexed, parsed only, and untouched."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from _bank import write_bank

from hdlgraph.project import Project


@pytest.fixture(scope="session")
def parsed_bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bank, its facts in the cache and nothing else indexed."""
    root = tmp_path_factory.mktemp("parsed") / "bank"
    write_bank(root)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    for path in (root / ".hdlgraph").iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "cache.sqlite":
            path.unlink()
    return root


@pytest.fixture
def bank(parsed_bank: Path, tmp_path: Path) -> Path:
    """A copy of the bank, free to be edited."""
    return Path(shutil.copytree(parsed_bank, tmp_path / "bank"))


@pytest.fixture
def new_bank(tmp_path: Path) -> Path:
    """A bank that was never indexed."""
    write_bank(tmp_path / "bank")
    return tmp_path / "bank"
