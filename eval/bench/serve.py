"""Measures `hdlgraph serve` on an index: `python -m hdlgraph.eval.bench.serve INDEX`.

It starts the server, asks as people at a page do one after the other, then as many clients at
once, and prints one JSON object. Times are milliseconds, memory is MB (10^6 bytes). The questions
are sentences of the index itself, so that any index can be measured.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from hdlgraph.errors import telling_errors
from hdlgraph.eval.bench.clients import clients, spread
from hdlgraph.eval.bench.process import hdlgraph_command

START_S = 120.0
WORDS = 9
"""Words of a question."""
NODES = 300
"""Nodes of the graph that is drawn."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_AT = re.compile(r"listening at (http://\S+?)/? \(")


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints the figures as JSON; returns 0, or 1 where an answer was an error."""
    parser = argparse.ArgumentParser(
        prog="python -m hdlgraph.eval.bench.serve", description=__doc__
    )
    parser.add_argument("index", type=Path, help="index folder, or a repository that has one")
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0, help="of the clients at once")
    parser.add_argument("--questions", type=int, default=200, help="asked in turn by the clients")
    parser.add_argument(
        "--different",
        action="store_true",
        help="the clients ask no question twice, so that no kept result answers; no page or graph",
    )
    asked = parser.parse_args(arguments)
    questions = questions_of(asked.index, asked.questions)
    many = all_different(asked.index) if asked.different else questions
    found: dict[str, Any] = {}
    with server(asked.index) as (url, pid):
        if not asked.different:
            found["page"] = page(url, questions[:100])
            found["level"] = level(url)
            found["graph"] = drawn(url, asked.index)
        work = clients(url, pid, many, asked.clients, asked.seconds, again=not asked.different)
        found["clients"] = asyncio.run(work)
    sys.stdout.write(json.dumps({"schema": 1, **found}, indent=2) + "\n")
    return 1 if found["clients"]["errors"] or found["clients"]["hung"] else 0


def questions_of(index: Path, count: int) -> list[str]:
    """Returns different questions: first words of what the index says of its files."""
    from hdlgraph.project import Project

    explanations = Project.open(index).explanations()
    texts = (
        " ".join(explanations[path].sentence().replace("`", "").split()[:WORDS])
        for path in sorted(explanations)
    )
    found = list(dict.fromkeys(text for text in texts if any(ch.isalnum() for ch in text)))
    return found[:: max(1, len(found) // count)][:count]


def all_different(index: Path) -> list[str]:
    """Returns as many different questions as an index has words for, in an order without sense.

    Each is WORDS words in a row of what the index says of a file.
    """
    from hdlgraph.project import Project

    explanations = Project.open(index).explanations()
    found: dict[str, None] = {}
    for path in sorted(explanations):
        words = " ".join(explanations[path].to_text().replace("`", "").split("\n")[1:]).split()
        for start in range(0, max(len(words) - WORDS, 0) + 1, WORDS // 2):
            text = " ".join(words[start : start + WORDS])
            if sum(ch.isalpha() for ch in text) > WORDS:
                found.setdefault(text)
    return sorted(found, key=lambda text: hashlib.sha256(text.encode()).digest())


@contextmanager
def server(index: Path) -> Iterator[tuple[str, int]]:
    """Yields address and process of a server that is warm."""
    command = [*hdlgraph_command(), "serve", "--index", str(index), "--port", "0"]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    try:
        assert child.stderr is not None
        line_found = next((line for line in child.stderr if _AT.search(line)), "")
        at = _AT.search(line_found)
        if at is None:
            raise SystemExit(f"{' '.join(command)}: did not start")
        yield at[1], child.pid
    finally:
        child.terminate()
        child.wait(START_S)


def page(url: str, questions: Sequence[str]) -> dict[str, float]:
    """Returns what one reader waits for ranked files: all of it, and the server's own part."""
    whole, own = [], []
    for question in questions:
        started = time.perf_counter()
        with urllib.request.urlopen(f"{url}/search?{urlencode({'q': question})}") as answer:
            answer.read()
            own.append(float(answer.headers["server-timing"].partition("dur=")[2]))
        whole.append((time.perf_counter() - started) * 1000)
    return {**spread(own, "server"), **spread(whole, "whole"), "questions": len(questions)}


def level(url: str) -> dict[str, Any]:
    """Returns how long each level takes below the largest top, down its largest instances."""
    taken, unit, name = [], "", ""
    for _ in range(12):
        query = urlencode({"unit": unit})
        started = time.perf_counter()
        with urllib.request.urlopen(f"{url}/tree/level?{query}") as answer:
            answer.read()
        taken.append((time.perf_counter() - started) * 1000)
        with urllib.request.urlopen(f"{url}/api/v1/level?{query}") as answer:
            found = json.load(answer)["entries"]
        deeper = max(found, key=lambda one: one["below"], default=None)
        if deeper is None or not deeper["below"]:
            break
        name = name or deeper["name"]
        unit = deeper["unit_id"]
    return {"top": name, "levels": len(taken), "slowest_ms": round(max(taken), 1)}


def drawn(url: str, index: Path) -> dict[str, Any]:
    """Returns how long Chromium draws the graph around the most used name, {} without one."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    name = _most_used(index)
    if browser is None or not name:
        return {}
    address = f"{url}/graph?name={quote(name, safe='')}&limit={NODES}"
    options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=8000")
    command = [browser, *options, "--dump-dom", address]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    at = re.search(r'data-drawn="(\d+)" data-nodes="(\d+)"', done.stdout)
    return {"name": name, "nodes": int(at[2]), "drawn_ms": int(at[1])} if at else {}


def _most_used(index: Path) -> str:
    """Returns the id of the node that most others are joined to, among those that pages show."""
    from hdlgraph.project import Project

    graph = Project.open(index).graph()
    kinds, counts = graph.nodes.column("kind"), [0] * len(graph.nodes)
    for kind, row in zip(graph.edges.column("kind"), graph.edges.column("target"), strict=True):
        counts[row] += kind in ("USES", "IMPORTS", "INCLUDES", "INSTANTIATES", "EXTENDS")
    rows = [row for row in range(len(counts)) if kinds[row] in ("macro", "package", "file")]
    return str(graph.nodes.column("id")[max(rows, key=lambda row: counts[row])]) if rows else ""


if __name__ == "__main__":
    raise SystemExit(main())
