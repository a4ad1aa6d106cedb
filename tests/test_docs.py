"""The documents: every command, option, setting and JSON key is told, and links lead somewhere."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer

from hdlgraph.errors import IndexVersionError
from hdlgraph.eval.figures.session import steps
from hdlgraph.eval.sets.corpora import cache_folder
from hdlgraph.project import Project
from hdlgraph.serve.cli.main import app, run
from hdlgraph.serve.reference import commands, commands_page
from hdlgraph.settings.reference import settings, settings_page

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", ROOT / "CONTRIBUTING.md"]
PAGES += sorted((ROOT / "docs").glob("*.md"))
LINK = re.compile(r"\[(?:[^\[\]`]|`[^`]*`)+\]\(([^()\s]+)\)")
FENCED = re.compile(r"^```[^\n]*\n(.*?)^```", re.M | re.S)


@cache
def anchors(page: Path) -> frozenset[str]:
    """Returns the anchors that the headings of a page get, as GitHub makes them."""
    found: list[str] = []
    seen: Counter[str] = Counter()
    for title in re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text("utf-8")), re.M):
        plain = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        found.append(f"{plain}-{seen[plain]}" if seen[plain] else plain)
        seen[plain] += 1
    return frozenset(found)


def broken(page: Path, text: str) -> list[str]:
    """Returns the links of a page that lead nowhere."""
    wrong = []
    for target in LINK.findall(FENCED.sub("", text)):
        if re.match(r"https?://", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        inside = file.is_relative_to(ROOT) and file.exists()
        if not inside or (anchor and anchor not in anchors(file)):
            wrong.append(target)
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken(page, page.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "eval" / "data" / "README.md"], ids=lambda page: page.name
)
def test_every_module_that_is_told_of_is_there(page: Path) -> None:
    """The modules that a reader is to run, and those of the benchmark and of training."""
    text = page.read_text("utf-8")
    told = re.findall(r"(?:python -m |`)(hdlgraph(?:\.(?:eval|train)[\w.]*\w)?)(?=[\s`])", text)
    assert [one for one in sorted({*told}) if find_spec(one) is None] == []


def test_a_link_that_leads_nowhere_would_be_found() -> None:
    page = ROOT / "docs" / "mcp.md"
    text = "[a](no.md) [b](json.md#none) [c](#none) [`d`](../../x) [e](json.md#search) [f](#set-up)"
    assert broken(page, text) == ["no.md", "json.md#none", "#none", "../../x"]


def test_every_command_and_option_has_its_help() -> None:
    found = commands()
    assert len(found) >= 25
    bare = [one.name for one in found if len(one.text) < 20]
    bare += [
        f"{one.name} {spelling}"
        for one in found
        for spelling, text in one.parameters
        if not text.removeprefix("[required]")
    ]
    assert bare == []


def test_usages_are_written_alike() -> None:
    """An argument is one word in capitals, in brackets of its own where it may be left out."""
    for one in commands():
        assert "[[" not in one.usage, one.name
        assert not re.search(r"(?<![.\w])[a-z]", one.usage), one.usage


def test_the_reference_has_every_command_and_option() -> None:
    page = commands_page()
    for one in commands():
        section = page.partition(f"\n## `{one.name}`\n")[2].partition("\n## ")[0]
        assert f"hdlgraph {one.name} " in section
        options = set(re.findall(r"--[\w-]+", " ".join(name for name, _ in one.parameters)))
        assert options <= set(re.findall(r"--[\w-]+", section)), one.name
    group = typer.main.get_command(app)
    assert {name for name, one in group.commands.items() if not one.hidden} <= {  # type: ignore[attr-defined]
        one.name for one in commands()
    }


def test_every_command_is_told_in_a_document() -> None:
    texts = "\n".join(page.read_text("utf-8") for page in PAGES)
    named = [one.name for one in commands()]
    told = {name for name in named if re.search(rf"(?:hdlgraph |`|, `?){name}\b", texts)}
    assert set(named) - told == set()


def test_every_setting_is_told() -> None:
    found = settings()
    page = settings_page()
    whole = (ROOT / "settings.yaml").read_text("utf-8")
    assert len(found) > 50
    assert len({one.key for one in found}) == len(found)
    for one in found:
        assert f"| `{one.key}` |" in page
        assert re.search(r"\w \w", one.help), one.key
        assert re.search(rf"^ +{one.key.rpartition('.')[2]}: ", whole, re.M), one.key


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "round robin"],
        ["ask", "how does the arbiter grant the bus?"],
        ["ask", "who instantiates sync_fifo?"],
        ["read", "rtl/bus_arbiter.sv:1-5"],
        ["doctor"],
        ["export", "--format", "json"],
        ["explanations", "export"],
        ["mcp", "--setup"],
        ["index"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_every_key_of_further_commands_is_told(
    indexed_soc: Path, tmp_path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "json.md").read_text("utf-8")
    spans = re.findall("`([^`]+)`", FENCED.sub("", page))
    told = {word for text in spans for word in re.findall(r"\w+", text)}
    told |= set(re.findall(r'"(\w+)":', page))
    if arguments[0] in ("export", "explanations"):
        arguments = [*arguments, str(tmp_path / "out")]
    where = [str(indexed_soc)] if arguments[0] in ("index", "doctor") else []
    where = where or ["--index", str(indexed_soc)]
    if arguments[0] == "index":
        where += ["--fresh", "--no-embeddings", "--graphrag", "never", "-j", "1"]
    assert run([*arguments, *where, "--json"]) == 0
    found = keys(json.loads(capsys.readouterr().out))
    assert {key for key in found if not key.isdigit()} - told == set()  # numbers: of lines


COUNTS = frozenset({"roles", "writers", "readers", "agreement", "packages", "done", "pending"}) | {
    *("formats", "roots"),
}
"""Keys whose objects count by names of other things."""


def keys(value: object) -> set[str]:
    """Returns the keys of all objects in a JSON value, but for those of counts by name."""
    if isinstance(value, list):
        return {key for one in value for key in keys(one)}
    if not isinstance(value, dict):
        return set()
    return set(value).union(*(keys(one) for key, one in value.items() if key not in COUNTS))


def lines(page: Path) -> list[str]:
    """Returns the command lines of hdlgraph in the fenced blocks of a page."""
    found = []
    for block in FENCED.findall(page.read_text("utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            line = re.sub(r"^(?:\$ )?(?:\w+=(?:\$\([^)]*\)|\S+) )?", "", line.strip())
            line = re.split(r"\s(?:>>?|\|\|?|&&|#)(?:\s|$)", line)[0]
            if line.startswith("hdlgraph "):
                found.append(line)
    return found


@pytest.mark.parametrize(
    "page", [page for page in PAGES if lines(page)], ids=lambda page: page.name
)
def test_command_lines_of_the_documents_are_understood(page: Path) -> None:
    """Each is parsed with the options of its command, and nothing is run."""
    for line in lines(page):
        words = shlex.split(line)[1:]
        if "..." in words:
            continue
        command = typer.main.get_command(app)
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]  # type: ignore[attr-defined]
        assert not hasattr(command, "commands") or words[:1] in (["--version"], ["--help"]), line
        if not hasattr(command, "commands"):
            command.make_context("hdlgraph", list(words))


def test_an_unknown_option_in_a_document_would_be_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```\nhdlgraph search x --no-such-option 3\n$ A=1 hdlgraph who x | less\n```\n")
    assert lines(page) == ["hdlgraph search x --no-such-option 3", "hdlgraph who x"]
    with pytest.raises(Exception, match="no-such-option"):
        test_command_lines_of_the_documents_are_understood(page)


def test_the_tutorial_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the index of `hdlgraph demo` is at hand."""
    text = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
    sessions = [f"```\n{block}```" for block in FENCED.findall(text) if block.startswith("$ ")]
    assert len(sessions) >= 4
    index = cache_folder() / "demo"
    if not (index / "manifest.json").is_file():
        pytest.skip("needs the index of `hdlgraph demo` in the cache folder")
    try:
        Project.open(index)
    except IndexVersionError as error:
        pytest.skip(f"the index of `hdlgraph demo` is of another version: {error}")
    asked = next(line for line in lines(ROOT / "docs" / "tutorial.md") if "search" in line)
    for command, output in [
        *((o.command, o.output) for b in sessions for o in steps(b)),
        (asked, ""),
    ]:
        assert run([*shlex.split(command)[1:], "--index", str(index)]) == 0
        printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
        assert output in printed, command
    assert re.search(r"^ 1  rtl/ibex_load_store_unit\.sv", printed, re.M)
