"""The plan of the house: which room may import which, no circles, and the sizes of modules."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import networkx
import pytest

ROOT = Path(__file__).parent.parent
TOPS = ("hdlgraph", "parsers", "eval", "prompts")
LONGEST_MODULE, LONGEST_FUNCTION, MOST_MODULES = 400, 40, 16

ROOMS = {
    "errors": "",
    "words": "",
    "model": "safety",
    "results": "model",
    "prompts": "errors",
    "safety": "errors",
    "settings": "errors model safety",
    "knowledge": "errors model safety words",
    "store": "errors model results safety",
    "graph": "errors model safety store",
    "parsers": "errors model safety",
    "llm": "errors prompts results safety settings store",
    "index": "errors graph knowledge llm model parsers prompts results safety settings store words",
    "query": "errors graph knowledge llm model parsers prompts results safety settings store words",
    "doctor": "errors index llm safety settings",
    "project": "doctor errors graph index knowledge llm model prompts query results safety "
    "settings store",
    "train": "errors eval index llm model project query safety settings store",
    "serve": "errors eval index model project query results safety train",
    "eval": "errors graph index knowledge llm model parsers project prompts query results safety "
    "settings store words",
}
"""What each room may import besides itself: a room is a folder or a module of `hdlgraph`."""

LONG_FUNCTIONS: frozenset[str] = frozenset()
"""Functions that may be longer than 40 lines, each with its reason."""


@cache
def modules() -> dict[str, Path]:
    """Returns the file of every module by its dotted name, packages without `__init__`."""
    found = {}
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            name = name if top == "hdlgraph" else f"hdlgraph.{name}"
            found[name.removesuffix(".__init__")] = path
    return found


@cache
def statements(name: str) -> tuple[list[ast.stmt], list[tuple[str, int]]]:
    """Returns the imports of a module, and (name, lines without its docstring) of its functions."""
    imports: list[ast.stmt] = []
    functions = []
    for node in ast.walk(ast.parse(modules()[name].read_text())):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports.append(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[1] if ast.get_docstring(node) and node.body[1:] else node.body[0]
            functions.append((node.name, (node.end_lineno or 0) - first.lineno + 1))
    return imports, functions


@cache
def imported(name: str) -> frozenset[str]:
    """Returns the modules of hdlgraph that a module imports, wherever in it, types included."""
    found: set[str] = set()
    for node in statements(name)[0]:
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: relative import"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in modules() else node.module or "")
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    # The package itself holds the version, and nothing that a module could use besides.
    return frozenset(found & set(modules()) - {name, "hdlgraph"})


def room(name: str) -> str:
    """Returns the room of a module, "" for the package itself; `python -m hdlgraph` is a door."""
    if name == "hdlgraph.__main__":
        return "serve"
    return name.split(".")[1] if "." in name else ""


@pytest.mark.parametrize("name", sorted(modules()))
def test_a_room_imports_only_rooms_below_it(name: str) -> None:
    own = room(name)
    if own:
        allowed = {own, *ROOMS[own].split()}
        assert {other for other in imported(name) if room(other) not in allowed} == set()


def test_the_guide_for_contributors_tells_the_plan() -> None:
    """The table of CONTRIBUTING.md is ROOMS, but for the errors that all may import."""
    page = (ROOT / "CONTRIBUTING.md").read_text()
    row = re.compile(r"^\| `(?:hdlgraph/)?([a-z]+)(?:/|\.py)` \|.*\| ([a-z, ]*)\|$", re.M)
    told = {name: set(re.findall(r"[a-z]+", may)) for name, may in row.findall(page)}
    assert told == {name: set(may.split()) - {"errors"} for name, may in ROOMS.items()}


def test_the_plan_names_every_room_and_goes_one_way() -> None:
    assert {room(name) for name in modules()} - {""} == set(ROOMS)
    plan = networkx.DiGraph((own, other) for own in ROOMS for other in ROOMS[own].split())
    plan.remove_edge("serve", "eval")  # the command `eval` is a door to the benchmark
    assert networkx.is_directed_acyclic_graph(plan)
    assert not networkx.has_path(plan, "query", "index")
    assert not networkx.has_path(plan, "index", "query")


def test_no_module_imports_itself_by_way_of_others() -> None:
    arrows = networkx.DiGraph((name, other) for name in modules() for other in imported(name))
    circles = networkx.strongly_connected_components(arrows)
    assert [sorted(circle) for circle in circles if len(circle) > 1] == []


def test_only_front_ends_know_front_ends() -> None:
    for name in modules():
        if room(name) != "serve":
            assert "serve" not in {room(other) for other in imported(name)}, name


def test_few_modules_import_graphrag() -> None:
    users = {
        name
        for name, path in modules().items()
        if re.search(r"^\s*(?:from|import) graphrag", path.read_text(), re.M)
    }
    # The benchmark runs stock GraphRAG, and its local search, beside ours.
    assert {name for name in users if not name.startswith("hdlgraph.index.graphrag.")} == {
        "hdlgraph.eval.systems.graphrag_local",
        "hdlgraph.eval.bench.stock",
    }


def test_modules_are_short() -> None:
    files = [*modules().values(), *sorted((ROOT / "tests").rglob("*.py"))]
    lengths = {path: len(path.read_text().splitlines()) for path in files}
    assert {path for path, lines in lengths.items() if lines > LONGEST_MODULE} == set()


def test_functions_are_short() -> None:
    long = {
        f"{name}.{function}"
        for name in modules()
        for function, lines in statements(name)[1]
        if lines > LONGEST_FUNCTION
    }
    assert long == LONG_FUNCTIONS


def test_folders_hold_few_modules() -> None:
    held = Counter(path.parent for path in modules().values() if path.name not in ("__init__.py",))
    assert {folder for folder, count in held.items() if count > MOST_MODULES} == set()


def test_tests_stand_in_the_same_rooms() -> None:
    rooms = {path.name for path in (ROOT / "tests").iterdir() if any(path.glob("test_*.py"))}
    # Attacks go through the whole program, and have a folder of their own.
    assert rooms - {"attack"} <= set(ROOMS)


def test_no_machine_paths() -> None:
    for path in modules().values():
        assert not re.search(r"[\"'](?:/home|/root|/work|/Users)/", path.read_text()), path
