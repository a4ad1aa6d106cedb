"""SECURITY.md: behind every sentence stands a test that exists."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
REFERENCE = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
SENTENCES = [
    line
    for part in PAGE.split("\n## ")
    if not part.startswith("Limits")
    for line in part.splitlines()
    if line.startswith("- ")
]


@cache
def functions(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda text: text[2:50])
def test_every_sentence_has_tests_that_exist(sentence: str) -> None:
    found = REFERENCE.findall(sentence)
    assert found, "no test stands behind this sentence"
    for file, name in found:
        assert name in functions(file), f"{file}::{name}"


def test_the_page_has_its_parts() -> None:
    assert len(SENTENCES) > 30
    assert re.search(r"^## Reporting", PAGE, re.M)
