"""Many clients that search at once, and what they and the server's processes take."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlencode, urlsplit

_LENGTH = re.compile(rb"content-length: (\d+)", re.I)
_LATER = re.compile(rb"retry-after: (\d+)", re.I)
BUSY = b"HTTP/1.1 503"
ANSWER_S = 180.0
"""Seconds after which an answer counts as one that does not come."""


async def clients(
    url: str, pid: int, questions: Sequence[str], count: int, seconds: float, again: bool = True
) -> dict[str, Any]:
    """Returns what many clients get that search one question after the other.

    Args:
        url: of the server.
        pid: its process.
        questions: what they ask; each client takes the next one of all.
        count: clients, each over one connection.
        seconds: for which they ask.
        again: whether the questions are asked again when all were asked; else the clients stop.
    """
    answers = _Answers()
    worked, grown = cpu_seconds(pid), [memory(pid)]
    waiting = itertools.cycle(questions) if again else iter(questions)
    watching = asyncio.create_task(_watch(pid, seconds / 4, grown))
    started = time.perf_counter()
    end = started + seconds
    await asyncio.gather(*(_client(urlsplit(url), waiting, end, answers) for _ in range(count)))
    whole = time.perf_counter() - started
    watching.cancel()
    asked = max(len(answers.ms), 1)
    return {
        "clients": count,
        "seconds": round(whole, 1),
        "searches": asked,
        "different_questions": min(len(questions), asked),
        "searches_per_second": round(asked / whole, 1),
        **spread(answers.ms, "whole"),
        "server_cpu_ms_per_search": round((cpu_seconds(pid) - worked) * 1000 / asked, 1),
        "busy": answers.busy,
        "errors": len(answers.errors),
        "hung": answers.hung,
        "memory_mb": [*grown, memory(pid)],
        "processes": processes(pid),
        "load_average": os.getloadavg()[0],
    }


class _Answers:
    """How long each answer took in milliseconds, and the status lines of those that failed.

    `busy` counts requests that were told to come again (503 with Retry-After), which is no error,
    `hung` those without an answer in ANSWER_S.
    """

    def __init__(self) -> None:
        self.ms: list[float] = []
        self.errors: list[bytes] = []
        self.busy = self.hung = 0


async def _client(at: SplitResult, waiting: Iterator[str], end: float, answers: _Answers) -> None:
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    for question in waiting:
        began = time.perf_counter()
        if began > end:
            break
        query = urlencode({"q": question})
        head = f"GET /api/v1/search?{query} HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n"
        writer.write(head.encode())
        try:
            async with asyncio.timeout(ANSWER_S):
                told = await reader.readuntil(b"\r\n\r\n")
                length = _LENGTH.search(told)
                await reader.readexactly(int(length[1]) if length else 0)
        except TimeoutError:
            answers.hung += 1
            break
        later = _LATER.search(told)
        if told.startswith(BUSY) and later:
            answers.busy += 1
            writer.close()  # an idle connection is closed by the server sooner
            await asyncio.sleep(int(later[1]))
            reader, writer = await asyncio.open_connection(at.hostname, at.port)
            continue
        answers.ms.append((time.perf_counter() - began) * 1000)
        if not told.startswith(b"HTTP/1.1 200"):
            answers.errors.append(told.partition(b"\r\n")[0])
    writer.close()


async def _watch(pid: int, seconds: float, grown: list[float]) -> None:
    while True:
        await asyncio.sleep(seconds)
        grown.append(memory(pid))


def cpu_seconds(pid: int) -> float:
    """Returns the processor time that a process and its children have taken.

    0 where the system does not tell.
    """
    used = 0
    for one in _family(pid):
        with suppress(OSError, IndexError, ValueError):
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            used += int(fields[11]) + int(fields[12])
    return used / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Returns the memory of a process and its children in MB; what they share counts once.

    0 where the system does not tell.
    """
    total = 0
    for one in _family(pid):
        with suppress(OSError, IndexError, ValueError):
            text = Path(f"/proc/{one}/smaps_rollup").read_text()
            total += int(text.partition("\nPss:")[2].split()[0]) * 1024
    return round(total / 1e6, 1)


def processes(pid: int) -> list[dict[str, float]]:
    """Returns the memory of a process and of each of its children in MB, the process first.

    `rss` is all that it has in memory, `pss` that with its part of what it shares, `private` what
    it has alone.
    """
    found = []
    for one in _family(pid):
        with suppress(OSError, IndexError, ValueError):
            text = Path(f"/proc/{one}/smaps_rollup").read_text()
            sizes = {
                name: int(text.partition(f"\n{name}:")[2].split()[0]) * 1024
                for name in ("Rss", "Pss", "Private_Clean", "Private_Dirty")
            }
            private = sizes["Private_Clean"] + sizes["Private_Dirty"]
            kinds = {"rss": sizes["Rss"], "pss": sizes["Pss"], "private": private}
            found.append({name: round(size / 1e6, 1) for name, size in kinds.items()})
    return found


def _family(pid: int) -> list[int]:
    """Returns a process and its children's children, as far as the system shows."""
    found = [pid]
    for one in found:
        with suppress(OSError):
            for thread in Path(f"/proc/{one}/task").iterdir():
                found += map(int, (thread / "children").read_text().split())
    return found


def spread(times: Sequence[float], name: str) -> dict[str, float]:
    """Returns the median and the 99th percentile of some times."""
    ordered = sorted(times) or [0.0]
    last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return {
        f"{name}_p50_ms": round(statistics.median(ordered), 1),
        f"{name}_p99_ms": round(last, 1),
    }
