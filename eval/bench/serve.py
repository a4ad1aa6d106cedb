"""Measures `hdlgraph serve` on an index: `python -m hdlgraph.eval.bench.serve INDEX`.

It starts the server, asks as people at a page do one after the other, then as many clients at
once, and prints one JSON object. Times are milliseconds, memory is MB (10^6 bytes). The questions
are sentences of the index itself, so that any index can be measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from hdlgraph.eval.bench.process import hdlgraph_command

START_S = 120.0
NODES = 300
"""Nodes of the graph that is drawn."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_AT = re.compile(r"listening at (http://\S+?)/? \(")
_LENGTH = re.compile(rb"content-length: (\d+)", re.I)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints the figures as JSON; returns 0, or 1 where an answer was an error."""
    parser = argparse.ArgumentParser(
        prog="python -m hdlgraph.eval.bench.serve", description=__doc__
    )
    parser.add_argument("index", type=Path, help="index folder, or a repository that has one")
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0, help="of the clients at once")
    parser.add_argument("--questions", type=int, default=200, help="different questions")
    asked = parser.parse_args(arguments)
    questions = questions_of(asked.index, asked.questions)
    with server(asked.index) as (url, pid):
        found = {
            "page": page(url, questions[:100]),
            "level": level(url),
            "graph": drawn(url, asked.index),
            "clients": asyncio.run(clients(url, pid, questions, asked.clients, asked.seconds)),
        }
    sys.stdout.write(json.dumps({"schema": 1, **found}, indent=2) + "\n")
    return 1 if found["clients"]["errors"] else 0


def questions_of(index: Path, count: int) -> list[str]:
    """Returns different questions: first words of what the index says of its files."""
    from hdlgraph.project import Project

    told = Project.open(index).explanations()
    texts = (" ".join(told[path].sentence().replace("`", "").split()[:9]) for path in sorted(told))
    found = list(dict.fromkeys(text for text in texts if any(ch.isalnum() for ch in text)))
    return found[:: max(1, len(found) // count)][:count]


@contextmanager
def server(index: Path) -> Iterator[tuple[str, int]]:
    """Yields address and process of a server that is warm."""
    command = [*hdlgraph_command(), "serve", "--index", str(index), "--port", "0"]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    try:
        assert child.stderr is not None
        said = next((line for line in child.stderr if _AT.search(line)), "")
        at = _AT.search(said)
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
    return {**_spread(own, "server"), **_spread(whole, "whole"), "questions": len(questions)}


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
    shown = [row for row in range(len(counts)) if kinds[row] in ("macro", "package", "file")]
    return str(graph.nodes.column("id")[max(shown, key=lambda row: counts[row])]) if shown else ""


async def clients(
    url: str, pid: int, questions: Sequence[str], count: int, seconds: float
) -> dict[str, Any]:
    """Returns what many clients get that search again and again, each over one connection."""
    at = urlsplit(url)
    taken: list[float] = []
    errors: list[str] = []
    before, end = memory(pid), time.perf_counter() + seconds
    worked = cpu_seconds(pid)
    middle = before

    async def client(first: int) -> None:
        reader, writer = await asyncio.open_connection(at.hostname, at.port)
        number = first
        while time.perf_counter() < end:
            number += 1
            query = urlencode({"q": questions[(number * 7) % len(questions)]})
            started = time.perf_counter()
            line = f"GET /api/v1/search?{query} HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n"
            writer.write(line.encode())
            head = await reader.readuntil(b"\r\n\r\n")
            length = _LENGTH.search(head)
            await reader.readexactly(int(length[1]) if length else 0)
            taken.append((time.perf_counter() - started) * 1000)
            if not head.startswith(b"HTTP/1.1 200"):
                errors.append(head[:40].decode("latin-1"))
        writer.close()

    running = asyncio.gather(*(client(n * 31) for n in range(count)))
    await asyncio.sleep(seconds / 2)
    middle = memory(pid)
    await running
    return {
        "clients": count,
        "seconds": seconds,
        "questions": len(questions),
        "searches_per_second": round(len(taken) / seconds, 1),
        **_spread(taken, "whole"),
        "server_cpu_ms_per_search": round((cpu_seconds(pid) - worked) * 1000 / len(taken), 1),
        "errors": len(errors),
        "memory_mb": [before, middle, memory(pid)],
        "load_average": os.getloadavg()[0],
    }


def cpu_seconds(pid: int) -> float:
    """Returns the processor time that a process has taken, 0 where the system does not tell."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Returns the resident memory of a process in MB, 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


def _spread(times: Sequence[float], name: str) -> dict[str, float]:
    ordered = sorted(times)
    last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return {
        f"{name}_p50_ms": round(statistics.median(ordered), 1),
        f"{name}_p99_ms": round(last, 1),
    }


if __name__ == "__main__":
    raise SystemExit(main())
