"""docs/architecture.md names modules that exist, in an order that the imports allow."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PLACES = ("hdlgraph", "parsers", "eval", "prompts")
STEP = re.compile(r"^\d+\. `([\w/.-]+)`: (.+)$", re.M)
NAMED = re.compile(r"`((?:hdlgraph|parsers|eval|prompts|docs|tests)/[\w/.-]*)`")


def ways() -> dict[str, list[tuple[str, str]]]:
    """Returns the title of each way -> its steps as (path of a module, what it does)."""
    found = {}
    for part in PAGE.split("\n## ")[1:]:
        title, _, text = part.partition("\n")
        if title.startswith("The way of"):
            found[title] = STEP.findall(text)
    return found


def file_of(module: str) -> Path | None:
    """Returns the file of a dotted name of hdlgraph, None where it is none."""
    parts = module.split(".")
    if parts[0] != "hdlgraph":
        return None
    own = parts[1:] if parts[1:2] and parts[1] in PLACES[1:] else parts
    for file in (ROOT.joinpath(*own).with_suffix(".py"), ROOT.joinpath(*own, "__init__.py")):
        if file.is_file():
            return file
    return None


@cache
def imported(file: Path) -> frozenset[Path]:
    """Returns the files of hdlgraph that a file imports anywhere, functions included.

    A module whose dotted name stands in a text counts too: processes are started by name.
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            names |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names |= set(re.findall(r"\bhdlgraph(?:\.\w+)+", node.value))
    return frozenset(found for name in names if (found := file_of(name)))


@cache
def reached(file: Path) -> frozenset[Path]:
    """Returns every file that a file imports, itself or through others."""
    seen, waiting = {file}, [file]
    while waiting:
        new = imported(waiting.pop()) - seen
        seen |= new
        waiting += sorted(new)
    return frozenset(seen)


def test_the_page_tells_five_ways() -> None:
    found = ways()
    assert [title.split()[-1] for title in found] == [
        "file",
        "question",
        "explanation",
        "command",
        "document",
    ]
    assert all(len(steps) >= 5 for steps in found.values())
    assert PAGE.count("\n1. `") == 5
    assert all(text.endswith(".") for s in found.values() for _, text in s)


@pytest.mark.parametrize("title", list(ways()))
def test_each_step_is_reached_from_an_earlier_one(title: str) -> None:
    steps = [path for path, _ in ways()[title]]
    assert len(set(steps)) == len(steps)
    missing = [path for path in steps if not (ROOT / path).is_file()]
    assert missing == []
    for number, path in enumerate(steps[1:], 1):
        before = [ROOT / one for one in steps[:number]]
        assert any(ROOT / path in reached(one) for one in before), f"nothing leads to {path}"


def test_every_path_of_the_page_exists() -> None:
    assert [path for path in NAMED.findall(PAGE) if not (ROOT / path).exists()] == []


def rooms() -> list[str]:
    """Returns the folders of modules, as paths from the root."""
    found = [file.parent for top in PLACES for file in (ROOT / top).rglob("__init__.py")]
    return sorted(folder.relative_to(ROOT).as_posix() for folder in found)


def test_every_room_is_named() -> None:
    named = {path.rstrip("/") for path in NAMED.findall(PAGE)} | set(PLACES)
    assert [room for room in rooms() if room not in named] == []


def test_a_step_that_nothing_leads_to_would_be_found() -> None:
    words = ROOT / "hdlgraph" / "words.py"
    assert reached(words) == {words}
    assert ROOT / "hdlgraph" / "index" / "run.py" in reached(
        ROOT / "hdlgraph" / "project" / "__init__.py"
    )
