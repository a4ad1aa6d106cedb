"""docs/dependencies.md tells the truth: names, licences, importers and switches."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import metadata, packages_distributions
from importlib.util import find_spec
from pathlib import Path

import pytest

from hdlgraph.safety.telemetry import OWN, TELEMETRY

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
MODULES = {"scikit-learn": "sklearn", "PyStemmer": "Stemmer", "PyYAML": "yaml"}
FOLDERS = ("hdlgraph", "parsers", "eval")


def names(requirements: list[str]) -> list[str]:
    return [re.match(r"[\w.-]+", line)[0] for line in requirements]  # type: ignore[index]


def rows() -> dict[str, list[str]]:
    """Returns the cells of the table by package."""
    lines = [line for line in PAGE.splitlines() if line.startswith("| ")][1:]
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {cells[0]: cells[1:] for cells in table}


@cache
def statements() -> dict[str, set[str]]:
    """Returns the dotted names after `import` and `from` by the file that they stand in."""
    first = re.compile(r"^[ \t]*(?:import|from) ([\w.]+)", re.M)
    files = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return {
        path.relative_to(ROOT).as_posix(): set(first.findall(path.read_text())) for path in files
    }


def importers(package: str) -> set[str]:
    module = MODULES.get(package, package.replace("-", "_"))
    return {
        path
        for path, names in statements().items()
        if any(name == module or name.startswith(f"{module}.") for name in names)
    }


def test_every_dependency_is_told_of_and_no_other() -> None:
    assert list(rows()) == names(PROJECT["dependencies"])
    for extra in PROJECT["optional-dependencies"].values():
        for name in names(extra):
            assert re.search(rf"\b{re.escape(name)}\b", PAGE), name


def test_every_import_is_declared() -> None:
    declared = {name.lower().replace("_", "-") for name in names(PROJECT["dependencies"])}
    declared |= {"lightrag", "lightrag-hku", "hdlgraph"}  # an extra, not always there
    declared |= {"pygls", "lsprotocol", "slack-bolt", "slack-sdk", "systemrdl-compiler"}  # others
    declared |= {"markdown-it-py", "docutils", "beautifulsoup4", "pypdfium2"}  # of documents
    declared |= {"python-docx", "python-pptx"}
    declared |= {"rouge-score", "sacrebleu"}  # of the benchmarks
    declared |= {"jax", "onnx"}  # of fine-tuning
    declared |= {"obstore"}  # of shared indexes
    declared |= {"ray"}  # of a cluster
    declared |= {"llmlingua"}  # used where a user installed it; hdlgraph brings it nowhere
    declared |= {"torch", "transformers", "peft", "bitsandbytes", "gguf", "xllamacpp"}  # nor
    owners = packages_distributions()
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for module in imported(path) - sys.stdlib_module_names:
                found = {name.lower().replace("_", "-") for name in owners.get(module, [module])}
                # graphrag is several packages, each pinned by it to its own version.
                ours = any(name in declared or name.startswith("graphrag-") for name in found)
                assert ours, f"{path}: imports {module} of {sorted(found)}"


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize("package", rows())
def test_what_is_told_of_it_is_so(package: str) -> None:
    use, licence, places, accord = rows()[package]
    assert use
    assert accord
    told = metadata(package)
    says = [told.get("License-Expression"), told.get("License"), *told.get_all("Classifier", [])]
    text = " ".join(filter(None, says)).replace("Apache Software", "Apache").lower()
    if package == "pyslang":  # its metadata holds the text of the licence without its name
        text += " mit" if "permission is hereby granted, free of charge" in text else ""
    words = re.split(r"[- ,]", licence.replace("MPL", "MPL 2.0"))
    assert words[0].lower() in text, text[:200]
    if places == "throughout":
        assert len(importers(package)) > 20
    else:
        assert importers(package) == set(re.findall(r"`([^`]+)`", places))


def test_every_switch_is_told_of() -> None:
    told = set(re.findall(r"`([A-Z][A-Z_]+)(?:=1)?`", PAGE))
    assert told == {*TELEMETRY, *OWN}


def test_what_openai_tells_with_a_call() -> None:
    import openai

    with openai.OpenAI(api_key="unused", base_url="http://127.0.0.1:9") as client:
        extra = {name for name in client.default_headers if name.startswith("X-Stainless-")}
    assert {name.removeprefix("X-Stainless-") for name in extra} == {
        *("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")
    }


@pytest.mark.parametrize("package", ["slack-bolt", "slack-sdk"])
def test_what_is_told_of_the_libraries_of_slack_is_so(package: str) -> None:
    if find_spec(package.replace("-", "_")) is None:
        pytest.skip(f"needs {package} (pip install -e '.[slack]')")
    told = metadata(package)
    says = [told.get("License-Expression"), told.get("License"), *told.get_all("Classifier", [])]
    assert "MIT" in " ".join(filter(None, says))
    needs = [line for line in told.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert {re.split(r"[^\w-]", line.replace("_", "-"))[0] for line in needs} <= {"slack-sdk"}
    assert importers(package) == {"hdlgraph/serve/slack/bot.py"}
