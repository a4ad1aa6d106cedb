"""The direction of dependencies, and the style rules that no linter knows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLACES = {"hdlgraph": ROOT / "hdlgraph"}
MAPPED = {name: ROOT / name for name in ("parsers", "eval", "prompts")}

# What each folder may import besides itself: nothing above it, and query nothing of index.
GROUND = {
    "model",
    "results",
    "cache",
    "errors",
    "words",
    "abbreviations",
    "glossary",
    "thesaurus",
    "structures",
    "dictionary",
    "short_forms",
    "graph",
    "tables",
    "file_edges",
    "settings",
    "safe_files",
    "silence",
    "visible",
}
ALLOWED = {
    "model": set(),
    "errors": set(),
    "safe_files": {"errors"},
    "opened": {"errors", "dictionary", "index", "query"},
    "results": {"model"},
    "cache": {"errors", "safe_files"},
    "visible": set(),
    "parsers": {"model", "errors", "safe_files", "visible"},
    "query": GROUND | {"llm", "prompts"},
    "index": GROUND | {"settings_yaml", "yaml_nodes", "locate", "parsers", "prompts", "llm"},
    "llm": {"model", "results", "cache", "errors", "safe_files", "settings", "prompts"},
    "prompts": {"errors"},
}


def modules() -> Iterator[tuple[str, Path]]:
    """Yields (dotted name below hdlgraph, file)."""
    for path in sorted((ROOT / "hdlgraph").rglob("*.py")):
        yield ".".join(path.relative_to(ROOT / "hdlgraph").with_suffix("").parts), path
    for name, folder in MAPPED.items():
        for path in sorted(folder.rglob("*.py")):
            yield ".".join([name, *path.relative_to(folder).with_suffix("").parts]), path


def imported(path: Path) -> set[str]:
    """Returns the parts of hdlgraph a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module or ""]
            if node.module == "hdlgraph":
                names = [f"hdlgraph.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("hdlgraph.")}
    return found - {"__version__"}


@pytest.mark.parametrize(("name", "path"), list(modules()), ids=lambda v: str(v).split("/")[-1])
def test_dependencies_point_one_way(name: str, path: Path) -> None:
    part = name.split(".")[0]
    if part in ALLOWED:
        assert imported(path) - ALLOWED[part] - {part} == set()


def test_only_the_front_ends_know_the_front_ends() -> None:
    for name, path in modules():
        if name.split(".")[0] not in ("serve",):
            assert "serve" not in imported(path), name


def test_few_modules_import_graphrag() -> None:
    users = {
        name
        for name, path in modules()
        if re.search(r"^\s*(?:from|import) graphrag", path.read_text(), re.M)
    }
    # The benchmark runs stock GraphRAG, and its local search, beside ours.
    assert {name for name in users if not name.startswith("index.graphrag_")} == {
        "eval.graphrag_local",
        "eval.stock",
    }


def test_modules_are_short() -> None:
    long = {name: n for name, path in modules() if (n := len(path.read_text().splitlines())) > 550}
    assert long == {}


def test_no_machine_paths() -> None:
    for _, path in modules():
        assert not re.search(r"[\"'](?:/home|/root|/work|/Users)/", path.read_text()), path
